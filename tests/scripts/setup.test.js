import assert from "node:assert/strict";
import { test } from "node:test";

import { LABEL_STUDIO_KEYS, newRow, pressedKey, problemOf, withLabelStudioKeys, written } from "../../assets/scripts/labels/rows.js";
import { dictionaryOf, emptyDraft, isBegun, keepDraft, keptDraft, nameOf, namesOf, projectOf, rowsOf, templateOf } from "../../assets/scripts/setup/draft.js";
import { fakeStorage } from "./fakes.js";

const row = (name, hotkey = "", description = "") => ({ name, colour: "#0072B2", hotkey, description });
const CHOICES = { colours: ["#0072B2", "#D55E00"], keys: "1234567890qwertyuiopasdfghlzxcvbnm" };
const OFFER = { ...CHOICES, name: "New project", templates: [{ name: "news", labels: [row("PER", "1"), row("LOC", "2"), row("ORG", "3")] }, { name: "medicine", labels: [row("DRUG", "1")] }] };
const preview = (more = {}) => ({ documents: 3, labelled: 0, labels: [], chinese: true, name: "", ...more });
const draft = (more = {}) => ({ ...emptyDraft(), ...more });

test("what is not chosen follows the text: template, dictionary and name", () => {
  const pasted = draft({ paste: "张伟在北京。" });
  assert.equal(templateOf(draft(), null), "none");
  assert.equal(templateOf(pasted, preview()), "news");
  assert.equal(templateOf(pasted, preview({ labels: ["PER"] })), "found");
  assert.equal(nameOf(pasted, preview(), OFFER), "New project");
  assert.equal(nameOf(pasted, preview({ name: "reports" }), OFFER), "reports");
  assert.equal(nameOf(draft({ name: "mine" }), preview({ name: "reports" }), OFFER), "mine");
  assert.equal(dictionaryOf(pasted, preview(), ["PER"]), "base");
  assert.equal(dictionaryOf(pasted, preview({ chinese: false }), ["PER"]), "none");
  assert.equal(dictionaryOf(pasted, preview({ labelled: 3 }), ["PER"]), "none");
  assert.equal(dictionaryOf(pasted, preview(), ["DRUG"]), "none");
  assert.equal(dictionaryOf(draft({ dictionary: "none" }), preview(), ["PER"]), "none");
});

test("a template that the text no longer offers gives way, and edited rows stay with their template", () => {
  const edited = draft({ paste: "x", template: "found", labels: { found: [row("A")], medicine: [row("B")] } });
  assert.deepEqual(rowsOf(edited, preview({ labels: ["A"] }), OFFER).map(({ name }) => name), ["A"]);
  assert.equal(templateOf(edited, preview()), "news");
  assert.deepEqual(rowsOf({ ...edited, template: "medicine" }, preview(), OFFER).map(({ name }) => name), ["B"]);
});

test("labels found in the text each have a colour and a key", () => {
  const rows = rowsOf(draft({ paste: "x" }), preview({ labels: ["甲", "乙", "丙"] }), OFFER);
  assert.deepEqual(rows.map(({ name, colour, hotkey }) => [name, colour, hotkey]), [["甲", "#0072B2", "1"], ["乙", "#D55E00", "2"], ["丙", "#0072B2", "3"]]);
});

test("kinds of names go to the labels that mean them, in English and Chinese", () => {
  assert.deepEqual(namesOf(draft(), ["机构", "人名", "LOC"]), { person: "人名", place: "LOC", organisation: "机构", other: "" });
  assert.deepEqual(namesOf(draft({ names: { person: "", place: "gone" } }), ["PER", "LOC"]), { person: "", place: "LOC", organisation: "", other: "" });
});

test("a project made at once has the defaults, and nothing it does not need", () => {
  const made = projectOf(draft({ paste: "张伟" }), preview(), OFFER);
  assert.deepEqual(made.names, { person: "PER", place: "LOC", organisation: "ORG", other: "" });
  assert.deepEqual([made.name, made.dictionary, made.words, made.nested, made.labels.length], ["New project", "base", "", null, 3]);
  const without = projectOf(draft({ name: "empty", dictionary: "file" }), null, OFFER);
  assert.deepEqual([without.labels, without.dictionary, without.names], [[], "none", {}]);
});

test("a draft is kept until it is empty again; a storage that refuses says so", () => {
  const storage = fakeStorage();
  assert.equal(keepDraft(draft({ paste: "甲", step: 2 }), storage), true);
  assert.deepEqual([keptDraft(storage).paste, keptDraft(storage).step, isBegun(keptDraft(storage))], ["甲", 2, true]);
  keepDraft(draft(), storage);
  assert.equal(keptDraft(storage), null);
  assert.equal(keepDraft(draft({ paste: "甲" }), fakeStorage({ forbidden: true })), false);
  assert.equal(keptDraft(fakeStorage({ forbidden: true })), null);
});

test("a new row has a free colour and key, and the keys of Label Studio go by the order of the rows", () => {
  const rows = [row("A", "1")];
  assert.deepEqual(newRow(rows, CHOICES), { name: "", colour: "#D55E00", hotkey: "2", description: "" });
  const many = Array.from({ length: 40 }, (_, at) => row(`L${at}`));
  const keys = withLabelStudioKeys(many).map(({ hotkey }) => hotkey);
  assert.deepEqual(keys.slice(0, 13), [..."1234567890qwe"]);
  assert.equal(keys.at(-1), "");
  assert.ok([...LABEL_STUDIO_KEYS].every((key) => CHOICES.keys.includes(key)), "every key is one a label may have");
  assert.deepEqual(written([row(""), row("A"), row("", "3"), row("", "", "text")]).length, 2);
});

test("the first cell that cannot be saved is named", () => {
  assert.equal(problemOf([row("A", "1"), row("B", "2"), row("", "1")]), null);
  assert.deepEqual(problemOf([row("A"), row(" A ")]), { row: 1, field: "name", problem: "same_name", other: "A" });
  assert.deepEqual(problemOf([row("A", "1"), row("B", "1")]), { row: 1, field: "hotkey", problem: "same_key", other: "A" });
  assert.deepEqual(problemOf([row("", "", "text")]), { row: 0, field: "name", problem: "no_name" });
});

test("a key is a letter or a digit that may be one, also behind an input method", () => {
  const press = (event) => pressedKey(event, CHOICES.keys);
  assert.equal(press({ key: "Q" }), "q");
  assert.equal(press({ key: "j" }), null);
  assert.equal(press({ key: "Backspace" }), "");
  assert.equal(press({ key: "Process", code: "KeyW" }), "w");
  assert.equal(press({ key: "Tab" }), null);
  assert.equal(press({ key: "a", ctrlKey: true }), null);
});

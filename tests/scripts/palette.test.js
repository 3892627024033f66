import assert from "node:assert/strict";
import { test } from "node:test";

import { commandsOf } from "../../assets/scripts/annotator/commands.js";
import { stepTo } from "../../assets/scripts/page/roving.js";
import { matchScore, pinyinInitials, ranked } from "../../assets/scripts/palette/matching.js";

const choices = (...names) => names.map((name) => ({ names: [name].flat() }));
const found = (typed, ...groups) => ranked(typed, groups.map((names, at) => ({ name: at, choices: choices(...names) }))).flatMap(({ choices: fit }) => fit.map(({ names }) => names[0]));

test("nothing typed keeps every choice in its order", () => {
  assert.deepEqual(found("", ["Train", "Data"], ["flat-0001"]), ["Train", "Data", "flat-0001"]);
});

test("a word's beginning comes before its middle, and that before strewn letters", () => {
  assert.deepEqual(found("tag", ["suggestion strategy", "Vantage", "Tag", "Train"]), ["Tag", "Vantage"]);
  assert.deepEqual(found("fl1", ["flat-0002", "flat-0001"]), ["flat-0001"]);
  assert.equal(matchScore("xyz", ["Train"]), null);
  assert.equal(matchScore("run", ["mark as annotated, press again to unmark"]), null);
  assert.equal(matchScore("aio", ["a name that is long and says one thing"]), null);
});

test("every word that is typed has to fit", () => {
  assert.deepEqual(found("inspect 2", ["Inspect flat-0001", "Inspect flat-0002", "flat-0002 on the Train page"]), ["Inspect flat-0002"]);
});

test("the group with the best match comes first", () => {
  assert.deepEqual(found("data", ["update the date"], ["Data"]), ["Data"]);
  assert.deepEqual(found("org", ["reorganise"], ["ORG"]), ["ORG", "reorganise"]);
});

test("Chinese is found by its characters, by the first letters of its pinyin, and by other names", () => {
  assert.equal(pinyinInitials("数据"), "sj");
  assert.equal(pinyinInitials("标注 训练 检视 设置 词典 清河 安徽 中国"), "bz xl js sz cd qh ah zg");
  assert.equal(pinyinInitials("Train"), "Train");
  const pages = [["数据", "data"], ["标注", "annotate"], ["训练", "train"]];
  for (const typed of ["标", "bz", "anno"]) assert.deepEqual(found(typed, pages), ["标注"]);
});

test("what looks like a pattern is only letters", () => {
  assert.equal(matchScore("(", ["Train"]), null);
  assert.ok(matchScore("a.*", ["a.*b"]) > 0);
  assert.equal(matchScore(".*", ["Train"]), null);
});

test("arrows move in a group by its axis and stop at its ends", () => {
  assert.equal(stepTo("ArrowRight", 0, 3), 1);
  assert.equal(stepTo("ArrowDown", 2, 3), 2);
  assert.equal(stepTo("ArrowUp", 0, 3), 0);
  assert.equal(stepTo("Home", 2, 3, "row"), 0);
  assert.equal(stepTo("End", 0, 3, "column"), 2);
  assert.equal(stepTo("ArrowDown", 0, 3, "row"), null);
  assert.equal(stepTo("ArrowLeft", 1, 3, "column"), null);
  for (const key of ["Enter", "a", "Tab", "constructor"]) assert.equal(stepTo(key, 0, 3), null);
});

// An annotator that notes what it is asked.
const annotator = (state = {}) => {
  const told = [];
  const note = (name) => () => told.push(name);
  const bench = {
    annotation: { status: "in_progress", past: [], future: [], ...state.annotation },
    labels: [{ name: "ORG", hotkey: "2" }, { name: "<b>", hotkey: "" }],
    current: state.mark ?? null,
    caret: { anchor: state.anchor ?? 3, head: 3, empty: (state.anchor ?? 3) === 3, set: (...ends) => told.push(`set(${ends})`) },
    sentence: { focus: (key) => told.push(`focus(${key})`) },
    focusText: note("text"),
    activeRun: state.serving ?? null,
    acceptableSuggestions: () => [],
    say: (key, { label = "" } = {}) => `${key}${label && ` ${label}`}`,
    tools: { grain: { cycle: note("cycle") } },
    streamView: { on: state.streaming ?? false, accept: note("accept one"), leave: note("leave") },
    choose: (label) => told.push(`choose(${label})`),
    label: (name) => told.push(`label(${name})`),
    ...Object.fromEntries(["undo", "redo", "next", "remove", "reject", "ask_tagger", "done", "reopen"].map((name) => [name, note(name)])),
  };
  return { bench, told };
};

const texts = (bench) => commandsOf(bench).map(({ text }) => text);

test("the annotator offers what makes sense now, and nothing without a document", () => {
  assert.deepEqual(commandsOf({ annotation: null }), []);
  const plain = texts(annotator().bench);
  assert.ok(plain.includes("annotate_keys.next") && plain.includes("annotate_keys.done"));
  for (const name of ["undo", "remove", "reject", "ask_tagger", "reopen", "label"]) assert.ok(!plain.includes(`annotate_keys.${name}`), name);
  const more = texts(annotator({ annotation: { status: "done", past: [1] }, mark: { start: 0, end: 2, label: "A", source: "tagger" }, serving: {} }).bench);
  for (const name of ["undo", "remove", "reject", "ask_tagger", "reopen"]) assert.ok(more.includes(`annotate_keys.${name}`), name);
  assert.ok(!more.includes("annotate_keys.done"));
});

test("one by one only the answers are offered", () => {
  const { bench, told } = annotator({ streaming: true, mark: { source: "tagger" } });
  const offered = commandsOf(bench);
  assert.deepEqual(offered.map(({ text }) => text), ["accept", "reject", "skip", "undo", "edit", "leave"].map((name) => `annotate_keys.stream_${name}`));
  offered[0].run();
  offered.at(-1).run();
  assert.deepEqual(told, ["accept one", "leave"]);
});

test("labels come first where something is selected, which is so again before the label is given", () => {
  assert.notEqual(commandsOf(annotator().bench)[0].group, "labels");
  const { bench, told } = annotator({ anchor: 1 });
  const [first, second] = commandsOf(bench);
  assert.deepEqual([first.text, first.key, second.key], ["annotate.label_as ORG", "2", ""]);
  first.run();
  assert.deepEqual(told, ["text", "set(1,3)", "choose(ORG)"]);
});

test("a focused mark has the focus again before its command runs", () => {
  const { bench, told } = annotator({ mark: { start: 0, end: 2, label: "A", source: "person" } });
  commandsOf(bench).find(({ text }) => text === "annotate_keys.remove").run();
  assert.deepEqual(told, ["focus(person:0:2:A)", "remove"]);
});

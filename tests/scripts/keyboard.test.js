import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Keyboard } from "../../assets/scripts/annotator/selecting/keyboard.js";
import { COMMANDS, KEY_GROUPS, meantKey, placeOf } from "../../assets/scripts/annotator/selecting/keys.js";
import { undrawn } from "./fakes.js";

class Place {
  constructor(fields = {}) {
    Object.assign(this, { tagName: "DIV", inside: [] }, fields);
  }

  closest(selectors) {
    return this.inside.some((selector) => selectors.split(", ").includes(selector)) ? this : null;
  }
}

const body = new Place({ tagName: "BODY" });
const text = new Place();
const bar = new Place({ inside: ["button", ".lla-bar"] });
const button = new Place({ inside: ["button"] });

beforeEach(() => {
  globalThis.HTMLElement = Place;
  globalThis.document = { body };
});

// A keyboard over a bench that notes what it is asked; `state` says what is selected, focused and held.
const keyboard = (state = {}) => {
  const told = [];
  const note = (name) => (...given) => told.push([name, ...given]);
  const { selected = false, mark = null, held = null, open = false, inside = false, beside = null, status = "in_progress", wide = false, explaining = false, streaming = false } = state;
  const names = ["redo", "undo", "deselect", "accept", "accept_all", "reject", "remove", "label", "next", "previous", "done", "others", "replace", "comment", "why", "keys", "pick",
    "left_in", "left_out", "right_in", "right_out", "annotated_until", "similar_sentences", "similar_back", "focusText"];
  const bench = {
    ...Object.fromEntries(names.map((name) => [name, note(name)])),
    annotation: { status },
    host: { offsetParent: body, contains: (place) => place !== body && !place.outside },
    dialogs: { opened: state.dialog ?? false },
    labels: [{ name: "NAME", hotkey: "1" }, { name: "ORG", hotkey: "n" }, { name: "DONE", hotkey: "d" }],
    current: mark,
    currentKey: mark && "its key",
    markBeside: (backwards) => beside && beside[backwards ? 0 : 1],
    caret: {
      catchUp: () => {},
      empty: !selected,
      trimmed: () => (selected ? { start: 0, end: 1 } : null),
      set: note("set"),
      move: note("move"),
      clear: note("clear"),
    },
    popover: { open, hide: note("hide"), leave: () => inside, enter: () => (note("enter")(), true) },
    streamView: { on: streaming, ...Object.fromEntries(["accept", "reject", "skip", "undo", "edit", "leave", "guideline", "keys"].map((name) => [name, note(`stream ${name}`)])) },
    whyPanel: { open: explaining, close: note("close the drawer") },
    sentence: { text: Object.assign(text, { focus: note("focus") }), bar: () => bar, focus: (key) => (note("focus")(key), true) },
    tools: { held, handles: { cancel: () => false }, release: note("release"), hold: note("hold"), step: note("step"), grain: { wide, cycle: note("cycle") } },
  };
  const one = undrawn(Keyboard, { bench });
  // Whether the key was used, and what came of it.
  const press = (key, options = {}) => {
    told.length = 0;
    let used = false;
    one.press({ key, code: "", target: text, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, preventDefault: () => { used = true; }, ...options });
    return [used, ...told.map(([name, ...given]) => (given.length && typeof given[0] !== "object" ? `${name}(${given.join()})` : name))];
  };
  return press;
};

test("each command of the list has its key, and each key of the list is no two things in one group", () => {
  const named = (group) => KEY_GROUPS.filter(([name]) => (name === "stream") === group).flatMap(([, keys]) => keys).map(([key, name]) => `${key} ${name}`);
  const listed = [...named(false), "v stream"];
  for (const [key, name] of Object.entries(COMMANDS)) assert.ok(listed.includes(`${key} ${name}`), key);
  for (const [group, keys] of KEY_GROUPS) assert.equal(new Set(keys.map(([, name]) => name)).size, keys.length, group);
});

test("the letter on a key is known by its place", () => {
  assert.deepEqual(["KeyA", "Digit7", "Numpad3", "BracketLeft", "", undefined].map(placeOf), ["a", "7", "3", "", "", ""]);
});

test("under an input method the place of a key counts", () => {
  const meant = (key, code = "", more = {}) => meantKey({ key, code, shiftKey: false, keyCode: 0, ...more });
  assert.equal(meant("a", "KeyA"), "a");
  assert.equal(meant("Process", "KeyJ"), "j");
  assert.equal(meant("j", "KeyJ", { keyCode: 229 }), "j");
  assert.equal(meant("ㄱ", "KeyR"), "r");
  assert.equal(meant("й", "KeyQ"), "q");
  assert.equal(meant("【", "BracketLeft"), "[");
  assert.equal(meant("『", "BracketLeft", { shiftKey: true }), "{");
  assert.equal(meant("？", "Slash", { shiftKey: true }), "?");
  assert.equal(meant("Process", "BracketRight", { shiftKey: true }), "}");
  assert.equal(meant("Process", "Enter"), "Enter");
  assert.equal(meant("Unidentified", "ArrowLeft"), "ArrowLeft");
  assert.equal(meant("Dead", "Quote"), "Dead");
});

test("keys act in the widget, on a button of the window or nowhere: not in other fields, dialogs, compositions, or what was used already", () => {
  const press = keyboard();
  assert.deepEqual(press("j"), [true, "next"]);
  assert.deepEqual(press("j", { target: body }), [true, "next"]);
  const tab = new Place({ outside: true, inside: ["button"] });
  assert.deepEqual(press("d", { target: tab }), [true, "done"]);
  for (const key of ["Enter", " ", "ArrowLeft", "Home"]) assert.deepEqual(press(key, { target: tab }), [false]);
  assert.deepEqual(press("d", { target: new Place({ outside: true }) }), [false]);
  assert.deepEqual(press("d", { target: new Place({ outside: true, tagName: "INPUT", type: "text" }) }), [false]);
  assert.deepEqual(press("j", { isComposing: true }), [false]);
  assert.deepEqual(press("j", { defaultPrevented: true }), [false]);
  assert.deepEqual(keyboard({ dialog: true })("j"), [false]);
  for (const field of [{ tagName: "TEXTAREA" }, { tagName: "SELECT" }, { tagName: "INPUT", type: "search" }, { isContentEditable: true }]) {
    assert.deepEqual(press("j", { target: new Place(field) }), [false]);
  }
  assert.deepEqual(press("j", { target: new Place({ tagName: "INPUT", type: "checkbox" }) }), [true, "next"]);
});

test("undo and redo with Ctrl or with Command, never with both or with Alt", () => {
  const press = keyboard();
  for (const modifier of ["ctrlKey", "metaKey"]) {
    assert.deepEqual(press("z", { [modifier]: true }), [true, "undo"]);
    assert.deepEqual(press("Z", { [modifier]: true, shiftKey: true }), [true, "redo"]);
    assert.deepEqual(press("z", { [modifier]: true, altKey: true }), [false]);
    assert.deepEqual(press("j", { [modifier]: true }), [false]);
  }
  assert.deepEqual(press("z", { ctrlKey: true, metaKey: true }), [false]);
});

test("a label's key wins over a command where there is something to label", () => {
  assert.deepEqual(keyboard()("1"), [true, "label(NAME)"]);
  assert.deepEqual(keyboard()("d"), [true, "done"]);
  assert.deepEqual(keyboard({ selected: true })("d"), [true, "label(DONE)"]);
  assert.deepEqual(keyboard({ mark: { source: "person" } })("D"), [true, "label(DONE)"]);
  assert.deepEqual(keyboard()("n"), [true, "label(ORG)"]);
  assert.deepEqual(keyboard()("w"), [false]);
});

test("a key of another alphabet labels by its place, and by what it writes where a label has that", () => {
  assert.deepEqual(keyboard({ selected: true })("т", { code: "KeyN" }), [true, "label(ORG)"]);
  assert.deepEqual(keyboard({ selected: true })("Process", { code: "Digit1", keyCode: 229 }), [true, "label(NAME)"]);
});

test("with Shift a label stays chosen, and g goes back", () => {
  const press = keyboard({ selected: true });
  assert.deepEqual(press("!", { code: "Digit1", shiftKey: true }), [true, "hold(NAME)"]);
  assert.deepEqual(press("N", { code: "KeyN", shiftKey: true }), [true, "hold(ORG)"]);
  assert.deepEqual(press("G", { code: "KeyG", shiftKey: true }), [true, "cycle(-1)"]);
  assert.deepEqual(press("J", { code: "KeyJ", shiftKey: true }), [false]);
});

test("Alt with a command's key is the command also where a label has the key", () => {
  assert.deepEqual(keyboard({ selected: true })("∂", { code: "KeyD", altKey: true }), [true, "done"]);
  assert.deepEqual(keyboard()("¡", { code: "Digit1", altKey: true }), [false]);
});

test("a document that is done goes to the next with the same key", () => {
  assert.deepEqual(keyboard({ status: "done" })("d"), [true, "next"]);
});

test("Enter labels what is selected with the held label, opens an own mark, else accepts", () => {
  assert.deepEqual(keyboard({ selected: true, held: "ORG" })("Enter"), [true, "label(ORG)"]);
  assert.deepEqual(keyboard({ mark: { source: "person", start: 0, end: 1, label: "A" } })("Enter"), [true, "pick"]);
  assert.deepEqual(keyboard({ mark: { source: "tagger" } })("Enter"), [true, "accept"]);
  assert.deepEqual(keyboard()("Enter", { shiftKey: true }), [true, "accept_all"]);
});

test("pressing a control with Enter or blank is its own business, a bar is none", () => {
  assert.deepEqual(keyboard()("Enter", { target: button }), [false]);
  assert.deepEqual(keyboard()(" ", { target: button }), [false]);
  assert.deepEqual(keyboard({ mark: { source: "tagger" } })("Enter", { target: bar }), [true, "accept"]);
});

test("one by one the answers have keys, whatever keys the labels have, and a key held down answers once", () => {
  const press = keyboard({ streaming: true, mark: { source: "tagger" } });
  const answers = [["a", "accept"], ["Enter", "accept"], ["x", "reject"], [" ", "skip"], ["Backspace", "undo"], ["e", "edit"], ["v", "leave"], ["Escape", "leave"], ["h", "guideline"]];
  for (const [key, name] of answers) assert.deepEqual(press(key), [true, `stream ${name}`], key);
  assert.deepEqual(press("?", { shiftKey: true }), [true, "stream keys"]);
  assert.deepEqual(press("Process", { code: "KeyX" }), [true, "stream reject"]);
  assert.deepEqual(press("z", { ctrlKey: true }), [true, "stream undo"]);
  assert.deepEqual(press("a", { repeat: true }), [true]);
  for (const key of ["1", "j", "d", "[", "ArrowRight", "Tab"]) assert.deepEqual(press(key), [false], key);
  assert.deepEqual(press("A", { shiftKey: true }), [false]);
  assert.deepEqual(press("Enter", { target: button }), [false]);
  assert.deepEqual(press("x", { target: button }), [true, "stream reject"]);
});

test("brackets move the boundaries of a mark and do nothing without one", () => {
  const press = keyboard({ mark: { source: "person" } });
  assert.deepEqual(press("["), [true, "left_out"]);
  assert.deepEqual(press("]"), [true, "right_out"]);
  assert.deepEqual(press("{", { shiftKey: true }), [true, "left_in"]);
  assert.deepEqual(press("}", { shiftKey: true }), [true, "right_in"]);
  assert.deepEqual(press("【"), [true, "left_out"]);
  assert.deepEqual(press("Delete"), [true, "remove"]);
  for (const key of ["[", "]", "Delete", "Backspace"]) assert.deepEqual(keyboard()(key), [false]);
});

test("arrows belong to the text; in words or sentences they step by those, with Alt never", () => {
  assert.deepEqual(keyboard()("ArrowLeft", { shiftKey: true }), [true, "hide", "move(ArrowLeft,true,false)"]);
  assert.deepEqual(keyboard({ wide: true })("ArrowLeft"), [true, "hide", "step(ArrowLeft,false)"]);
  assert.deepEqual(keyboard({ wide: true })("ArrowDown"), [true, "hide", "move(ArrowDown,false,false)"]);
  assert.deepEqual(keyboard({ wide: true })("ArrowLeft", { altKey: true }), [true, "hide", "move(ArrowLeft,false,true)"]);
  assert.deepEqual(keyboard()("ArrowLeft", { target: button }), [false]);
  assert.deepEqual(keyboard({ mark: { start: 3 } })("ArrowLeft", { target: bar }), [true, "focus", "set(3,3)", "hide", "move(ArrowLeft,false,false)"]);
  assert.deepEqual(keyboard()("Home", { target: body }), [false]);
});

test("Escape closes what is open and leaves nothing selected, then closes the drawer, then releases the held label, and is left to others after that", () => {
  assert.deepEqual(keyboard({ open: true })("Escape"), [true, "deselect"]);
  assert.deepEqual(keyboard({ selected: true })("Escape"), [true, "deselect"]);
  assert.deepEqual(keyboard({ mark: { source: "person" }, held: "ORG" })("Escape"), [true, "deselect"]);
  assert.deepEqual(keyboard({ mark: { source: "person" }, explaining: true })("Escape"), [true, "deselect"]);
  assert.deepEqual(keyboard({ held: "ORG", explaining: true })("Escape"), [true, "close the drawer"]);
  assert.deepEqual(keyboard({ held: "ORG" })("Escape"), [true, "release"]);
  assert.deepEqual(keyboard()("Escape"), [false, "release"]);
});

test("Tab goes from the text and from a mark to the mark beside, into an open menu, and is the browser's where there is none", () => {
  const marks = [{ start: 0, end: 2, label: "A", source: "person" }, { start: 4, end: 5, label: "B", source: "tagger" }];
  assert.deepEqual(keyboard({ beside: marks })("Tab"), [true, "hide", "focus(tagger:4:5:B)"]);
  assert.deepEqual(keyboard({ beside: marks })("Tab", { target: bar, shiftKey: true }), [true, "hide", "focus(person:0:2:A)"]);
  assert.deepEqual(keyboard({ beside: [null, null] })("Tab", { target: bar }), [false, "hide"]);
  assert.deepEqual(keyboard({ open: true, beside: marks })("Tab", { target: bar }), [true, "enter"]);
  for (const target of [button, body]) assert.deepEqual(keyboard({ beside: marks })("Tab", { target }), [false]);
});

test("Escape in a menu leads back to its mark, or to the text", () => {
  assert.deepEqual(keyboard({ inside: true, mark: { source: "person" } })("Escape", { target: button }), [true, "focus(its key)"]);
  assert.deepEqual(keyboard({ inside: true })("Escape", { target: button }), [true, "focusText"]);
});

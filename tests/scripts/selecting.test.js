import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { Caret } from "../../assets/scripts/annotator/selecting/caret.js";
import { GRAINS, Granularity, pieceAt, stepBetween, widened } from "../../assets/scripts/annotator/selecting/granularity.js";
import { Handles } from "../../assets/scripts/annotator/selecting/handles.js";
import { Offsets } from "../../assets/scripts/text/offsets.js";
import { trimmed } from "../../assets/scripts/text/surfaces.js";
import { fakeStorage, undrawn } from "./fakes.js";
import { Chance, points } from "./samples.js";

beforeEach(() => {
  globalThis.document = { getSelection: () => ({ setBaseAndExtent() {}, removeAllRanges() {} }) };
  globalThis.localStorage = fakeStorage();
});

afterEach(() => {
  delete globalThis.document;
});

test("a selection loses the blanks at its ends and no letter", () => {
  const chance = new Chance(6);
  const text = chance.text(300);
  const offsets = new Offsets(text);
  const letters = points(text);
  const blank = (letter) => letter.trim() === "" || letter === "\u200b";
  for (let turn = 0; turn < 800; turn += 1) {
    const { start, end } = chance.span(letters.length, 12);
    const found = trimmed(offsets, { start, end });
    if (letters.slice(start, end).every(blank)) assert.equal(found, null);
    else {
      assert.ok(!blank(letters[found.start]) && !blank(letters[found.end - 1]));
      for (const lost of [...letters.slice(start, found.start), ...letters.slice(found.end, end)]) assert.ok(blank(lost));
    }
  }
});

test("a piece holds its code point, and pieces are characters, words or sentences", () => {
  const text = new Chance(1).text(200);
  const offsets = new Offsets(text);
  for (const grain of GRAINS) {
    for (let point = 0; point < offsets.length; point += 3) {
      const [start, end] = pieceAt(offsets, point, grain, []);
      assert.ok(start <= point && point < end, `${grain} ${point}`);
      assert.deepEqual([offsets.whole(start), offsets.whole(end)], [start, end]);
    }
  }
});

test("a stretch grows to the pieces it touches, and growing twice changes nothing", () => {
  const chance = new Chance(2);
  const offsets = new Offsets(chance.text(200));
  for (let turn = 0; turn < 300; turn += 1) {
    const stretch = chance.span(offsets.length, 20);
    for (const grain of ["word", "sentence"]) {
      const wide = widened(offsets, stretch, grain, []);
      assert.ok(wide.start <= stretch.start && stretch.end <= wide.end);
      assert.deepEqual(widened(offsets, wide, grain, []), wide);
    }
    assert.deepEqual(widened(offsets, stretch, "character", []), { start: stretch.start, end: stretch.end });
  }
  assert.deepEqual(widened(offsets, { start: 4, end: 4 }, "word", []), { start: 4, end: 4 });
});

test("steps between pieces go through the whole text in both directions", () => {
  const offsets = new Offsets(new Chance(3).text(120));
  for (const grain of GRAINS) {
    const forth = [0];
    while (forth[forth.length - 1] < offsets.length) forth.push(stepBetween(offsets, forth[forth.length - 1], true, grain, []));
    const back = [offsets.length];
    while (back[back.length - 1] > 0) back.push(stepBetween(offsets, back[back.length - 1], false, grain, []));
    assert.deepEqual(back.reverse(), forth);
    assert.equal(stepBetween(offsets, offsets.length, true, grain, []), offsets.length);
    assert.equal(stepBetween(offsets, 0, false, grain, []), 0);
  }
});

test("the words of the lattice are the words", () => {
  const offsets = new Offsets("𠮷野家在青岛市");
  assert.deepEqual(widened(offsets, { start: 5, end: 6 }, "word", [[4, 7]]), { start: 4, end: 7 });
  assert.equal(stepBetween(offsets, 4, true, "word", [[4, 7]]), 7);
});

test("the grain goes round in both directions and is remembered", () => {
  const told = [];
  const grain = undrawn(Granularity, { grain: "character", root: { children: [] }, options: { told: (name) => told.push(name) } });
  for (const step of [1, 1, 1, -1]) grain.cycle(step);
  assert.deepEqual(told, ["word", "sentence", "character", "sentence"]);
  assert.equal(localStorage.getItem("latticelens.grain"), "sentence");
  assert.equal(grain.wide, true);
});

// A caret in a text drawn on a grid: every code point is a box of width 10 in a line of ten.
const caret = (text, { words = [], perLine = 10 } = {}) => {
  const offsets = new Offsets(text);
  const box = (point) => ({ left: 10 * (point % perLine), right: 10 * (point % perLine) + 10, top: 20 * Math.floor(point / perLine), bottom: 20 * Math.floor(point / perLine) + 15 });
  const sentence = {
    offsets,
    alone: true,
    position: (point) => ["text", point],
    boxes: (start, end) => Array.from({ length: end - start }, (_, at) => box(start + at)),
  };
  const shown = { style: {}, scrollIntoView() {} };
  return undrawn(Caret, { sentence, shown, anchor: 0, head: 0, column: null, draw() {}, options: { words: () => words, moved() {} } });
};

test("arrows move by characters, not by code points, and Shift holds the anchor", () => {
  const one = caret("甲👩‍👩‍👧乙");
  one.move("ArrowRight", false, false);
  one.move("ArrowRight", true, false);
  assert.deepEqual([one.start, one.end], [1, 6]);
  one.move("ArrowLeft", true, false);
  assert.equal(one.empty, true);
});

test("without Shift a selection collapses to the side of the arrow", () => {
  for (const [key, end] of [["ArrowRight", 5], ["ArrowLeft", 2]]) {
    const one = caret("abcdefgh");
    one.set(2, 5);
    one.move(key, false, false);
    assert.deepEqual([one.anchor, one.head], [end, end]);
  }
});

test("in a paragraph that is read from right to left the left arrow goes forward", () => {
  const one = caret("שלום עולם");
  for (let turn = 0; turn < 3; turn += 1) one.move("ArrowLeft", true, false);
  assert.deepEqual([one.start, one.end], [0, 3]);
  one.move("ArrowRight", true, false);
  assert.equal(one.head, 2);
});

test("Alt goes to the next edge of a word of the lattice, Home and End to the ends", () => {
  const one = caret("在青岛市南区", { words: [[1, 4]] });
  one.move("ArrowRight", false, true);
  assert.equal(one.head, 1);
  one.move("ArrowRight", true, true);
  assert.deepEqual([one.start, one.end], [1, 4]);
  one.move("End", true, false);
  assert.deepEqual([one.start, one.end], [1, 6]);
  one.move("Home", false, false);
  assert.deepEqual([one.start, one.end], [0, 0]);
});

test("up and down keep the column over a shorter line and end at the ends of the text", () => {
  const one = caret("x".repeat(26));
  one.set(17, 17);
  one.move("ArrowDown", false, false);
  assert.equal(one.head, 26);
  one.move("ArrowUp", false, false);
  assert.equal(one.head, 17);
  one.move("ArrowUp", false, false);
  assert.equal(one.head, 7);
  one.move("ArrowUp", false, false);
  assert.equal(one.head, 0);
});

test("a caret never leaves the text", () => {
  const chance = new Chance(4);
  const one = caret(chance.text(20));
  const { length } = one.sentence.offsets;
  for (let turn = 0; turn < 400; turn += 1) {
    one.move(chance.of(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]), chance.below(2) === 1, chance.below(3) === 0);
    for (const at of [one.anchor, one.head]) assert.ok(at >= 0 && at <= length);
  }
  one.set(-5, length + 5);
  assert.deepEqual([one.start, one.end], [0, length]);
});

test("a pulled end takes whole characters and leaves at least one", () => {
  const offsets = new Offsets("甲👩‍👩‍👧乙丙");
  const pulled = (mark, side, point) => {
    const handles = undrawn(Handles, { sentence: { offsets }, mark, pulled: { side }, options: { widened: (span) => span } });
    return handles.pulledTo(point);
  };
  const mark = { start: 6, end: 8, label: "A" };
  assert.deepEqual(pulled(mark, "start", 3), { start: 1, end: 8, label: "A" });
  assert.deepEqual(pulled({ ...mark, start: 0, end: 1 }, "end", 3), { start: 0, end: 6, label: "A" });
  assert.equal(pulled(mark, "start", 8), null);
  assert.equal(pulled(mark, "end", 6), null);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { NO_LABEL_COLOUR, readable } from "../../assets/scripts/page/colour.js";
import { addStroke, chipRoom, sameMark } from "../../assets/scripts/sentence/block.js";
import { deepest, stackRows } from "../../assets/scripts/sentence/stacking.js";
import { Chance } from "./samples.js";

// Marks of a text drawn on a grid of `perLine` letters of width 10; some chips are wider than their lines.
const marks = (chance, count, perLine = 20) =>
  Array.from({ length: count }, () => {
    const { start, end } = chance.span(80, 15);
    const boxes = [];
    for (let line = Math.floor(start / perLine); line * perLine < end; line += 1) {
      const [from, to] = [Math.max(start, line * perLine), Math.min(end, (line + 1) * perLine)];
      boxes.push({ line, left: 10 * (from % perLine), right: 10 * (from % perLine) + 10 * (to - from) });
    }
    const { line, left, right } = boxes[boxes.length - 1];
    const wide = 20 + chance.below(40);
    const from = Math.max(right - wide, left);
    return { start, end, boxes, chip: chance.below(10) ? { line, left: from, right: from + wide } : null };
  });
const meets = (one, other) => one.line === other.line && one.left < other.right && other.left < one.right;
const meet = (a, b) => a.boxes.some((one) => b.boxes.some((other) => meets(one, other)));
const overlap = (a, b) => a.start < b.end && b.start < a.end;

test("no line lies on another, no chip on a chip or under another's line, and of two that overlap the shorter is nearer the text", () => {
  for (let seed = 0; seed < 60; seed += 1) {
    const all = marks(new Chance(seed), 25);
    const places = stackRows(all);
    all.forEach((a, i) => {
      const { row, chipRow } = places[i];
      assert.ok(Number.isInteger(row) && row >= 0 && Number.isInteger(chipRow) && chipRow >= row);
      all.forEach((b, j) => {
        if (i === j) return;
        if (overlap(a, b) || meet(a, b)) assert.notEqual(row, places[j].row, `seed ${seed}`);
        if (overlap(a, b) && a.end - a.start < b.end - b.start) assert.ok(chipRow < places[j].row);
        if (a.chip && b.chip && meets(a.chip, b.chip)) assert.notEqual(chipRow, places[j].chipRow, `chips, seed ${seed}`);
        if (a.chip && b.boxes.some((box) => meets(a.chip, box))) assert.notEqual(chipRow, places[j].row, `chip, seed ${seed}`);
      });
      if (all.every((b) => a === b || !overlap(a, b))) assert.equal(row, 0, `seed ${seed}`);
    });
  }
});

const rows = (all) => stackRows(all).map(({ row, chipRow }) => [row, chipRow]);
const mark = (start, end, line, left, right, chip = null) => ({ start, end, boxes: [{ line, left, right }], chip: chip && { line, left: chip[0], right: chip[1] } });

test("marks that do not meet all lie directly under the text", () => {
  assert.deepEqual(rows([0, 5, 10].map((start) => mark(start, start + 3, 0, 10 * start, 10 * start + 30, [10 * start, 10 * start + 30]))), [[0, 0], [0, 0], [0, 0]]);
  assert.deepEqual(rows([]), []);
});

test("adjacent marks are neighbours, though browsers let the rectangles of their letters overlap by a rounding", () => {
  assert.deepEqual(rows([mark(6, 8, 0, 461.984375, 498), mark(8, 13, 0, 497.984375, 555.96875)]), [[0, 0], [0, 0]]);
  assert.deepEqual(rows([mark(6, 8, 0, 461.984375, 498), mark(7, 13, 0, 480, 555.96875)]), [[0, 0], [1, 1]]);
});

test("a chip wider than its line goes below the line beside it, and only in its line of the text", () => {
  const narrow = mark(0, 1, 0, 0, 10, [0, 40]);
  assert.deepEqual(rows([narrow, mark(1, 6, 0, 10, 60, [20, 60]), mark(2, 3, 1, 10, 20, [10, 50])]), [[0, 1], [0, 0], [0, 0]]);
  assert.deepEqual(rows([narrow, mark(1, 2, 0, 10, 20, [10, 50])]), [[0, 1], [0, 0]]);
  assert.deepEqual(rows([narrow, mark(1, 2, 0, 10, 20, [10, 50]), mark(2, 3, 0, 20, 30, [20, 60])]), [[0, 2], [0, 1], [0, 0]]);
  assert.deepEqual(rows([mark(0, 8, 0, 0, 80), mark(5, 13, 0, 50, 130)]), [[0, 0], [1, 1]], "of one length the first is nearer the text");
  assert.deepEqual(rows([narrow, mark(0, 5, 0, 0, 50, [10, 50])]), [[0, 0], [1, 1]], "a nested mark's chip has the room under it");
});

test("the depth of marks is that of the deepest letter", () => {
  for (let seed = 0; seed < 60; seed += 1) {
    const all = marks(new Chance(seed), 15);
    const naive = Math.max(...Array.from({ length: 80 }, (_, at) => all.filter(({ start, end }) => start <= at && at < end).length));
    assert.equal(deepest(all), naive);
    assert.ok(Math.max(...stackRows(all).map(({ row }) => row)) + 1 >= naive);
  }
  assert.equal(deepest([]), 0);
});

test("a block is drawn again when anything of a mark changes that is seen", () => {
  const mark = { start: 0, end: 2, label: "A", source: "person", score: null, colour: "#111111", name: "A ✎1", also: null, current: false, parts: undefined, relations: undefined };
  assert.equal(sameMark(mark, { ...mark, unseen: 1 }), true);
  for (const field of Object.keys(mark)) assert.equal(sameMark(mark, { ...mark, [field]: "other" }), false, field);
});

test("strokes of one line that touch become one, those that join pieces stay apart", () => {
  const stroke = (left, right, joins = false) => ({ left, right, joins });
  const box = { left: 0, right: 10, strokes: [stroke(0, 10)] };
  addStroke(box, stroke(11, 20));
  addStroke(box, stroke(40, 50));
  addStroke(box, stroke(20, 40, true));
  assert.deepEqual(box.strokes, [stroke(0, 20), stroke(40, 50), stroke(20, 40, true)]);
  assert.deepEqual([box.left, box.right], [0, 50]);
});

test("a chip has a gap behind it where it sticks out of its line", () => {
  assert.equal(chipRoom([{ line: 2, left: 10, right: 50 }]), null);
  assert.equal(chipRoom([]), null);
  assert.deepEqual(chipRoom([{ line: 1, left: 0, right: 90 }, { line: 2, left: 10, right: 50, chipLeft: 20, chipRight: 50 }]), { line: 2, left: 20, right: 50 });
  assert.deepEqual(chipRoom([{ line: 2, left: 30, right: 50, chipLeft: 5, chipRight: 60 }]), { line: 2, left: 5, right: 64 });
});

// WCAG 2.2: the contrast of two colours.
const luminance = (rgb) => {
  const [r, g, b] = rgb.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (one, other) => {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
const channels = (css) => css.match(/\d+/g).map(Number);

test("a label can be read on paper and on its tint in both modes, whatever colour it was given", () => {
  const chance = new Chance(1);
  const hex = () => `#${Array.from({ length: 3 }, () => chance.below(256).toString(16).padStart(2, "0")).join("")}`;
  for (const colour of ["#ffffff", "#000000", "#ffff00", "#777777", ...Array.from({ length: 300 }, hex)]) {
    for (const [dark, paper] of [[false, [255, 255, 255]], [true, [17, 24, 39]]]) {
      const { ink, tint } = readable(colour, dark);
      assert.ok(contrast(channels(ink), paper) >= 4.5, `${colour} on paper, dark ${dark}`);
      assert.ok(contrast(channels(ink), channels(tint)) >= 4.5, `${colour} on its tint, dark ${dark}`);
    }
  }
});

test("what is no colour is drawn in that of a label nobody knows", () => {
  for (const wrong of [undefined, null, "", "red", "#12345", "url(x)"]) assert.deepEqual(readable(wrong, false), readable(NO_LABEL_COLOUR, false));
});

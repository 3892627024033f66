import assert from "node:assert/strict";
import { test } from "node:test";

import { cutBlocks, segmenter } from "../../assets/scripts/text/cuts.js";
import { Offsets } from "../../assets/scripts/text/offsets.js";
import { Chance, PIECES, points } from "./samples.js";

const segments = (offsets, granularity) => offsets.blocks.flatMap((_, at) => offsets.segmentsOf(granularity, at));

test("offsets are those of Python for every unit and every point", () => {
  for (let seed = 0; seed < 6; seed += 1) {
    const text = new Chance(seed).text(300);
    const offsets = new Offsets(text);
    const letters = points(text);
    const units = [0];
    for (const letter of letters) units.push(units[units.length - 1] + letter.length);
    assert.equal(offsets.length, letters.length);
    units.forEach((unit, point) => {
      assert.equal(offsets.toUnit(point), unit);
      assert.equal(offsets.toPoint(unit), point);
      assert.equal(offsets.toPoint(unit, true), point);
      if (letters[point]?.length === 2) {
        assert.equal(offsets.toPoint(unit + 1), point);
        assert.equal(offsets.toPoint(unit + 1, true), point + 1);
      }
    });
  }
});

test("a slice has the letters that Python's slice has", () => {
  const chance = new Chance(3);
  const text = chance.text(200);
  const offsets = new Offsets(text);
  const letters = points(text);
  for (let turn = 0; turn < 500; turn += 1) {
    const [start, end] = [chance.below(letters.length), chance.below(letters.length)].sort((a, b) => a - b);
    assert.equal(offsets.slice(start, end), letters.slice(start, end).join(""));
  }
});

test("what lies outside the text counts as its ends, also where the text is empty", () => {
  for (const text of ["", "a", "𠮷", "𠮷😀"]) {
    const offsets = new Offsets(text);
    for (const beyond of [-5, -1]) assert.deepEqual([offsets.toUnit(beyond), offsets.toPoint(beyond)], [0, 0]);
    assert.deepEqual([offsets.toUnit(99), offsets.toPoint(99)], [text.length, points(text).length]);
  }
});

test("half of a torn pair is one code point, as in Python", () => {
  for (const text of ["a\ud800b", "\udc00a", "a\ud83d", "\udc00\ud800"]) {
    const offsets = new Offsets(text);
    assert.equal(offsets.length, points(text).length);
    for (let at = 0; at <= text.length; at += 1) assert.equal(offsets.toPoint(offsets.toUnit(at)), at);
  }
});

test("blocks are short, lose nothing and cut no character", () => {
  for (let seed = 0; seed < 4; seed += 1) {
    const text = new Chance(seed).text(800);
    const starts = cutBlocks(text);
    const edges = new Set([...segmenter("grapheme").segment(text)].map((piece) => piece.index));
    assert.deepEqual(starts.filter((start) => !edges.has(start)), []);
    assert.equal(starts[0], 0);
    [...starts.slice(1), text.length].forEach((end, at) => {
      assert.ok(end > starts[at]);
      assert.ok(end - starts[at] <= 1000);
    });
  }
});

test("a text without any place to cut is cut all the same, and no pair is torn", () => {
  for (const text of ["x".repeat(5000), "e" + "\u0301".repeat(5000), "😀".repeat(3000), "👩‍👩‍👧".repeat(700)]) {
    const starts = cutBlocks(text);
    const pieces = starts.map((start, at) => text.slice(start, starts[at + 1]));
    assert.ok(pieces.length > 2);
    assert.ok(Math.max(...pieces.map((piece) => piece.length)) <= 1001);
    assert.equal(pieces.join(""), text);
    for (const piece of pieces) assert.ok(!/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(piece));
  }
});

test("blocks begin after line breaks and sentence ends where there are any", () => {
  for (const line of ["甲".repeat(70) + "\n", "乙".repeat(70) + "。", "丙".repeat(67) + "！”」。", "d".repeat(69) + ". "]) {
    const starts = cutBlocks(line.repeat(60));
    assert.ok(starts.length > 4);
    for (const start of starts) assert.equal(start % 71, 0, line);
  }
});

test("a sentence stays in one block", () => {
  assert.deepEqual(cutBlocks(""), [0]);
  assert.deepEqual(cutBlocks("字".repeat(1500)), [0]);
  assert.ok(cutBlocks("字".repeat(1501)).length > 1);
});

test("every code point lies in the block whose number is told", () => {
  const text = new Chance(5).text(1200);
  const offsets = new Offsets(text);
  assert.ok(offsets.blocks.length > 3);
  for (let point = 0; point < offsets.length; point += 7) {
    const at = offsets.blockAt(point);
    assert.ok(offsets.blocks[at] <= point && point < (offsets.blocks[at + 1] ?? offsets.length));
  }
});

test("steps over characters do not depend on the blocks", () => {
  const text = new Chance(9).text(900);
  const offsets = new Offsets(text);
  const edges = [...segmenter("grapheme").segment(text)].map((piece) => offsets.toPoint(piece.index));
  edges.push(offsets.length);
  assert.ok(edges.length > 1000);
  for (let at = 1; at < edges.length; at += 1) {
    const [left, right] = [edges[at - 1], edges[at]];
    assert.equal(offsets.stepBy("grapheme", left, true), right);
    assert.equal(offsets.stepBy("grapheme", right, false), left);
    assert.equal(offsets.whole(left), left);
    for (let inside = left + 1; inside < right; inside += 1) {
      assert.deepEqual([offsets.whole(inside), offsets.whole(inside, true)], [left, right]);
    }
  }
  assert.equal(offsets.stepBy("grapheme", offsets.length, true), offsets.length);
  assert.equal(offsets.stepBy("grapheme", 0, false), 0);
});

test("an end inside a sign takes all of it", () => {
  for (const sign of PIECES.filter((piece) => [...new Intl.Segmenter().segment(piece)].length === 1 && points(piece).length > 1)) {
    const offsets = new Offsets(`甲乙${sign}丙`);
    const { length } = points(sign);
    for (let inside = 1; inside < length; inside += 1) {
      assert.equal(offsets.whole(2 + inside), 2, sign);
      assert.equal(offsets.whole(2 + inside, true), 2 + length, sign);
    }
  }
});

test("characters, words and sentences tile the text or leave out what is none", () => {
  const offsets = new Offsets(new Chance(2).text(400));
  for (const granularity of ["grapheme", "sentence"]) {
    let at = 0;
    for (const [start, end] of segments(offsets, granularity)) {
      assert.equal(start, at);
      assert.ok(end > start);
      at = end;
    }
    assert.equal(at, offsets.length);
  }
  let last = 0;
  for (const [start, end] of segments(offsets, "word")) {
    assert.ok(start >= last && end > start);
    assert.match(offsets.slice(start, end), /[\p{L}\p{N}\p{M}]/u);
    last = end;
  }
});

test("without a segmenter every code point is a piece", () => {
  const own = Intl.Segmenter;
  Intl.Segmenter = undefined;
  try {
    assert.deepEqual(segments(new Offsets("a𠮷b"), "grapheme"), [[0, 1], [1, 2], [2, 3]]);
  } finally {
    Intl.Segmenter = own;
  }
});

test("the longest word of the lattice wins over the words of the language", () => {
  const offsets = new Offsets("𠮷野家在青岛市南区");
  const words = [[4, 6], [4, 7], [5, 7]];
  assert.deepEqual(offsets.wordAt(5, words), [4, 7]);
  const [start, end] = offsets.wordAt(5, []);
  assert.ok(start <= 5 && 5 < end);
});

test("the nearest edge of pieces is found in both directions", () => {
  const chance = new Chance(4);
  const offsets = new Offsets("字".repeat(60));
  const pieces = Array.from({ length: 15 }, () => { const { start, end } = chance.span(60); return [start, end]; });
  const edges = pieces.flat();
  for (let point = 0; point <= 60; point += 1) {
    const after = edges.filter((edge) => edge > point);
    const before = edges.filter((edge) => edge < point);
    assert.equal(offsets.edge(point, true, pieces), after.length ? Math.min(...after) : null);
    assert.equal(offsets.edge(point, false, pieces), before.length ? Math.max(...before) : null);
  }
});

test("each paragraph is read in the direction of its first letter", () => {
  const text = "שלום hello\nhello שלום\n12 مرحبا\n… 34\n青岛 בעיר";
  const offsets = new Offsets(text);
  const expected = [true, false, true, false, false];
  text.split("\n").forEach((line, number) => {
    const start = text.split("\n").slice(0, number).join("\n").length + (number ? 1 : 0);
    for (let at = start; at < start + line.length; at += 1) assert.equal(offsets.rightToLeft(at), expected[number], `${line} ${at}`);
  });
  assert.equal(new Offsets("").rightToLeft(0), false);
});

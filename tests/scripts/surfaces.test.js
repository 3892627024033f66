import assert from "node:assert/strict";
import { test } from "node:test";

import { Offsets } from "../../assets/scripts/text/offsets.js";
import { contextOf, excerpt, isInsideWord, surfaceIn, surfacePlaces, surfaceRows } from "../../assets/scripts/text/surfaces.js";
import { Chance, points } from "./samples.js";

test("every place of a surface is found, none overlapping another or the one that is asked about", () => {
  for (let seed = 0; seed < 30; seed += 1) {
    const chance = new Chance(seed);
    const text = Array.from({ length: 200 }, () => chance.of(["a", "𠮷", "岛"])).join("");
    const offsets = new Offsets(text);
    const letters = points(text);
    const but = chance.span(190, 3);
    const surface = surfaceIn(text, but);
    const naive = [];
    for (const [from, to] of [[0, but.start], [but.end, letters.length]]) {
      for (let at = from; at + points(surface).length <= to; ) {
        const here = letters.slice(at, at + points(surface).length).join("") === surface;
        if (here) naive.push({ start: at, end: at + points(surface).length });
        at += here ? points(surface).length : 1;
      }
    }
    assert.deepEqual(surfacePlaces(offsets, surface, but), naive);
  }
});

test("a surface inside a longer word is known where words have blanks between them", () => {
  const inside = (text, surface) => surfacePlaces(new Offsets(text), surface).map((place) => isInsideWord(new Offsets(text), place));
  assert.deepEqual(inside("art, party, artist art", "art"), [false, true, true, false]);
  assert.deepEqual(inside("в Москве, Москва", "Москв"), [true, true]);
  assert.deepEqual(inside("青岛市青岛", "青岛"), [false, false]);
  assert.deepEqual(inside("東京タワー", "京"), [false]);
  assert.deepEqual(inside("4 of 42", "4"), [false, true]);
  assert.deepEqual(inside("𠮷a𠮷", "a"), [false]);
});

test("a context is what stands around, as far as the text goes, in whole code points", () => {
  const text = "𠮷".repeat(30) + "青岛" + "😀".repeat(3);
  const { before, surface, after } = contextOf(new Offsets(text), { start: 30, end: 32 });
  assert.deepEqual([before, surface, after], ["𠮷".repeat(24), "青岛", "😀😀😀"]);
});

test("an excerpt cuts between code points and says that it cuts", () => {
  assert.equal(excerpt("𠮷𠮷𠮷", 2), "𠮷𠮷…");
  assert.equal(excerpt("𠮷𠮷", 2), "𠮷𠮷");
});

test("spans come together by their surface, the frequent first, with those elsewhere counted", () => {
  const offsets = new Offsets("青岛 上海 青岛 北京");
  const spans = [[0, 2], [3, 5], [6, 8]].map(([start, end]) => ({ start, end, label: "LOC" }));
  const rows = surfaceRows(offsets, spans, [{ surface: "上海", before: "x", after: "y", times: 5 }, { surface: "深圳", before: "去", after: "吧", times: 1 }]);
  assert.deepEqual(rows.map(({ surface, here, there }) => [surface, here.length, there]), [["上海", 1, 5], ["青岛", 2, 0], ["深圳", 0, 1]]);
  assert.deepEqual([rows[2].before, rows[2].after], ["去", "吧"]);
  assert.equal(rows[0].after, " 青岛 北京");
});

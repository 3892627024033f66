import assert from "node:assert/strict";
import { test } from "node:test";

import { Intervals, firstWhere } from "../../assets/scripts/text/intervals.js";
import * as spans from "../../assets/scripts/text/spans.js";
import { Chance } from "./samples.js";

const { byPlace, contradicts, difference, extentOf, isNothing, keysOf, markKey, outermost, patched, sameSpan, spanKey, turned, withoutAll } = spans;

const some = (chance, count, length = 40) => [...new Map(Array.from({ length: count }, () => chance.span(length)).map((span) => [spanKey(span), span])).values()];

test("the first place where something holds is found wherever it lies", () => {
  for (let length = 0; length < 20; length += 1) {
    for (let first = 0; first <= length; first += 1) assert.equal(firstWhere(length, (at) => at >= first), first);
  }
});

test("intervals tell what lies over a stretch like looking at all of them", () => {
  const chance = new Chance(3);
  const all = Array.from({ length: 200 }, (_, number) => ({ ...chance.span(300, 40), number }));
  const index = new Intervals(all);
  for (let start = 0; start < 340; start += 3) {
    const end = start + chance.of([1, 3, 30]);
    const found = index.over(start, end).map((span) => span.number).sort((a, b) => a - b);
    assert.deepEqual(found, all.filter((span) => span.start < end && start < span.end).map((span) => span.number));
  }
});

test("what an edit took away and added leads from one version to the other, and back", () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const chance = new Chance(seed);
    const [before, after] = [some(chance, 12), some(chance, 12)];
    const edit = difference(before, after);
    assert.deepEqual(keysOf(patched(before, edit)), keysOf([...withoutAll(before, keysOf(edit.gone)), ...edit.came]));
    assert.deepEqual([...keysOf(patched(before, edit))].sort(), [...keysOf(after)].sort());
    assert.deepEqual([...keysOf(patched(after, turned(edit)))].sort(), [...keysOf(before)].sort());
    assert.equal(isNothing(difference(before, [...before].reverse())), true);
    for (const gone of edit.gone) assert.ok(!after.some((span) => sameSpan(span, gone)));
  }
});

test("a label with colons keeps its span apart from every other", () => {
  const one = { start: 1, end: 2, label: "3:A" };
  assert.notEqual(spanKey(one), spanKey({ start: 1, end: 2, label: "A" }));
  assert.notEqual(markKey({ ...one, source: "person" }), markKey({ ...one, source: "tagger" }));
});

test("spans stand in the order of their places, the longer first", () => {
  const all = some(new Chance(8), 60);
  const sorted = [...all].sort(byPlace);
  for (let at = 1; at < sorted.length; at += 1) {
    const [a, b] = [sorted[at - 1], sorted[at]];
    assert.ok(a.start < b.start || (a.start === b.start && (a.end > b.end || (a.end === b.end && a.label < b.label))));
  }
});

test("a suggestion is answered by its own place and by a crossing of its label, not by what holds it", () => {
  const span = { start: 2, end: 6, label: "A" };
  const asked = (start, end, label) => contradicts(span, { start, end, label }, true);
  assert.equal(asked(2, 6, "B"), true);
  assert.equal(asked(4, 8, "A"), true);
  assert.equal(asked(4, 8, "B"), false);
  assert.equal(asked(3, 5, "A"), false);
  assert.equal(asked(1, 9, "A"), false);
  assert.equal(asked(2, 4, "A"), true);
  assert.equal(asked(6, 8, "A"), false);
});

test("in a flat project every span that overlaps a suggestion answers it", () => {
  const span = { start: 2, end: 6, label: "A" };
  const asked = (start, end) => contradicts(span, { start, end, label: "B" }, false);
  assert.deepEqual([asked(2, 6), asked(3, 5), asked(1, 9), asked(5, 8), asked(0, 3)], [true, true, true, true, true]);
  assert.deepEqual([asked(6, 8), asked(0, 2)], [false, false]);
});

test("of overlapping spans the longest stays, then the likeliest, then the first", () => {
  const naive = (given) => {
    const kept = [];
    const rank = (a, b) => b.end - b.start - (a.end - a.start) || (b.score ?? 0) - (a.score ?? 0) || byPlace(a, b);
    for (const span of [...given].sort(rank)) if (!kept.some((other) => other.start < span.end && span.start < other.end)) kept.push(span);
    return kept.sort(byPlace);
  };
  const school = { start: 0, end: 4, label: "ORG", score: 0.2 };
  assert.deepEqual(outermost([{ start: 2, end: 4, label: "EDU", score: 0.9 }, school]), [school]);
  const likely = { start: 1, end: 3, label: "A", score: 0.9 };
  assert.deepEqual(outermost([{ start: 0, end: 2, label: "A", score: 0.4 }, likely]), [likely]);
  for (let seed = 0; seed < 20; seed += 1) {
    const chance = new Chance(seed);
    const given = Array.from({ length: 60 }, () => ({ ...chance.span(200), score: chance.of([null, 0.3, 0.6]) }));
    assert.deepEqual(outermost(given), naive(given));
  }
});

test("pieces reach from the first to the furthest end", () => {
  assert.deepEqual(extentOf([[3, 9], [4, 5]]), { start: 3, end: 9 });
});

test("another link is a difference, and goes there and back", () => {
  const plain = { start: 0, end: 2, label: "A" };
  const linked = { ...plain, link: { id: "Q1" } };
  assert.ok(isNothing(difference([linked], [{ ...plain, link: { id: "Q1", name: "", source: "" } }])));
  const edit = difference([plain], [linked]);
  assert.deepEqual(patched([plain], edit), [linked]);
  assert.deepEqual(patched([linked], turned(edit)), [plain]);
});

import assert from "node:assert/strict";
import { test } from "node:test";

import { countsByMark, openOnes, withWaiting } from "../../assets/scripts/annotator/state/comments.js";
import { mergedVersion, relabelled, withoutGoneLabels } from "../../assets/scripts/annotator/state/decisions.js";
import { gapsBetween, annotatedBack, annotatedChange, lengthOf } from "../../assets/scripts/text/regions.js";
import { difference, keysOf, spanKey } from "../../assets/scripts/text/spans.js";
import { DifferenceRow } from "../../assets/scripts/review/difference.js";
import { undrawn } from "./fakes.js";
import { Chance } from "./samples.js";

const span = (start, end, label = "A") => ({ start, end, label });
const keys = (spans) => spans.map(spanKey).sort();
const some = (chance, count) => [...new Map(Array.from({ length: count }, () => chance.span(30, 4)).map((one) => [spanKey(one), one])).values()];

test("two versions merged hold what both have and what was chosen, and reject no span", () => {
  for (let seed = 0; seed < 40; seed += 1) {
    const chance = new Chance(seed);
    const [mine, theirs] = [0, 1].map(() => ({ spans: some(chance, 10), rejected: some(chance, 6) }));
    const { gone, came } = difference(mine.spans, theirs.spans);
    const chosen = [...gone, ...came].filter(() => chance.below(2));
    const merged = mergedVersion(mine, theirs, chosen);
    const common = mine.spans.filter((one) => keysOf(theirs.spans).has(spanKey(one)));
    assert.deepEqual(keys(merged.spans), keys([...common, ...chosen]));
    const refused = new Set([...keys(mine.rejected), ...keys(theirs.rejected)].filter((key) => !keysOf(merged.spans).has(key)));
    assert.deepEqual(new Set(keys(merged.rejected)), refused);
    assert.equal(keys(merged.rejected).length, refused.size);
    assert.equal(merged.action, "merge");
  }
});

test("spans of a label that is gone take the label in its place or go, and none stands twice", () => {
  const edit = { spans: [span(0, 1, "old"), span(0, 1, "new"), span(2, 3, "dead"), span(4, 5, "kept")], rejected: [span(6, 7, "old"), span(8, 9, "dead"), span(0, 1, "new")] };
  const { spans, rejected } = withoutGoneLabels(edit, { old: "new", dead: "" });
  assert.deepEqual(keys(spans), keys([span(0, 1, "new"), span(4, 5, "kept")]));
  assert.deepEqual(keys(rejected), keys([span(6, 7, "new")]));
});

test("a label with the name of something every object has is no label that is gone", () => {
  const edit = { spans: [span(0, 1, "constructor")], rejected: [span(2, 3, "toString")] };
  assert.deepEqual(withoutGoneLabels(edit, { A: "B" }), edit);
});

test("spans under another label lose the old one; where the label goes the tagger is told no", () => {
  const now = { spans: [span(0, 1), span(2, 3), span(2, 3, "B")], rejected: [span(0, 1, "B")], suggestions: [{ ...span(0, 1), source: "tagger", score: 1 }] };
  const renamed = relabelled(now, [span(0, 1), span(2, 3)], "B");
  assert.deepEqual(keys(renamed.spans), keys([span(0, 1, "B"), span(2, 3, "B")]));
  assert.deepEqual(renamed.rejected, []);
  const removed = relabelled(now, [span(0, 1)], null);
  assert.deepEqual(keys(removed.spans), keys([span(2, 3), span(2, 3, "B")]));
  assert.deepEqual(removed.rejected, [span(0, 1, "B"), span(0, 1)]);
});

test("what waits to be sent is shown as done already", () => {
  const known = [{ id: 1, text: "a", resolved: false, trashed: false }, { id: 2, text: "b", resolved: true, trashed: false }];
  const order = (name, payload) => ({ name, payload: { document: 7, ...payload } });
  const shown = withWaiting(known, [
    order("set_comment", { comment: 1, state: "resolved" }), order("set_comment", { comment: 2, state: "open" }), order("set_comment", { comment: 2, state: "trashed" }),
    order("add_comment", { client_edit: "x", text: "c", start: 0, end: 1 }), order("set_comment", { comment: 99, state: "open" }),
    { name: "add_comment", payload: { document: 8, client_edit: "y", text: "elsewhere" } },
  ], 7);
  assert.deepEqual(shown.map(({ text, resolved, trashed }) => [text, resolved, trashed]), [["a", true, false], ["b", false, true], ["c", false, false]]);
  assert.deepEqual(openOnes(shown).map(({ text, unsent }) => [text, unsent]), [["c", true]]);
  assert.equal(known[0].resolved, false);
});

test("a comment belongs to the mark on its stretch, else to the one that shares most of it", () => {
  const [inner, outer, other, beside] = [span(2, 4), span(0, 8), span(2, 4, "B"), span(20, 22)];
  const counts = (comment) => countsByMark([comment], [outer, inner, other, beside]);
  assert.deepEqual([...counts({ start: 2, end: 4, label: "B" })], [[other, 1]]);
  assert.deepEqual([...counts({ start: 2, end: 4, label: "A" })], [[inner, 1]]);
  assert.deepEqual([...counts({ start: 0, end: 7, label: "Z" })], [[outer, 1]]);
  assert.equal(counts({ start: 10, end: 12 }).size, 0);
  assert.equal(counts({ start: null, end: null }).size, 0);
  assert.equal(countsByMark([{ start: 2, end: 4 }, { start: 3, end: 4 }], [inner]).get(inner), 2);
});

// Regions as a set of characters.
const covered = (regions, length) => Array.from({ length }, (_, at) => regions.some(([start, end]) => start <= at && at < end));
const randomRegions = (chance, length) => {
  const cuts = [...new Set(Array.from({ length: 8 }, () => chance.below(length + 1)))].sort((a, b) => a - b);
  return cuts.flatMap((from, at) => (at % 2 === 0 && cuts[at + 1] ? [[from, cuts[at + 1]]] : []));
};

test("gaps are what regions leave, and the gaps of gaps are the regions", () => {
  for (let seed = 0; seed < 100; seed += 1) {
    const chance = new Chance(seed);
    const regions = randomRegions(chance, 30);
    const gaps = gapsBetween(regions, 0, 30);
    assert.deepEqual(covered(gaps, 30), covered(regions, 30).map((inside) => !inside));
    for (const [from, to] of gaps) assert.ok(from < to);
    const [start, end] = [chance.below(15), 15 + chance.below(15)];
    assert.deepEqual(covered(gapsBetween(regions, start, end), 30), covered(regions, 30).map((inside, at) => !inside && at >= start && at < end));
  }
});

test("a change of what was looked at and the way back lead to where it began", () => {
  const apply = (seen, changes) => seen.map((before, at) => changes.reduce((now, { start, end, annotated }) => (start <= at && at < end ? annotated : now), before));
  for (let seed = 0; seed < 200; seed += 1) {
    const chance = new Chance(seed);
    const regions = randomRegions(chance, 30);
    const start = chance.below(29);
    const change = { start, end: start + 1 + chance.below(30 - start), annotated: chance.below(2) === 1 };
    const before = covered(regions, 30);
    assert.deepEqual(apply(apply(before, [change]), annotatedBack(regions, change)), before);
  }
});

test("one press marks up to the caret, the same place again takes it back, inside it goes only up to here", () => {
  const caret = (at) => ({ start: at, end: at });
  assert.deepEqual(annotatedChange([], caret(10)), { start: 0, end: 10, annotated: true });
  assert.deepEqual(annotatedChange([[0, 10]], caret(10)), { start: 0, end: 10, annotated: false });
  assert.deepEqual(annotatedChange([[0, 10]], caret(4)), { start: 4, end: 10, annotated: false });
  assert.deepEqual(annotatedChange([[0, 10]], caret(14)), { start: 0, end: 14, annotated: true });
  assert.deepEqual(annotatedChange([[0, 10]], { start: 8, end: 14 }), { start: 8, end: 14, annotated: true });
  assert.deepEqual(annotatedChange([[0, 10]], { start: 2, end: 6 }), { start: 2, end: 6, annotated: false });
});

test("regions are as long as all of them together", () => {
  assert.equal(lengthOf([[0, 500], [700, 1000]]), 800);
  assert.equal(lengthOf([]), 0);
});

test("a reviewer's decision names what is accepted and all that is refused with it", () => {
  const decided = [];
  const row = (candidates) => undrawn(DifferenceRow, { difference: { candidates }, options: { decide: (...given) => decided.push(given), takeBack: (spans) => decided.push([spans]) } });
  const one = { ...span(0, 2), proposed: true, verdict: "", voters: ["a"] };
  const other = { ...span(0, 3), proposed: false, verdict: "", voters: ["b"] };
  const settled = { ...span(0, 4), proposed: false, verdict: "refused", voters: [] };
  const difference = row([one, other, settled]);
  difference.accept(1);
  difference.accept(7);
  difference.refuse();
  difference.acceptProposal();
  difference.takeBack();
  assert.deepEqual(decided, [
    [[span(0, 3)], [span(0, 2), span(0, 4)]],
    [[], [span(0, 2), span(0, 3), span(0, 4)]],
    [[span(0, 2)], [span(0, 3)]],
    [[span(0, 2), span(0, 3), span(0, 4)]],
  ]);
});

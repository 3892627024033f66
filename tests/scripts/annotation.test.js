import assert from "node:assert/strict";
import { test } from "node:test";

import { Annotation } from "../../assets/scripts/annotator/state/annotation.js";
import { Attached } from "../../assets/scripts/annotator/state/attached.js";
import { agreement, describeSuggestion, everySource, isShown, merged, withoutRivals } from "../../assets/scripts/annotator/state/suggested.js";
import { contradicts, sameSpan, spanKey } from "../../assets/scripts/text/spans.js";
import { Chance } from "./samples.js";

const annotation = (given = {}) => new Annotation({ id: 1, text: "字".repeat(200), spans: [], rejected: [], suggestions: [], status: "new", nested: true, ...given });
const span = (start, end, label = "A") => ({ start, end, label });
const keys = (spans) => spans.map(spanKey).sort();
const tagger = (given) => ({ source: "tagger", score: 0.5, ...given });

test("open suggestions are those no answer contradicts", () => {
  const chance = new Chance(5);
  const some = (count) => [...new Map(Array.from({ length: count }, () => chance.span(200)).map((one) => [spanKey(one), one])).values()];
  const state = { spans: some(80), rejected: some(80), suggestions: some(300).map(tagger) };
  for (const nested of [true, false]) {
    const found = keys(annotation({ ...state, nested }).open(everySource()));
    const naive = state.suggestions.filter(
      (one) => !state.rejected.some((other) => sameSpan(other, one)) && !state.spans.some((other) => contradicts(other, one, nested)),
    );
    assert.deepEqual(found, keys(naive));
    assert.ok(found.length > 0 && found.length < 300);
  }
});

test("undo walks back through every state and redo forth", () => {
  const suggestions = Array.from({ length: 40 }, (_, at) => tagger(span(at * 3, at * 3 + 2)));
  const one = annotation({ suggestions });
  const chance = new Chance(7);
  const shown = () => JSON.stringify([one.spans, keys(one.rejected)]);
  const states = [shown()];
  for (let edit = 0; edit < 300; edit += 1) {
    const own = one.spans[chance.below(one.spans.length || 1)];
    const kind = chance.below(6);
    const changed =
      kind === 0 ? one.accept([chance.of(suggestions), chance.of(suggestions)])
      : kind === 1 ? one.reject(chance.of(suggestions))
      : kind === 2 ? own && one.remove(own)
      : kind === 3 ? own && one.correct(own, { ...own, label: "B" })
      : kind === 4 ? one.add(chance.span(200))
      : one.take({ spans: one.spans.slice(1), rejected: [] });
    if (changed) states.push(shown());
  }
  assert.ok(states.length > 100);
  for (let at = states.length - 2; at >= 0; at -= 1) {
    assert.equal(one.undo(), true);
    assert.equal(shown(), states[at]);
  }
  assert.equal(one.undo(), false);
  for (let at = 1; at < states.length; at += 1) {
    assert.equal(one.redo(), true);
    assert.equal(shown(), states[at]);
  }
  assert.equal(one.redo(), false);
});

test("a flat project accepts the longest of overlapping suggestions, and tells what a span overlaps", () => {
  const suggestions = [tagger(span(0, 4, "ORG")), tagger(span(2, 4, "EDU")), tagger(span(6, 8))];
  const view = everySource();
  assert.equal(annotation({ suggestions }).acceptable(view).length, 3);
  const flat = annotation({ suggestions, nested: false });
  assert.equal(flat.open(view).length, 3);
  assert.deepEqual(keys(flat.acceptable(view)), keys([span(0, 4, "ORG"), span(6, 8)]));
  flat.accept(flat.acceptable(view));
  assert.deepEqual(flat.open(view), []);
  assert.deepEqual(flat.overlapped(span(3, 7, "B")), [span(0, 4, "ORG"), span(6, 8)]);
  assert.deepEqual(flat.overlapped(span(0, 5, "ORG"), span(0, 4, "ORG")), []);
  assert.deepEqual(flat.overlapped(span(4, 6)), []);
  assert.deepEqual(annotation({ spans: [span(0, 4)] }).overlapped(span(1, 2)), []);
  flat.add(span(3, 7, "B"), flat.overlapped(span(3, 7, "B")));
  assert.deepEqual(flat.spans, [span(3, 7, "B")]);
  flat.undo();
  assert.deepEqual(keys(flat.spans), keys([span(0, 4, "ORG"), span(6, 8)]));
});

test("an edit that changes nothing is no step, and a new edit ends what could be done again", () => {
  const one = annotation({ spans: [span(1, 2)] });
  assert.equal(one.add(span(1, 2)), false);
  assert.equal(one.past.length, 0);
  one.add(span(3, 4));
  one.undo();
  one.add(span(5, 6));
  assert.equal(one.redo(), false);
  assert.deepEqual(keys(one.spans), keys([span(1, 2), span(5, 6)]));
});

test("deleting what the tagger says too is a no to the tagger, another deletion is none", () => {
  const one = annotation({ spans: [span(1, 3), span(5, 7)], suggestions: [tagger(span(1, 3))] });
  one.remove(span(1, 3));
  one.remove(span(5, 7));
  assert.deepEqual(keys(one.rejected), keys([span(1, 3)]));
  assert.deepEqual(one.open(everySource()), []);
});

test("to accept what was rejected takes the no back", () => {
  const one = annotation({ rejected: [span(1, 3)], suggestions: [tagger(span(1, 3))] });
  assert.equal(one.rejects(span(1, 3)), true);
  one.accept([tagger(span(1, 3))]);
  assert.deepEqual([one.rejected, one.has(span(1, 3))], [[], true]);
});

test("a correction puts one span in the place of another, once", () => {
  const one = annotation({ spans: [span(1, 3), span(1, 4)] });
  one.correct(span(1, 3), span(1, 4));
  assert.deepEqual(keys(one.spans), keys([span(1, 4)]));
});

test("a boundary moves by one code point as far as the text and the span go", () => {
  const one = annotation({ text: "甲𠮷😀丁" });
  assert.equal(one.length, 4);
  assert.deepEqual(one.nudged(span(1, 2), "end", 1), span(1, 3));
  assert.equal(one.nudged(span(0, 2), "start", -1), null);
  assert.equal(one.nudged(span(2, 4), "end", 1), null);
  assert.equal(one.nudged(span(1, 2), "start", 1), null);
  assert.equal(one.nudged(span(1, 2), "end", -1), null);
});

test("a step that changes no span here is undone like the others", () => {
  const one = annotation();
  one.add(span(0, 1));
  one.noted({ annotated: { back: [], again: [] } });
  assert.equal(one.past.length, 2);
  one.undo();
  assert.deepEqual(keys(one.spans), keys([span(0, 1)]));
});

test("sources that say the same are one mark, in the order of precedence", () => {
  const said = [
    { ...span(0, 2), source: "dictionary", score: null }, { ...span(0, 2), source: "tagger", score: 0.9 },
    { ...span(0, 2), source: "tagger", score: 0.9 }, { ...span(4, 6), source: "pattern", score: null },
  ];
  const marks = merged(said, everySource());
  assert.equal(marks.length, 2);
  assert.equal(marks[0].source, "tagger");
  assert.deepEqual(marks[0].sources.map(({ source }) => source), ["tagger", "dictionary"]);
  const say = (key, values = {}) => `${key}${Object.values(values).length ? `(${Object.values(values).join()})` : ""}`;
  assert.equal(agreement(say, marks[0]), "annotate.initial.tagger+annotate.initial.dictionary");
  assert.equal(agreement(say, marks[1]), null);
  assert.match(describeSuggestion(say, marks[0], "青岛"), /^annotate\.mark\.several\(A,青岛,.*tagger \.90annotate\.and.*dictionary/);
  assert.equal(describeSuggestion(say, { ...marks[1], sources: undefined }, "甲"), "annotate.mark.pattern(A,甲,annotate.no_score)");
});

test("a source is shown while it is on and reaches its threshold; without a number it always does", () => {
  const view = { tagger: { on: true, threshold: 0.5 }, earlier: { on: false, threshold: 0 } };
  assert.equal(isShown({ source: "tagger", score: 0.5 }, view), true);
  assert.equal(isShown({ source: "tagger", score: 0.49 }, view), false);
  assert.equal(isShown({ source: "tagger", score: null }, view), true);
  assert.equal(isShown({ source: "earlier", score: 1 }, view), false);
  assert.equal(isShown({ source: "pattern", score: 1 }, view), false);
});

test("sources without context give way to what stands in front of them and to their own longer words", () => {
  const naive = (marks) => {
    const order = ["tagger", "earlier", "dictionary", "pattern"];
    const sorted = [...marks].sort((a, b) => order.indexOf(a.source) - order.indexOf(b.source) || b.end - b.start - (a.end - a.start) || a.start - b.start);
    const kept = [];
    for (const mark of sorted) {
      const loses = ["earlier", "dictionary"].includes(mark.source) && kept.some((other) => other.label === mark.label && contradicts(other, mark, true));
      if (!loses) kept.push(mark);
    }
    return marks.filter((mark) => kept.includes(mark));
  };
  for (let seed = 0; seed < 20; seed += 1) {
    const chance = new Chance(seed);
    const found = new Map();
    for (let at = 0; at < 120; at += 1) {
      const one = { ...chance.span(300, chance.of([3, 12, 150])), source: chance.of(["tagger", "earlier", "dictionary", "pattern"]) };
      found.set(spanKey(one), one);
    }
    const marks = [...found.values()];
    assert.deepEqual(withoutRivals(marks, true), naive(marks));
  }
});

test("what came with the import is shown in pieces, in chains, and its relations know whether their ends stand", () => {
  const attached = new Attached({
    discontinuous: [{ parts: [[0, 2], [5, 6]], label: "ORG" }],
    chains: [{ links: [[8, 9], [1, 2]] }],
    relations: [
      { type: "late", from: [9, 10, "PER"], to: [0, 6, "ORG"] },
      { type: "early", from: [0, 6, "ORG"], to: [7, 8, "LOC"] },
    ],
  });
  const [piece, chain] = attached.marks((key, { number }) => `${key} ${number}`, (label) => `#${label}`);
  assert.deepEqual([piece.start, piece.end, piece.source, piece.colour], [0, 6, "discontinuous", "#ORG"]);
  assert.deepEqual([chain.start, chain.end, chain.parts, chain.label], [1, 9, [[1, 2], [8, 9]], "annotate.chain 1"]);
  const among = attached.relationsAmong([span(7, 8, "LOC")]);
  assert.deepEqual(among.map(({ type, from, to }) => [type, from.stands, to.stands]), [["early", true, true], ["late", false, true]]);
  assert.deepEqual(new Attached().relationsAmong([]), []);
});

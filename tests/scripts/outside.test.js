// Others' taggers among the sources of suggestions: a name of their own, after all others.

import assert from "node:assert/strict";
import test from "node:test";

import { agreement, describeSuggestion, merged, namedSource, withoutRivals } from "../../assets/scripts/annotator/state/suggested.js";

const say = (key, values = {}) => `${key}(${Object.values(values).join(",")})`;
const view = { "outside-1-5": { on: true, threshold: 0.5, name: "LAC" }, tagger: { on: true, threshold: 0 }, dictionary: { on: true, threshold: 0 } };
const span = (source, score, start = 0, end = 2) => ({ start, end, label: "A", source, score });

test("another tagger comes after the own ones and is called by its name", () => {
  const marks = merged([span("outside-1-5", 0.9), span("tagger", 0.8), span("outside-1-5", 0.4, 5, 6), span("outside-1-5", 0.6, 7, 8)], view);
  assert.deepEqual(marks.map(({ source, start }) => [source, start]), [["tagger", 0], ["outside-1-5", 7]]);
  assert.equal(agreement(say, marks[0]), "annotate.initial.tagger()+L");
  assert.equal(namedSource(say, marks[1].sources[0]), "LAC .60");
  assert.match(describeSuggestion(say, marks[1], "青岛"), /^annotate\.mark\.outside\(A,青岛,LAC/);
});

test("what knows no context does not stand in the way of the tagger, and another tagger is no such source", () => {
  const marks = merged([span("dictionary", 1, 0, 3), span("tagger", 0.8, 1, 4), span("outside-1-5", 0.9, 2, 6)], view);
  assert.deepEqual(withoutRivals(marks, false).map(({ source }) => source), ["tagger", "outside-1-5"]);
});

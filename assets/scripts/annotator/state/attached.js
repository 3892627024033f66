// What came with a document's import beside its spans, shown and not edited: spans of several pieces, chains of places that
// name one thing, relations between spans.

import { extentOf, keysOf, spanKey } from "../../text/spans.js";

export class Attached {
  constructor({ discontinuous = [], chains = [], relations = [] } = {}) {
    this.inPieces = discontinuous.map(({ parts, label }) => ({ ...extentOf(parts), parts, label }));
    this.chains = chains;
    this.relations = [...relations].sort((a, b) => a.from[0] - b.from[0] || a.to[0] - b.to[0]);
  }

  // Spans in pieces and chains as marks; colour(label) -> its colour.
  marks(say, colour) {
    const pieces = this.inPieces.map((span) => ({ ...span, source: "discontinuous" }));
    const chains = this.chains.map(({ links }, place) => {
      const parts = links.map(([start, end]) => [start, end]).sort((one, other) => one[0] - other[0] || one[1] - other[1]);
      return { ...extentOf(parts), parts, label: say("annotate.chain", { number: place + 1 }), source: "chain" };
    });
    return [...pieces, ...chains].map((mark) => ({ ...mark, score: null, colour: colour(mark.label) }));
  }

  // The relations with their two ends; an end `stands` while it is a span of the document, whether whole or in pieces.
  relationsAmong(spans) {
    if (!this.relations.length) return [];
    const whole = keysOf(spans);
    const pieces = new Map(this.inPieces.map((span) => [spanKey(span), span]));
    const end = ([start, stop, label]) => {
      const plain = { start, end: stop, label };
      const key = spanKey(plain);
      const span = whole.has(key) ? plain : (pieces.get(key) ?? plain);
      return { ...span, stands: whole.has(key) || pieces.has(key), source: span.parts ? "discontinuous" : "person" };
    };
    return this.relations.map(({ type, from, to }) => ({ type, from: end(from), to: end(to) }));
  }
}

// A tagged sentence that a person corrects where it stands: the annotation of its document, and what of both is drawn.

import { Annotation } from "../annotator/state/annotation.js";
import { contradicts, plainSpan, sameSpan, spanKey } from "../text/spans.js";

const shifted = (span, by) => ({ ...span, start: span.start + by, end: span.end + by });

export class Correction {
  // document: as the app tells it, null for a sentence that is none yet; start: where the sentence begins in it; spans: as the
  // tagger predicts them in the sentence. decided: the spans that the person has said something about here. Without those the
  // sentence stays as the tagger sees it, whatever its document says.
  constructor({ document, text, start, nested, spans, decided = new Set() }) {
    const suggestions = spans.map((span) => ({ ...shifted(span, start), source: "tagger" }));
    const fresh = { id: null, text, spans: [], rejected: [], status: "new", revision: 0 };
    this.annotation = new Annotation({ ...fresh, ...document, suggestions, nested });
    this.start = start;
    this.end = start + [...text].length;
    this.revision = document?.revision ?? 0;
    this.added = false; // whether the document is one because of a correction
    this.decided = decided;
    this.replaced = new Map(); // predictions by key -> the key of what the person put in their place
  }

  get document() {
    return this.annotation.id;
  }

  // Whether this is still what the app says of the document.
  fits(document) {
    return this.document === (document?.id ?? null) && this.revision === (document?.revision ?? 0);
  }

  // A span of the sentence in the document.
  placed(span) {
    return shifted(span, this.start);
  }

  // What is drawn, in the sentence.
  get marks() {
    const { annotation, decided } = this;
    const said = annotation.spans.filter((span) => decided.has(spanKey(span)) && span.start >= this.start && span.end <= this.end);
    const standing = new Set(said.map(spanKey));
    const isOpen = (span) => {
      const key = spanKey(span);
      if ((decided.has(key) && annotation.rejects(span)) || standing.has(this.replaced.get(key))) return false;
      return !said.some((other) => contradicts(other, span, annotation.nested));
    };
    const marks = [...said.map((span) => ({ ...span, source: "person", score: null })), ...annotation.suggestions.filter(isOpen)];
    return marks.map((mark) => shifted(mark, -this.start));
  }

  // In a flat project, the annotated spans that `span` would overlap in place of `mark`.
  overlapped(span, mark = null) {
    return this.annotation.overlapped(span, mark);
  }

  // `span` in place of `mark` (null: a new one) and of the spans it overlaps. Returns whether that says anything new. Where the
  // document is annotated so already, the prediction is refused.
  put(mark, span, gone = []) {
    this.decide(span);
    const { annotation } = this;
    if (!mark) return annotation.add(plainSpan(span), gone);
    this.decide(mark);
    this.follow(mark, span);
    if (annotation.correct(plainSpan(mark), plainSpan(span), gone)) return true;
    return mark.source === "tagger" && !sameSpan(mark, span) && annotation.reject(mark);
  }

  // A prediction stays away as long as what was put in its place, however often that is changed.
  follow(mark, span) {
    const [from, to] = [spanKey(mark), spanKey(span)];
    for (const [prediction, stands] of this.replaced) if (stands === from) this.replaced.set(prediction, to);
    if (mark.source === "tagger" && from !== to) this.replaced.set(from, to);
  }

  remove(mark) {
    this.decide(mark);
    return this.annotation.remove(plainSpan(mark));
  }

  undo() {
    return this.annotation.undo();
  }

  get canUndo() {
    return this.annotation.past.length > 0;
  }

  decide(span) {
    this.decided.add(spanKey(span));
  }

  saved({ document, revision, added, discarded }) {
    Object.assign(this, { revision, added: (this.added || added) && !discarded });
    this.annotation.id = discarded ? null : document;
  }
}

// The spans of a document that a person has said something about, by key.
export const saidOf = ({ spans, rejected }) => [...spans, ...rejected].map(spanKey);

// What the ledger recorded of an edit that put `after` in place of `before`; either may be null.
export const claimOf = (claims, before, after) => {
  const same = (one, other) => (one && other ? sameSpan(one, other) : !one && !other);
  if (!after) return claims.find((claim) => before && claim.before && sameSpan(claim.before, before)) ?? null;
  return claims.find((claim) => same(claim.before, before) && same(claim.after, after)) ?? claims.find((claim) => same(claim.after, after)) ?? null;
};

// The sentence that tells what was stored. answer: of the app.
export const toldOf = (say, did, claim, answer, run) => {
  if (answer.discarded) return say("correct.discarded", { did });
  const told = !answer.gold
    ? say("correct.own", { did })
    : !claim
      ? say("correct.stored", { did })
      : say(claim.kind === "confirmed" ? "correct.confirmed" : "correct.correction", { did, run });
  return answer.added ? say("correct.added", { told }) : told;
};

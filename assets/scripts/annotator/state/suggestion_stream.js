// The open suggestions of the queue one after another: documents read ahead, what has been answered, and the way back.

import { byPlace, spanKey } from "../../text/spans.js";
import { Offsets } from "../../text/offsets.js";
import { pieceAt } from "../selecting/granularity.js";
import { Annotation } from "./annotation.js";

const AHEAD = 400; // documents that are kept; where fewer than half of them have suggestions left, more are read
const MOST_BACK = 200; // answers that can be taken back
const LONGEST_SENTENCE = 400; // code points; of a longer one the surroundings of the suggestion are shown
const AROUND = 150;

// The sentence of a span as {start, end}, without the blanks around it, and at which ends it was cut.
export const sentenceOf = (offsets, span) => {
  const whole = {
    start: Math.min(span.start, pieceAt(offsets, span.start, "sentence", [])[0]),
    end: Math.max(span.end, pieceAt(offsets, Math.max(span.start, span.end - 1), "sentence", [])[1]),
  };
  let { start, end } = whole;
  if (end - start > LONGEST_SENTENCE) {
    start = offsets.whole(Math.max(start, span.start - AROUND));
    end = offsets.whole(Math.min(end, span.end + AROUND), true);
  }
  const cut = { before: start > whole.start, after: end < whole.end };
  const text = offsets.slice(start, end);
  const blanks = (pattern) => [...(text.match(pattern)?.[0] ?? "")].length;
  return { start: Math.min(span.start, start + blanks(/^\s+/u)), end: Math.max(span.end, end - blanks(/\s+$/u)), cut };
};

export class SuggestionStream {
  // options: read(after) -> promise of {ok, documents, after}; view(): which sources are shown, from which confidence on;
  // arrived(entry): a document has been read; changed(): there is more to show.
  constructor(options) {
    this.options = options;
    this.asked = 0;
    this.clear(false);
  }

  // leastConfident: in order of confidence, else in the order of the queue and of the text.
  clear(leastConfident, counts = { accepted: 0, rejected: 0, skipped: 0 }) {
    this.forget();
    this.counts = { ...counts, skipped: 0 };
    this.leastConfident = leastConfident;
    this.after = null; // the last document that was looked at
    this.atEnd = false;
    this.reading = false;
    this.failed = false;
  }

  // What has been read, and with it the way back.
  forget() {
    this.asked += 1; // what is on its way belongs to what was
    this.entries = []; // {answer, annotation, skipped}, in the order they were read
    this.answers = []; // {entry, span, kind}, the last one last
    this.held = null; // {entry, span}: the suggestion that is shown
  }

  // Reads ahead as far as is kept.
  async fill() {
    if (this.reading) return;
    const asked = this.asked;
    this.reading = true;
    this.failed = false;
    while (!this.atEnd && (this.entries.length < AHEAD || !this.current)) {
      const answer = await this.options.read(this.after);
      if (asked !== this.asked) return;
      this.failed = !answer.ok;
      if (this.failed) break;
      for (const state of answer.documents) if (this.find(state.document.id) < 0) this.add(state);
      this.after = answer.after;
      this.atEnd = answer.after === null;
      this.options.changed();
    }
    this.reading = false;
    this.options.changed();
  }

  find(id) {
    return this.entries.findIndex(({ answer }) => answer.document.id === id);
  }

  add(state) {
    const { document: found, suggestions, nested } = state;
    const known = this.find(found.id);
    const entry = { answer: state, annotation: new Annotation({ ...found, suggestions, nested }), skipped: this.entries[known]?.skipped ?? new Set() };
    this.entries.splice(known < 0 ? this.entries.length : known, known < 0 ? 0 : 1, entry);
    this.options.arrived(entry);
    return entry;
  }

  // A document that was opened, as the app has it now, is where the stream goes on. What was answered there is undone in its text.
  goTo(state) {
    const entry = this.add(state);
    this.answers = this.answers.filter((answer) => answer.entry.answer.document.id !== state.document.id);
    entry.skipped.clear();
    const span = [...this.open(entry)].sort(byPlace)[0];
    if (span) this.held = { entry, span };
    return entry;
  }

  open({ annotation, skipped }) {
    const open = annotation.open(this.options.view());
    return skipped.size ? open.filter((span) => !skipped.has(spanKey(span))) : open;
  }

  // What is asked now as {entry, span}; null at the end, and while the first documents are read. It stays until it is answered,
  // whatever is read meanwhile.
  get current() {
    const { held } = this;
    const stands = held && this.open(held.entry).find((span) => spanKey(span) === spanKey(held.span));
    this.held = stands ? { entry: held.entry, span: stands } : this.next();
    return this.held;
  }

  // A document that was begun is finished first, unless confidence decides.
  next() {
    const waiting = this.entries.flatMap((entry) => {
      const open = this.open(entry);
      return open.length ? [{ entry, open }] : [];
    });
    if (!waiting.length) return null;
    if (!this.leastConfident) {
      const { entry, open } = waiting.find(({ entry }) => entry === this.held?.entry) ?? waiting[0];
      return { entry, span: [...open].sort(byPlace)[0] };
    }
    const score = ({ span }) => span.score ?? 1;
    const all = waiting.flatMap(({ entry, open }) => open.map((span) => ({ entry, span })));
    return all.reduce((least, one) => (score(one) < score(least) ? one : least));
  }

  // kind: accepted, rejected or skipped; what was accepted or rejected has been edited in its annotation.
  answered(kind) {
    const { entry, span } = this.held;
    if (kind === "skipped") entry.skipped.add(spanKey(span));
    this.answers = [...this.answers.slice(1 - MOST_BACK), { entry, span, kind }];
    this.counts[kind] += 1;
    this.prune();
    if (!this.atEnd && (this.entries.length < AHEAD / 2 || !this.current)) this.fill();
  }

  // The last answer, which is asked again; its edit is to be undone in its annotation.
  takeBack() {
    const answer = this.answers.pop();
    if (!answer) return null;
    const { entry, span, kind } = answer;
    if (kind === "skipped") entry.skipped.delete(spanKey(span));
    this.counts[kind] -= 1;
    this.held = { entry, span };
    return answer;
  }

  // Those that were skipped are asked again.
  again() {
    for (const entry of this.entries) entry.skipped.clear();
    this.answers = this.answers.filter(({ kind }) => kind !== "skipped");
    this.counts.skipped = 0;
  }

  // Documents that have nothing to ask, and nothing to take back, are forgotten.
  prune() {
    if (this.entries.length < AHEAD / 2) return;
    const back = new Set(this.answers.map(({ entry }) => entry));
    this.entries = this.entries.filter((entry) => back.has(entry) || entry.skipped.size || this.open(entry).length);
  }

  // The place of the question among all: {number, total}, and whether the total is not known yet.
  get progress() {
    const done = Object.values(this.counts).reduce((sum, count) => sum + count, 0);
    const left = this.entries.reduce((sum, entry) => sum + this.open(entry).length, 0);
    return { number: Math.min(done + 1, done + left), total: done + left, more: !this.atEnd };
  }
}

// The sentence of a suggestion, and the marks in it as offsets of that sentence.
export const questionOf = ({ entry, span }) => {
  entry.offsets ??= new Offsets(entry.annotation.text);
  const { offsets } = entry;
  const { start, end, cut } = sentenceOf(offsets, span);
  const within = (mark) => ({ ...mark, start: Math.max(mark.start, start) - start, end: Math.min(mark.end, end) - start });
  const spans = entry.annotation.spans.filter((other) => other.start < end && other.end > start);
  return { text: offsets.slice(start, end), span: within(span), surface: offsets.slice(span.start, span.end), spans: spans.map(within), cut };
};

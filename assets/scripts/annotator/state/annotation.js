// The annotation of one document: spans, rejections, suggestions, and undo.

import { Intervals } from "../../text/intervals.js";
import { Offsets } from "../../text/offsets.js";
import {
  byPlace,
  contradicts,
  difference,
  isNothing,
  keysOf,
  outermost,
  overlap,
  patched,
  plainSpan,
  sameSpan,
  spanKey,
  turned,
} from "../../text/spans.js";
import { merged, withoutRivals } from "./suggested.js";

// What the person said, made ready to be asked about many suggestions: contradicts() for all spans at once.
class Answers {
  constructor(spans, rejected, nested) {
    this.nested = nested;
    this.all = new Intervals(spans);
    this.rejected = keysOf(rejected);
    this.places = new Set(spans.map(({ start, end }) => `${start}:${end}`));
    const byLabel = new Map();
    for (const span of spans) {
      if (!byLabel.has(span.label)) byLabel.set(span.label, []);
      byLabel.get(span.label).push(span);
    }
    this.byLabel = new Map([...byLabel].map(([label, own]) => [label, new Intervals(own)]));
  }

  rulesOut(suggestion) {
    const { start, end, label } = suggestion;
    if (this.rejected.has(spanKey(suggestion)) || this.places.has(`${start}:${end}`)) return true;
    const rivals = this.nested ? this.byLabel.get(label) : this.all;
    return (rivals?.over(start, end) ?? []).some((span) => contradicts(span, suggestion, this.nested));
  }
}

export class Annotation {
  // nested: whether the project's spans may overlap.
  // standing of a document: its status, and the reason where it is ignored. returnsTo: the status before it was set aside.
  constructor({ id, text, spans, rejected, suggestions, status, reason = "", returns_to = null, nested }) {
    this.id = id;
    this.nested = nested;
    this.text = text;
    this.length = new Offsets(text).length;
    this.suggestions = suggestions;
    this.status = status;
    this.reason = reason;
    this.returnsTo = returns_to ?? status;
    this.past = []; // edits as differences of spans and of rejected suggestions, the last one last
    this.future = [];
    this.replace({ spans, rejected });
  }

  get now() {
    return { spans: this.spans, rejected: this.rejected };
  }

  // Open suggestions after filtering by source and confidence.
  open(view) {
    const asked = JSON.stringify(view);
    const known = this.opened;
    if (known?.asked === asked && known.suggestions === this.suggestions) return known.found;
    const answers = new Answers(this.spans, this.rejected, this.nested);
    const found = withoutRivals(merged(this.suggestions, view).filter((suggestion) => !answers.rulesOut(suggestion)), this.nested);
    this.opened = { asked, suggestions: this.suggestions, found, acceptable: this.nested ? found : outermost(found) };
    return found;
  }

  // The open suggestions that can be accepted together.
  acceptable(view) {
    this.open(view);
    return this.opened.acceptable;
  }

  // In a flat project, the person's spans that `span` would overlap, but for the one it replaces.
  overlapped(span, replaced = null) {
    if (this.nested) return [];
    return this.spans.filter((other) => overlap(other, span) && !sameSpan(other, span) && !(replaced && sameSpan(other, replaced)));
  }

  // Whether the person marked just this, or rejected just this.
  has(span) {
    return this.keys.spans.has(spanKey(span));
  }

  rejects(span) {
    return this.keys.rejected.has(spanKey(span));
  }

  // Another version of the whole document, as one edit. Returns whether anything changed; identical edits leave no trace in
  // the history.
  change(spans, rejected) {
    return this.edit({ spans: difference(this.spans, spans.map(plainSpan)), rejected: difference(this.rejected, rejected.map(plainSpan)) });
  }

  take({ spans, rejected }) {
    return this.change(spans, rejected);
  }

  // The document set aside or brought back: another standing, as one step.
  stand({ status, reason = "" }) {
    if (status === this.status && reason === this.reason) return false;
    const none = { gone: [], came: [] };
    return this.edit({ spans: none, rejected: none, standing: { gone: { status: this.status, reason: this.reason }, came: { status, reason } } });
  }

  edit(edit) {
    if (isNothing(edit.spans) && isNothing(edit.rejected) && !edit.standing) return false;
    this.past.push(edit);
    this.future = [];
    this.apply(edit);
    return true;
  }

  // A step that changes no span of this document.
  noted(step) {
    this.past.push({ spans: { gone: [], came: [] }, rejected: { gone: [], came: [] }, ...step });
    this.future = [];
  }

  // A step that came to nothing is not undone either.
  forget(isThis) {
    this.past = this.past.filter((step) => !isThis(step));
    this.future = this.future.filter((step) => !isThis(step));
  }

  // The state without a word about how it came about.
  replace({ spans, rejected }) {
    this.spans = spans.map(plainSpan).sort(byPlace);
    this.rejected = rejected.map(plainSpan);
    this.keys = { spans: keysOf(this.spans), rejected: keysOf(this.rejected) };
    this.opened = null;
  }

  apply(edit) {
    for (const name of ["spans", "rejected"]) {
      const keys = this.keys[name];
      for (const span of edit[name].gone) keys.delete(spanKey(span));
      for (const span of edit[name].came) keys.add(spanKey(span));
      this[name] = patched(this[name], edit[name]);
    }
    if (edit.standing) Object.assign(this, edit.standing.came);
    this.spans.sort(byPlace);
    this.opened = null;
  }

  // Spans that come (none twice), spans that go, and the same of what is rejected.
  differing(came, gone, rejected = [], unrejected = []) {
    const distinct = (spans, wanted) => [...new Map(spans.filter(wanted).map((span) => [spanKey(span), plainSpan(span)])).values()];
    return this.edit({
      spans: { gone: distinct(gone, (span) => this.has(span)), came: distinct(came, (span) => !this.has(span)) },
      rejected: { gone: distinct(unrejected, (span) => this.rejects(span)), came: distinct(rejected, (span) => !this.rejects(span)) },
    });
  }

  // A new span, in place of `gone`.
  add(span, gone = []) {
    return this.differing([span], gone, [], [span]);
  }

  accept(suggestions) {
    return this.differing(suggestions, [], [], suggestions);
  }

  // Deleting what the tagger suggests too is a "no" to the tagger, or the mark would come back dashed.
  remove(span) {
    const suggested = this.suggestions.some((other) => sameSpan(other, span));
    return this.differing([], [span], suggested ? [span] : []);
  }

  reject(suggestion) {
    return this.differing([], [], [suggestion]);
  }

  // The person's span in place of `mark`, which is a span of theirs or a suggestion they correct, and of others it overlaps.
  correct(mark, span, others = []) {
    return this.add(span, sameSpan(mark, span) ? others : [mark, ...others]);
  }

  // The person's span with another link, or none.
  link(mark, link) {
    const old = this.spans.find((span) => sameSpan(span, mark));
    return Boolean(old) && this.change(this.spans.map((span) => (span === old ? { ...plainSpan(span), link } : span)), this.rejected);
  }

  // `mark` with one boundary moved, or null where the text or the span ends.
  nudged(mark, side, step) {
    const span = plainSpan(mark);
    span[side] += step;
    return span.start >= 0 && span.end <= this.length && span.start < span.end ? span : null;
  }

  undo() {
    const edit = this.past.pop();
    if (!edit) return false;
    this.future.push(edit);
    this.apply({ spans: turned(edit.spans), rejected: turned(edit.rejected), standing: edit.standing && turned(edit.standing) });
    return true;
  }

  redo() {
    const edit = this.future.pop();
    if (!edit) return false;
    this.past.push(edit);
    this.apply(edit);
    return true;
  }
}

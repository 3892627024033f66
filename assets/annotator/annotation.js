// The annotation of one document: what the person says, what was rejected, what is suggested, and the way back.

const sameSpan = (a, b) => a.start === b.start && a.end === b.end && a.label === b.label;
const plainSpan = ({ start, end, label }) => ({ start, end, label });
const without = (spans, span) => spans.filter((other) => !sameSpan(other, span));

// A suggestion the person has already answered by another label or another boundary.
const contradicts = (span, suggestion) => {
  if (span.start === suggestion.start && span.end === suggestion.end) return true;
  const overlap = span.start < suggestion.end && suggestion.start < span.end;
  const nested =
    (span.start < suggestion.start && suggestion.end < span.end) ||
    (suggestion.start < span.start && span.end < suggestion.end);
  return overlap && !nested && span.label === suggestion.label;
};

class Annotation {
  constructor({ id, text, spans, rejected, suggestions, status }) {
    this.id = id;
    this.text = text;
    this.length = new Offsets(text).length;
    this.spans = spans.map(plainSpan);
    this.rejected = rejected.map(plainSpan);
    this.suggestions = suggestions;
    this.status = status;
    this.past = [];
    this.future = [];
  }

  get now() {
    return { spans: this.spans, rejected: this.rejected };
  }

  // Suggestions still open under what the person wants to see.
  open({ threshold, tagger, dictionary }) {
    return this.suggestions.filter(
      (suggestion) =>
        (suggestion.source === "dictionary" ? dictionary : tagger) &&
        (typeof suggestion.score !== "number" || suggestion.score >= threshold) &&
        !this.rejected.some((other) => sameSpan(other, suggestion)) &&
        !this.spans.some((span) => contradicts(span, suggestion)),
    );
  }

  // Returns whether anything changed; identical edits leave no trace in the history.
  change(spans, rejected) {
    const same =
      spans.length === this.spans.length &&
      rejected.length === this.rejected.length &&
      spans.every((span) => this.spans.some((other) => sameSpan(span, other))) &&
      rejected.every((span) => this.rejected.some((other) => sameSpan(span, other)));
    if (same) return false;
    this.past.push(this.now);
    this.future = [];
    this.replace({ spans, rejected });
    return true;
  }

  replace({ spans, rejected }) {
    this.spans = spans.map(plainSpan).sort((a, b) => a.start - b.start || b.end - a.end);
    this.rejected = rejected.map(plainSpan);
  }

  add(span) {
    return this.accept([span]);
  }

  accept(suggestions) {
    const fresh = suggestions.filter((span, index) => {
      const before = [...this.spans, ...suggestions.slice(0, index)];
      return !before.some((other) => sameSpan(other, span));
    });
    const rejected = suggestions.reduce(without, this.rejected);
    return this.change([...this.spans, ...fresh], rejected);
  }

  // Deleting what the tagger suggests too is a "no" to the tagger, or the mark would come back dashed.
  remove(span) {
    const suggested = this.suggestions.some((other) => sameSpan(other, span));
    return this.change(without(this.spans, span), suggested ? [...without(this.rejected, span), span] : this.rejected);
  }

  reject(suggestion) {
    return this.change(this.spans, [...without(this.rejected, suggestion), suggestion]);
  }

  // The person's span in place of `mark`, which is a span of theirs or a suggestion they correct.
  correct(mark, span) {
    return this.change([...without(without(this.spans, mark), span), span], without(this.rejected, span));
  }

  // `mark` with one boundary moved, or null where the text or the span ends.
  nudged(mark, side, step) {
    const span = plainSpan(mark);
    span[side] += step;
    return span.start >= 0 && span.end <= this.length && span.start < span.end ? span : null;
  }

  undo() {
    const before = this.past.pop();
    if (!before) return false;
    this.future.push(this.now);
    this.replace(before);
    return true;
  }

  redo() {
    const after = this.future.pop();
    if (!after) return false;
    this.past.push(this.now);
    this.replace(after);
    return true;
  }
}

// Spans as plain values {start, end, label, link?}: keys, order, and differences of sets.

import { linkKey, plainLink } from "./links.js";

export const sameSpan = (a, b) => a.start === b.start && a.end === b.end && a.label === b.label;
export const plainSpan = ({ start, end, label, link = null }) => (link ? { start, end, label, link: plainLink(link) } : { start, end, label });
export const byPlace = (a, b) => a.start - b.start || b.end - a.end || (a.label < b.label ? -1 : 1);
export const spanKey = ({ start, end, label }) => `${start}:${end}:${label}`;
// Of a span on the screen: one of the person and a suggestion may be the same span.
export const markKey = (mark) => `${mark.source}:${spanKey(mark)}`;
export const keysOf = (spans) => new Set(spans.map(spanKey));
export const withoutAll = (spans, keys) => (keys.size ? spans.filter((span) => !keys.has(spanKey(span))) : spans);

// A span with another link is another one for the history, and the same one for all else.
const said = (span) => `${spanKey(span)}:${linkKey(span.link)}`;
const unsaid = (spans, others) => {
  const keys = new Set(others.map(said));
  return spans.filter((span) => !keys.has(said(span)));
};

// The spans an edit removed and added, which is all the history stores.
export const difference = (before, after) => ({ gone: unsaid(before, after), came: unsaid(after, before) });
export const patched = (spans, { gone, came }) => [...withoutAll(spans, keysOf([...gone, ...came])), ...came];
export const turned = ({ gone, came }) => ({ gone: came, came: gone });
export const isNothing = ({ gone, came }) => !gone.length && !came.length;

export const samePlace = (a, b) => a.start === b.start && a.end === b.end;
export const overlap = (a, b) => a.start < b.end && b.start < a.end;

// A suggestion the person has already answered: in a flat project by any span that overlaps it, where spans may nest by
// another label or another boundary.
export const contradicts = (span, suggestion, nested) => {
  if (!overlap(span, suggestion)) return false;
  if (!nested || samePlace(span, suggestion)) return true;
  const inside =
    (span.start < suggestion.start && suggestion.end < span.end) ||
    (suggestion.start < span.start && span.end < suggestion.end);
  return !inside && span.label === suggestion.label;
};

// Those without overlaps: of overlapping ones the longest, then the likeliest, then the first (core/text/outermost.py).
export const outermost = (spans) => {
  const taken = [];
  const isFree = ({ start, end }) => !taken.slice(start, end).some(Boolean);
  const length = ({ start, end }) => end - start;
  const likelier = (a, b) => length(b) - length(a) || (b.score ?? 0) - (a.score ?? 0) || byPlace(a, b);
  return [...spans].sort(likelier).filter((span) => {
    if (!isFree(span)) return false;
    for (let at = span.start; at < span.end; at += 1) taken[at] = true;
    return true;
  }).sort(byPlace);
};

// From the first to the last character of a span in pieces.
export const extentOf = (parts) => ({ start: parts[0][0], end: Math.max(...parts.map(([, end]) => end)) });

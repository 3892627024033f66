// Surfaces of spans, their other occurrences, and contexts.

const CONTEXT = 24; // characters on either side
// Scripts without blanks between words.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}]/u;
const isWordLetter = (char) => /[\p{L}\p{N}]/u.test(char) && !UNSPACED.test(char);

export const surfaceIn = (text, span) => [...text].slice(span.start, span.end).join("");

// The first `most` characters, with a sign where there are more.
export const excerpt = (text, most) => {
  const letters = [...text];
  return letters.slice(0, most).join("") + (letters.length > most ? "…" : "");
};

export const contextOf = (offsets, span) => ({
  before: offsets.slice(Math.max(0, span.start - CONTEXT), span.start),
  surface: offsets.slice(span.start, span.end),
  after: offsets.slice(span.end, Math.min(offsets.length, span.end + CONTEXT)),
});

// Every place of `surface` from the left, none that overlap, and none that overlaps `but`.
export const surfacePlaces = (offsets, surface, but = { start: 0, end: 0 }) => {
  const found = [];
  const search = (from, to) => {
    let unit = offsets.text.indexOf(surface, from);
    while (unit >= 0 && unit + surface.length <= to) {
      found.push({ start: offsets.toPoint(unit), end: offsets.toPoint(unit + surface.length) });
      unit = offsets.text.indexOf(surface, unit + surface.length);
    }
  };
  search(0, offsets.toUnit(but.start));
  search(offsets.toUnit(but.end), offsets.text.length);
  return found;
};

// Part of a longer word, in a script that has blanks between words.
export const isInsideWord = (offsets, { start, end }) => {
  const together = (left, right) => left >= 0 && right < offsets.length && isWordLetter(offsets.slice(left, left + 1)) && isWordLetter(offsets.slice(right, right + 1));
  return together(start - 1, start) || together(end - 1, end);
};

// A stretch without the blanks at its ends, which a sloppy drag takes along; null where nothing else is in it.
export const trimmed = (offsets, { start, end }) => {
  const blank = (point) => /^[\s\u200b\ufeff]$/u.test(offsets.slice(point, point + 1));
  while (start < end && blank(start)) start += 1;
  while (end > start && blank(end - 1)) end -= 1;
  return start < end ? { start, end } : null;
};

// Spans by surface: which here, how often elsewhere, and one context; the frequent first.
// there: [{surface, before, after, times}].
export const surfaceRows = (offsets, here, there) => {
  const rows = new Map();
  const row = (surface, context) => rows.get(surface) ?? rows.set(surface, { here: [], there: 0, surface, ...context }).get(surface);
  for (const span of here) {
    const context = contextOf(offsets, span);
    row(context.surface, context).here.push(span);
  }
  for (const { surface, before, after, times } of there) row(surface, { before, after }).there += times;
  return [...rows.values()].sort((a, b) => b.here.length + b.there - a.here.length - a.there || (a.surface < b.surface ? -1 : 1));
};

// Regions of a text as [start, end] in order, none overlapping: annotated regions.

// Gaps between regions from `start` to `end`.
export const gapsBetween = (regions, start, end) => {
  const inside = regions.map(([from, to]) => [Math.max(from, start), Math.min(to, end)]).filter(([from, to]) => from < to);
  const edges = [start, ...inside.flat(), end];
  return edges.flatMap((from, at) => (at % 2 === 0 && from < edges[at + 1] ? [[from, edges[at + 1]]] : []));
};

// How many characters of a text they are.
export const lengthOf = (regions) => regions.reduce((sum, [start, end]) => sum + end - start, 0);

// The change of one press: mark the selection, or everything up to the caret (start equals end). Repeated at the same place it unmarks;
// inside a mark it shortens it.
export const annotatedChange = (marked, { start, end }) => {
  const selected = start < end;
  const over = marked.find(([from, to]) => from <= (selected ? start : end - 1) && end <= to);
  if (!over) return { start: selected ? start : 0, end, annotated: true };
  if (selected) return { start, end, annotated: false };
  return { start: end === over[1] ? over[0] : end, end: over[1], annotated: false };
};

// The inverse of a change: of newly marked text the part that was not marked, and vice versa.
export const annotatedBack = (marked, { start, end, annotated }) => {
  const gaps = gapsBetween(marked, start, end);
  const changed = annotated ? gaps : gapsBetween(gaps, start, end);
  return changed.map(([from, to]) => ({ start: from, end: to, annotated: !annotated }));
};

// What becomes of the spans of a document when the person decides about many at once: two versions, labels that are gone,
// labels that are replaced.

import { keysOf, plainSpan, spanKey, withoutAll } from "../../text/spans.js";

const distinct = (spans) => [...new Map(spans.map((span) => [spanKey(span), plainSpan(span)])).values()];

// Their version with the spans `extra` of mine or theirs; what either rejected stays rejected unless it is a span now.
export const mergedVersion = (mine, theirs, extra) => {
  const links = new Map(mine.spans.filter(({ link }) => link).map((span) => [spanKey(span), span.link]));
  const both = withoutAll(theirs.spans, keysOf(withoutAll(theirs.spans, keysOf(mine.spans))));
  const spans = [...both.map((span) => ({ ...span, link: span.link ?? links.get(spanKey(span)) })), ...extra].map(plainSpan);
  return { spans, rejected: withoutAll(distinct([...theirs.rejected, ...mine.rejected]), keysOf(spans)), action: "merge" };
};

// becomes: by label that is gone, the label in its place, or nothing.
export const withoutGoneLabels = ({ spans, rejected }, becomes) => {
  const settled = (given) =>
    distinct([
      ...given.filter((span) => !Object.hasOwn(becomes, span.label)),
      ...given.filter((span) => Object.hasOwn(becomes, span.label) && becomes[span.label]).map((span) => ({ ...span, label: becomes[span.label] })),
    ]);
  const kept = settled(spans);
  return { spans: kept, rejected: withoutAll(settled(rejected), keysOf(kept)) };
};

// `chosen` spans under another label, or gone with `next` null: then the tagger, which suggests them, is told no.
export const relabelled = ({ spans, rejected, suggestions }, chosen, next) => {
  const old = keysOf(chosen);
  const fresh = next === null ? [] : chosen.map((span) => ({ ...plainSpan(spans.find((own) => spanKey(own) === spanKey(span)) ?? span), label: next }));
  const refused = next === null ? suggestions.filter((span) => old.has(spanKey(span))).map(plainSpan) : [];
  return {
    spans: distinct([...withoutAll(spans, old), ...fresh]),
    rejected: [...withoutAll(rejected, keysOf([...fresh, ...refused])), ...refused],
  };
};

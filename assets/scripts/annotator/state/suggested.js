// Suggestions of several sources: which are shown, and as one mark where sources say the same.

import { shortScore } from "../../page/messages.js";
import { contradicts, spanKey } from "../../text/spans.js";

// In the order of precedence: the first that is shown gives a mark its line and its number.
export const SOURCES = ["tagger", "earlier", "dictionary", "pattern"];

// Others' taggers have a name of their own in the view, and come last.
export const sourcesOf = (view) => [...SOURCES, ...Object.keys(view).filter((source) => !SOURCES.includes(source))];

export const everySource = () => Object.fromEntries(SOURCES.map((source) => [source, { on: true, threshold: 0 }]));

export const isShown = (suggestion, view) => {
  const chosen = view[suggestion.source];
  return Boolean(chosen?.on) && (typeof suggestion.score !== "number" || suggestion.score >= chosen.threshold);
};

// One mark for each span, with the sources that are shown and say it: [{source, score}], the first one in front.
export const merged = (suggestions, view) => {
  const found = new Map();
  for (const source of sourcesOf(view)) {
    for (const suggestion of suggestions) {
      if (suggestion.source !== source || !isShown(suggestion, view)) continue;
      const key = spanKey(suggestion);
      const mark = found.get(key) ?? { ...suggestion, sources: [] };
      if (!mark.sources.some((other) => other.source === source)) mark.sources.push({ source, score: suggestion.score, ...(view[source].name ? { name: view[source].name } : {}) });
      found.set(key, mark);
    }
  }
  return [...found.values()];
};

// Sources that know words and no context: where such a mark contradicts one that stands in front of it, or a longer one of its own
// source, only that other one is offered. Where spans may nest, only marks of its label are such rivals.
const CONTEXTLESS = ["earlier", "dictionary"];
const BLOCK = 64; // characters of a text that are looked through together

export const withoutRivals = (marks, nested) => {
  const rank = (mark) => (SOURCES.includes(mark.source) ? SOURCES.indexOf(mark.source) : SOURCES.length);
  const length = (mark) => mark.end - mark.start;
  const kept = new Map();
  const left = new Set();
  for (const mark of [...marks].sort((a, b) => rank(a) - rank(b) || length(b) - length(a) || a.start - b.start)) {
    const places = [];
    for (let block = Math.floor(mark.start / BLOCK); block * BLOCK < mark.end; block += 1) places.push(nested ? `${block}:${mark.label}` : block);
    const rivals = places.flatMap((place) => kept.get(place) ?? []);
    if (CONTEXTLESS.includes(mark.source) && rivals.some((other) => contradicts(other, mark, nested))) {
      left.add(mark);
      continue;
    }
    for (const place of places) {
      if (!kept.has(place)) kept.set(place, []);
      kept.get(place).push(mark);
    }
  }
  return left.size ? marks.filter((mark) => !left.has(mark)) : marks;
};

// What the chip of a mark of several sources says beside its number: their initials.
export const agreement = (say, mark) => (mark.sources?.length > 1 ? mark.sources.map(({ source, name }) => (name ? [...name][0] : say(`annotate.initial.${source}`))).join("+") : null);

export const namedSource = (say, { source, score, name }) => [name ?? say(`annotate.source.${source}`), shortScore(score)].filter(Boolean).join(" ");

export const describeSuggestion = (say, mark, surface) => {
  if (mark.sources?.length > 1) {
    const sources = mark.sources.map((item) => namedSource(say, item)).join(say("annotate.and"));
    return say("annotate.mark.several", { label: mark.label, surface, sources });
  }
  const name = mark.sources?.[0]?.name;
  if (name) return say("annotate.mark.outside", { label: mark.label, surface, name, score: shortScore(mark.score) || say("annotate.no_score") });
  return say(`annotate.mark.${mark.source}`, { label: mark.label, surface, score: shortScore(mark.score) || say("annotate.no_score") });
};

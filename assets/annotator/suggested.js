// Suggestions of several sources: which are shown, and as one mark where sources say the same.

// In the order of precedence: the first that is shown gives a mark its line and its number.
const SOURCES = ["tagger", "earlier", "dictionary", "pattern"];

const everySource = () => Object.fromEntries(SOURCES.map((source) => [source, { on: true, threshold: 0 }]));

const isShown = (suggestion, view) => {
  const chosen = view[suggestion.source];
  return Boolean(chosen?.on) && (typeof suggestion.score !== "number" || suggestion.score >= chosen.threshold);
};

// One mark for each span, with the sources that are shown and say it: [{source, score}], the first one in front.
const merged = (suggestions, view) => {
  const found = new Map();
  for (const source of SOURCES) {
    for (const suggestion of suggestions) {
      if (suggestion.source !== source || !isShown(suggestion, view)) continue;
      const key = spanKey(suggestion);
      const mark = found.get(key) ?? { ...suggestion, sources: [] };
      if (!mark.sources.some((other) => other.source === source)) mark.sources.push({ source, score: suggestion.score });
      found.set(key, mark);
    }
  }
  return [...found.values()];
};

// What the chip of a mark of several sources says beside its number: their initials.
const agreement = (say, mark) => (mark.sources?.length > 1 ? mark.sources.map(({ source }) => say(`annotate.initial.${source}`)).join("+") : null);

const namedSource = (say, { source, score }) => [say(`annotate.source.${source}`), shortScore(score)].filter(Boolean).join(" ");

const describeSuggestion = (say, mark, surface) => {
  if (mark.sources?.length > 1) {
    const sources = mark.sources.map((item) => namedSource(say, item)).join(say("annotate.and"));
    return say("annotate.mark.several", { label: mark.label, surface, sources });
  }
  return say(`annotate.mark.${mark.source}`, { label: mark.label, surface, score: shortScore(mark.score) || say("annotate.no_score") });
};

// The line of a suggestion's menu that says who suggests it.
const sourceLine = (say, mark) =>
  node(
    "p",
    { class: "lla-sources" },
    ...mark.sources.map((item) =>
      node("span", {}, node("i", { class: `lla-sample lla-${item.source}` }), node("span", { text: namedSource(say, item) })),
    ),
  );

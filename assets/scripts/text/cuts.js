// Where a text may be cut: into blocks short enough to measure and to segment, at line breaks, else at sentence ends,
// else between words, and never inside what a person takes for one character.

const LEAST_BLOCK = 400; // UTF-16 units
const MOST_BLOCK = 1000;
const ALONE = 1500; // a text up to here stays in one block
const SENTENCE_END = /[。！？!?…؟।]["'”’」』）)\]]*|\.["')\]]*\s/g;

const segmenters = new Map();

// Null in a browser that cannot segment.
export const segmenter = (granularity) => {
  if (typeof Intl === "undefined" || !Intl.Segmenter) return null;
  if (!segmenters.has(granularity)) segmenters.set(granularity, new Intl.Segmenter(undefined, { granularity }));
  return segmenters.get(granularity);
};

const lastMatchEnd = (pattern, text) => {
  let end = 0;
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length;
  return end;
};

const bestCut = (text, from) => {
  const window = text.slice(from + LEAST_BLOCK, from + MOST_BLOCK);
  const line = window.lastIndexOf("\n") + 1;
  const inWindow = line || lastMatchEnd(SENTENCE_END, window) || lastMatchEnd(/\s+/g, window);
  if (inWindow) return LEAST_BLOCK + inWindow;
  return segmenter("word")?.segment(text.slice(from, from + MOST_BLOCK + 50)).containing(MOST_BLOCK)?.index || MOST_BLOCK;
};

// The unit offsets where the blocks of a text begin.
export const cutBlocks = (text) => {
  const starts = [0];
  if (text.length <= ALONE) return starts;
  let from = 0;
  while (text.length - from > MOST_BLOCK) {
    let cut = bestCut(text, from);
    // A combining mark belongs to the sign before it; a sign longer than a block is cut all the same, between code points.
    cut = segmenter("grapheme")?.segment(text.slice(from, from + cut + 50)).containing(cut)?.index || cut;
    if (/^[\udc00-\udfff]/.test(text[from + cut] ?? "")) cut += 1;
    from += cut;
    if (from < text.length) starts.push(from);
  }
  return starts;
};

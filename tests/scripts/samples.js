// Texts and random choices for tests: the same in every run.

// Astral characters, combining marks, emoji of several parts, both directions, odd blanks and line ends.
export const PIECES = [
  "沈知微在青岛。", "a", "\r\n", "\n", "\u00e9", "e\u0301", "e\u0301\u0323", "👩‍👩‍👧", "👍🏽", "🇨🇳", "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", "𠮷", "שלום ",
  "בְּרֵאשִׁית ", "مرحبا ", "وُلدت ", "\u00a0", "\u3000", "\u200b", "\v", "नमस्ते", "नि", "각", "각", "Zoë ", "x".repeat(90),
];

export class Chance {
  constructor(seed) {
    this.seed = seed * 7919 + 17;
  }

  below(most) {
    this.seed = (this.seed * 48271) % 2147483647;
    return this.seed % most;
  }

  of(choices) {
    return choices[this.below(choices.length)];
  }

  text(pieces) {
    return Array.from({ length: pieces }, () => this.of(PIECES)).join("");
  }

  span(length, longest = 9, labels = ["A", "B", "C"]) {
    const start = this.below(length);
    return { start, end: Math.min(length, start + 1 + this.below(longest)), label: this.of(labels) };
  }
}

// What Python counts: one for each code point, also for half of a torn pair.
export const points = (text) => [...text];

// Units of selection: characters, words (of the lattice, else of the language) or sentences.

import { node, pressable } from "../../page/dom.js";
import { store, stored } from "../../page/storage.js";

export const GRAINS = ["character", "word", "sentence"];
const GRAIN_CHOSEN = "latticelens.grain";

// The piece [start, end] that holds a code point; where there is no word, the character. words: of the lattice.
export const pieceAt = (offsets, point, grain, words) => {
  const over = ([start, end]) => start <= point && point < end;
  const cut = (kind) => offsets.segmentsOf(kind, offsets.blockAt(point)).find(over);
  if (grain === "word") return offsets.wordAt(point, words) ?? cut("grapheme") ?? [point, point + 1];
  return cut(grain === "sentence" ? "sentence" : "grapheme") ?? [point, point + 1];
};

// A stretch and all of the pieces it touches; of characters it is taken as it is.
export const widened = (offsets, { start, end }, grain, words) => {
  if (grain === "character" || start >= end) return { start, end };
  return { start: Math.min(start, pieceAt(offsets, start, grain, words)[0]), end: Math.max(end, pieceAt(offsets, end - 1, grain, words)[1]) };
};

// The next edge of a piece after (or before) a code point.
export const stepBetween = (offsets, point, forward, grain, words) => {
  if (forward) return point >= offsets.length ? offsets.length : Math.max(point + 1, pieceAt(offsets, point, grain, words)[1]);
  return point <= 0 ? 0 : Math.min(point - 1, pieceAt(offsets, point - 1, grain, words)[0]);
};

export class Granularity {
  // options: say, offsets(), words() -> lattice words as [start, end], told(grain)
  constructor(options) {
    this.options = options;
    this.root = node("div", { class: "lla-grains", role: "radiogroup" });
    this.grain = GRAINS.find((grain) => grain === stored(GRAIN_CHOSEN)) ?? "character";
  }

  get wide() {
    return this.grain !== "character";
  }

  build() {
    const { say } = this.options;
    const choice = (grain) =>
      pressable({ class: "lla-grain", role: "radio", "data-grain": grain, "aria-checked": String(grain === this.grain), title: say("annotate_keys.granularity"), onclick: () => this.choose(grain) }, node("span", { text: say(`annotate.grain.${grain}`) }));
    this.root.setAttribute("aria-label", say("annotate.grain"));
    this.root.replaceChildren(...GRAINS.map(choice));
  }

  choose(grain) {
    this.grain = grain;
    for (const button of this.root.children) button.setAttribute("aria-checked", String(button.dataset.grain === grain));
    store(GRAIN_CHOSEN, grain);
    this.options.told(grain);
  }

  cycle(step = 1) {
    this.choose(GRAINS[(GRAINS.indexOf(this.grain) + step + GRAINS.length) % GRAINS.length]);
  }

  pieceAt(point, grain = this.grain) {
    return pieceAt(this.options.offsets(), point, grain, this.options.words());
  }

  widened(stretch) {
    return widened(this.options.offsets(), stretch, this.grain, this.options.words());
  }

  step(point, forward) {
    return stepBetween(this.options.offsets(), point, forward, this.grain, this.options.words());
  }
}

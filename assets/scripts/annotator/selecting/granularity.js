// What a selection is made of: characters, words (of the lattice, else of the language) or sentences.

import { node, pressable } from "../../page/dom.js";

const GRAINS = ["character", "word", "sentence"];
const GRAIN_CHOSEN = "latticelens.grain";

export class Granularity {
  // options: say, offsets(), words() -> lattice words as [start, end], told(grain)
  constructor(options) {
    this.options = options;
    this.root = node("div", { class: "lla-grains", role: "radiogroup" });
    this.grain = "character";
    try {
      const kept = localStorage.getItem(GRAIN_CHOSEN);
      if (GRAINS.includes(kept)) this.grain = kept;
    } catch (error) {
      // Without storage every page begins with characters.
    }
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
    try {
      localStorage.setItem(GRAIN_CHOSEN, grain);
    } catch (error) {
      // It holds for this page only.
    }
    this.options.told(grain);
  }

  cycle(step = 1) {
    this.choose(GRAINS[(GRAINS.indexOf(this.grain) + step + GRAINS.length) % GRAINS.length]);
  }

  // The piece that holds a code point; where there is no word, the character.
  pieceAt(point, grain = this.grain) {
    const offsets = this.options.offsets();
    const over = ([start, end]) => start <= point && point < end;
    const cut = (kind) => offsets.segmentsOf(kind, offsets.blockAt(point)).find(over);
    if (grain === "word") return offsets.wordAt(point, this.options.words()) ?? cut("grapheme") ?? [point, point + 1];
    return cut(grain === "sentence" ? "sentence" : "grapheme") ?? [point, point + 1];
  }

  // A stretch and all of the pieces it touches.
  widened({ start, end }) {
    if (!this.wide || start >= end) return { start, end };
    return { start: Math.min(start, this.pieceAt(start)[0]), end: Math.max(end, this.pieceAt(end - 1)[1]) };
  }

  // The next edge of a piece after (or before) a code point.
  step(point, forward) {
    const { length } = this.options.offsets();
    if (forward) return point >= length ? length : Math.max(point + 1, this.pieceAt(point)[1]);
    return point <= 0 ? 0 : Math.min(point - 1, this.pieceAt(point - 1)[0]);
  }
}

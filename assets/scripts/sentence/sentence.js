// A text with its marks, the same on every page: letters in text nodes (shaping, wrapping and the browser's own selection
// stay), marks as bars placed under them from the rectangles of ranges. A long text is cut into blocks.

import { isDark } from "../page/colour.js";
import { node, pxOf } from "../page/dom.js";
import { firstWhere } from "../text/intervals.js";
import { Offsets } from "../text/offsets.js";
import { markKey } from "../text/spans.js";
import { Block } from "./block.js";

export class Sentence {
  // options: pick(mark, bar, event), point(codePoint), describe(mark, surface) -> the name of the bar for screen readers,
  // drawn(): after every drawing, scrolled(): other blocks came near the window, still: bars cannot be pressed, walked: bars are no
  // tab stops, the owner leads the keyboard to them.
  // All but describe may be absent.
  constructor(options) {
    this.options = { ...options, describe: (mark) => options.describe(mark, this.surface(mark)) };
    this.text = node("div", { class: "lla-text", lang: "und", dir: "auto" });
    this.bars = node("div", { class: "lla-bars" });
    this.root = node("div", { class: "lla-sentence" }, this.text, this.bars);
    this.width = 0;
    this.clear("");
    this.listen();
  }

  listen() {
    const { options } = this;
    this.observer = new ResizeObserver(() => {
      const width = this.root.clientWidth;
      if (!width) return; // on a hidden page; shown again as wide as before it needs no drawing
      if (width !== this.width) this.draw();
      else if (!this.alone) {
        this.align();
        this.scroll(); // what was far may have come near
      }
    });
    this.observer.observe(this.root);
    this.dark = isDark();
    this.theme = new MutationObserver(() => {
      const dark = isDark();
      if (dark === this.dark) return; // the same elements say that a page is being filled
      this.dark = dark;
      this.draw();
    });
    for (const place of [document.documentElement, document.body]) {
      this.theme.observe(place, { attributes: true, attributeFilter: ["class"] });
    }
    document.fonts?.ready.then(() => {
      this.letter = 0;
      this.draw();
    });
    this.scroll = () => {
      this.waiting ??= requestAnimationFrame(() => {
        this.waiting = null;
        this.drawNear();
      });
    };
    this.bars.addEventListener("click", (event) => this.pick(event));
    this.text.addEventListener("click", (event) => this.press(event));
    if (!options.still) this.text.addEventListener("copy", (event) => this.copy(event));
  }

  clear(text) {
    this.offsets = new Offsets(text);
    this.marks = [];
    this.byKey = new Map();
    this.blocks = [];
    this.byLetters = new Map();
    this.bars.replaceChildren();
    this.text.replaceChildren();
    this.text.removeAttribute("style");
  }

  show(text) {
    this.clear(text);
    const { offsets } = this;
    const starts = offsets.blocks;
    this.alone = starts.length === 1; // the usual sentence: its letters lie in the text element itself
    this.text.classList.toggle("lla-long", !this.alone);
    this.blocks = starts.map((start, at) => {
      const end = starts[at + 1] ?? offsets.length;
      const element = this.alone ? this.text : node("div", { class: "lla-block" });
      return new Block(offsets.slice(start, end), start, end, offsets.toUnit(start), element);
    });
    for (const block of this.blocks) this.byLetters.set(block.letters, block);
    if (!this.alone) this.text.append(...this.blocks.map((block) => block.element));
    this.bars.append(...this.blocks.map((block) => block.layer));
    document[this.alone ? "removeEventListener" : "addEventListener"]("scroll", this.scroll, { capture: true, passive: true });
    this.observer[this.alone ? "unobserve" : "observe"](this.text);
    this.letter = 0;
  }

  // read: marks that are shown only, those in pieces.
  setMarks(marks, read = []) {
    const inOrder = (a, b) => a.start - b.start || b.end - a.end;
    this.marks = [...marks].sort(inOrder);
    this.byKey = new Map(this.marks.map((mark) => [markKey(mark), mark]));
    const shares = this.blocks.map(() => []);
    for (const mark of read.length ? [...this.marks, ...read].sort(inOrder) : this.marks) {
      for (let at = this.offsets.blockAt(mark.start); at < this.blocks.length && this.blocks[at].start < mark.end; at += 1) shares[at].push(mark);
    }
    this.blocks.forEach((block, at) => block.take(shares[at]));
    this.drawNear();
  }

  surface(mark) {
    return (mark.parts ?? [[mark.start, mark.end]]).map(([start, end]) => this.offsets.slice(start, end)).join(" … ");
  }

  mark(key) {
    return this.byKey.get(key) ?? null;
  }

  // ------------------------------------------------------------------ drawing

  // Everything that is on the screen anew: the width, the theme or the fonts have changed.
  draw() {
    for (const block of this.blocks) block.stale = true;
    this.drawNear();
  }

  drawNear() {
    this.width = this.root.clientWidth;
    if (!this.width || !this.blocks.length) return; // hidden tab: the observer calls again when it is shown
    this.makeRoom();
    const wanted = this.wanted();
    const changed = wanted.join() !== this.shown;
    this.shown = wanted.join();
    this.drawBlocks(wanted.map((at) => this.blocks[at]).filter((block) => block.stale));
    this.forgetFar(new Set(wanted));
    this.options.drawn?.();
    if (changed && !this.alone) this.options.scrolled?.();
  }

  makeRoom() {
    this.letter ||= this.blocks[0].range(0, Math.min(1, this.offsets.text.length)).getClientRects()[0]?.height || 26;
    for (const block of this.blocks) block.makeRoom(block.rows, this.letter, this.width, this.alone);
  }

  // Everything is read before anything is written: a layout in between costs more than all the rest.
  drawBlocks(blocks) {
    const rows = blocks.map((block) => block.measure(this.offsets));
    const tight = blocks.filter((block, at) => rows[at] > block.rows);
    tight.forEach((block) => block.makeRoom(rows[blocks.indexOf(block)], this.letter, this.width, this.alone));
    tight.forEach((block) => block.measure(this.offsets));
    for (const block of blocks) block.drawn = true;
    const focused = this.bars.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const dark = isDark();
    this.align();
    for (const block of blocks) block.write(this.options, dark);
    if (focused && !this.bars.contains(document.activeElement)) this.bar(focused)?.focus({ preventScroll: true });
  }

  // The blocks within one window's height of the window, and the next ones with marks, so that Tab always finds a bar.
  wanted() {
    if (this.alone) return [0];
    const height = window.innerHeight;
    const rect = (at) => this.blocks[at].element.getBoundingClientRect();
    const count = this.blocks.length;
    const first = Math.min(count - 1, firstWhere(count, (at) => rect(at).bottom > -height));
    const last = Math.max(first, firstWhere(count, (at) => rect(at).top > 2 * height) - 1);
    const found = [];
    const marked = (at, step) => {
      let next = at;
      while (this.blocks[next] && !this.blocks[next].marks.length) next += step;
      return this.blocks[next] ? [next] : [];
    };
    found.push(...marked(first - 1, -1));
    for (let at = first; at <= last; at += 1) found.push(at);
    found.push(...marked(last + 1, 1));
    return found;
  }

  forgetFar(near) {
    this.blocks.forEach((block, at) => {
      if (block.drawn && !near.has(at) && !block.layer.contains(document.activeElement)) block.forget();
    });
  }

  // Blocks above may have got their true height: the layers follow their blocks.
  align() {
    if (this.alone) return;
    const top = this.root.getBoundingClientRect().top;
    const drawn = this.blocks.filter((block) => block.drawn);
    const tops = drawn.map((block) => block.element.getBoundingClientRect().top - top);
    drawn.forEach((block, at) => block.layer.style.setProperty("top", pxOf(tops[at])));
  }

  // The code points on the screen, in whole blocks.
  onScreen() {
    if (this.alone) return [0, this.offsets.length];
    const count = this.blocks.length;
    const rect = (at) => this.blocks[at].element.getBoundingClientRect();
    const first = Math.min(count - 1, firstWhere(count, (at) => rect(at).bottom > 0));
    const last = Math.max(first, firstWhere(count, (at) => rect(at).top > window.innerHeight) - 1);
    return [this.blocks[first].start, this.blocks[last].end];
  }

  // ------------------------------------------------------------------ bars

  // The bar of a mark, drawn now where it is far from the window; null without such a mark.
  bar(key) {
    const mark = this.byKey.get(key);
    if (!mark || !this.width) return null;
    const block = this.blocks[this.offsets.blockAt(mark.start)];
    if (block.stale) this.drawBlocks([block]);
    for (const bar of block.layer.children) if (bar.dataset.key === key) return bar;
    return null;
  }

  focus(key) {
    const bar = this.bar(key);
    bar?.focus({ preventScroll: true });
    if (bar && !this.alone) this.reveal(bar);
    return Boolean(bar);
  }

  // Scrolls only where it must: to the middle, so that the lines around are seen as well.
  reveal(place) {
    const { top, bottom } = place.getBoundingClientRect();
    if (top < 80 || bottom > window.innerHeight - 120) place.scrollIntoView({ block: "center" });
  }

  // Where a bar is, relative to the sentence.
  placeOf(bar) {
    const origin = this.root.getBoundingClientRect();
    const rect = bar.getBoundingClientRect();
    return { left: rect.left - origin.left, bottom: rect.bottom - origin.top };
  }

  pick(event) {
    const bar = event.target.closest(".lla-bar");
    const mark = bar && this.byKey.get(bar.dataset.key);
    if (mark) this.options.pick?.(mark, bar, event);
  }

  // ------------------------------------------------------------------ places

  blockOf(point, before = false) {
    return this.blocks[this.offsets.blockAt(before ? point - 1 : point)];
  }

  // The place of a code point in the DOM; where two blocks meet it is at the start of the later one, or before that.
  position(point, before = false) {
    const block = this.blockOf(point, before);
    return [block.letters, this.offsets.toUnit(point) - block.unit];
  }

  // The unit that a place in the DOM stands for; null where it is not in this text.
  unitAt(place, offset) {
    const block = this.byLetters.get(place);
    if (block) return block.unit + offset;
    const { length } = this.offsets.text;
    if (place === this.text) return this.alone ? (offset ? length : 0) : (this.blocks[offset]?.unit ?? length);
    const whole = this.blocks.find((other) => other.element === place);
    return whole ? whole.unit + (offset ? whole.letters.length : 0) : null;
  }

  // Rectangles of a stretch relative to the sentence, one per visual line.
  boxes(start, end, origin = this.root.getBoundingClientRect()) {
    const found = [];
    for (let at = this.offsets.blockAt(start); at < this.blocks.length && this.blocks[at].start < end; at += 1) {
      const block = this.blocks[at];
      const from = this.offsets.toUnit(Math.max(start, block.start));
      found.push(...block.boxes(from, this.offsets.toUnit(Math.min(end, block.end)), origin));
    }
    return found;
  }

  // The code point under a mouse position, or null beside the text.
  pointUnder(x, y) {
    const caret = document.caretPositionFromPoint?.(x, y) ?? legacyCaret(x, y);
    const block = caret && this.byLetters.get(caret.offsetNode ?? caret.node);
    return block ? this.offsets.toPoint(block.unit + caret.offset) : null;
  }

  // The character under the pointer: a caret sits between two letters, and the one meant is the one that holds it.
  characterUnder(x, y) {
    const near = this.pointUnder(x, y);
    if (near === null || !this.offsets.length) return null;
    const holds = (point) => {
      if (point < 0 || point >= this.offsets.length) return false;
      const unit = this.offsets.toUnit(point);
      const rects = this.blockOf(point).range(unit, this.offsets.toUnit(point + 1)).getClientRects();
      return [...rects].some((box) => box.left <= x && x < box.right && box.top <= y && y < box.bottom);
    };
    return [near, near - 1].find(holds) ?? null;
  }

  press(event) {
    const { pick, point } = this.options;
    const touched = pick && event.pointerType === "touch";
    if (!this.offsets.length || !(point || touched)) return;
    const under = this.characterUnder(event.clientX, event.clientY);
    const mark = touched && under !== null && document.getSelection().isCollapsed ? this.shortestOver(under) : null;
    if (mark) return pick(mark, this.bar(markKey(mark)), event);
    const near = under ?? this.pointUnder(event.clientX, event.clientY);
    if (point && near !== null) point(Math.min(near, this.offsets.length - 1));
  }

  // A finger is wider than a bar: the letters over it do as well.
  shortestOver(point) {
    const over = this.marks.filter((mark) => mark.start <= point && point < mark.end);
    return over.sort((a, b) => a.end - a.start - (b.end - b.start))[0] ?? null;
  }

  // The letters as they are: a block is not a paragraph of the text.
  copy(event) {
    const selection = document.getSelection();
    const ends = [
      this.unitAt(selection.anchorNode, selection.anchorOffset),
      this.unitAt(selection.focusNode, selection.focusOffset),
    ];
    if (ends.includes(null) || ends[0] === ends[1]) return;
    event.clipboardData.setData("text/plain", this.offsets.text.slice(Math.min(...ends), Math.max(...ends)));
    event.preventDefault();
  }

  close() {
    this.observer.disconnect();
    this.theme.disconnect();
    document.removeEventListener("scroll", this.scroll, { capture: true });
  }
}

const legacyCaret = (x, y) => {
  const range = document.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : null;
};

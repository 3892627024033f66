// The caret and the selection in a sentence, by mouse, touch and keyboard, in code points.

import { node } from "../../page/dom.js";
import { RIGHT_TO_LEFT } from "../../text/direction.js";
import { trimmed } from "../../text/surfaces.js";

const ends = ({ anchorNode, anchorOffset, focusNode, focusOffset }) => [anchorNode, anchorOffset, focusNode, focusOffset];
const same = (one, other) => Boolean(one) && one.every((part, at) => part === other[at]);

export class Caret {
  constructor(sentence, options) {
    this.sentence = sentence;
    this.options = options; // moved(): the selection changed; words(): lattice words as [start, end]
    this.anchor = 0;
    this.head = 0;
    this.made = null; // the ends of the selection that set() made; they may well lie inside a character, where a key moved them
    this.seen = null; // the ends that were read last
    this.shown = node("i", { class: "lla-caret", "aria-hidden": "true" });
    sentence.root.append(this.shown);
    const { text } = sentence;
    text.setAttribute("tabindex", "0");
    // To a screen reader a field with letters and a caret that cannot be written in.
    for (const [name, value] of [["role", "textbox"], ["aria-readonly", "true"], ["aria-multiline", "true"]]) text.setAttribute(name, value);
    text.addEventListener("focus", () => this.draw());
    text.addEventListener("blur", () => this.draw());
    text.addEventListener("dblclick", (event) => this.selectWord(event));
    this.follow = () => this.readBrowser();
    document.addEventListener("selectionchange", this.follow);
  }

  get start() {
    return Math.min(this.anchor, this.head);
  }

  get end() {
    return Math.max(this.anchor, this.head);
  }

  get empty() {
    return this.anchor === this.head;
  }

  reset() {
    this.set(0, 0, false);
  }

  // Mouse, touch handles and screen readers move the browser's selection; this reads it back.
  readBrowser() {
    const selection = document.getSelection();
    this.seen = ends(selection);
    if (!selection.rangeCount || same(this.made, this.seen)) return;
    const anchor = this.sentence.unitAt(selection.anchorNode, selection.anchorOffset);
    if (anchor === null) return;
    // A drag may end beside the text: then it takes the letters up to there.
    const head = this.sentence.unitAt(selection.focusNode, selection.focusOffset) ?? this.beyond(selection.focusNode);
    if (head === null) return;
    this.made = null;
    const { offsets } = this.sentence;
    // A drag that ends inside a surrogate pair, an emoji of several parts or a letter with its marks takes all of it.
    const whole = (unit, up) => offsets.whole(offsets.toPoint(unit, up), up);
    this.anchor = whole(anchor, anchor > head);
    this.head = whole(head, head > anchor);
    this.column = null;
    this.draw();
    this.options.moved();
  }

  // The browser tells of a new selection only after the keys that wait: on a busy page the next key may come first.
  catchUp() {
    if (!same(this.seen, ends(document.getSelection()))) this.readBrowser();
  }

  beyond(place) {
    const { text, offsets } = this.sentence;
    const where = text.compareDocumentPosition(place);
    if (where & Node.DOCUMENT_POSITION_FOLLOWING) return offsets.text.length;
    return where & Node.DOCUMENT_POSITION_PRECEDING && !place.contains?.(text) ? 0 : null;
  }

  set(anchor, head, native = true) {
    const { length } = this.sentence.offsets;
    this.anchor = Math.max(0, Math.min(anchor, length));
    this.head = Math.max(0, Math.min(head, length));
    this.column = null;
    if (native && length) {
      // Each end lies in the block of the letters it takes, not in the one beside it.
      const backward = this.head < this.anchor;
      const from = this.sentence.position(this.anchor, backward);
      const to = this.sentence.position(this.head, !backward && !this.empty);
      this.made = [...from, ...to];
      document.getSelection().setBaseAndExtent(...this.made);
    }
    this.draw();
    this.options.moved();
  }

  // Forgets the selection and leaves the focus where it is.
  collapse() {
    if (this.empty) return;
    this.anchor = this.head;
    this.release();
  }

  release() {
    this.made = null;
    document.getSelection().removeAllRanges();
  }

  clear() {
    this.set(this.head, this.head, document.activeElement === this.sentence.text);
    if (document.activeElement !== this.sentence.text) this.release();
  }

  // What would be labelled.
  trimmed() {
    return trimmed(this.sentence.offsets, this);
  }

  selectWord(event) {
    const under = this.sentence.characterUnder(event.clientX, event.clientY) ?? this.sentence.pointUnder(event.clientX, event.clientY);
    if (under === null) return;
    const { offsets } = this.sentence;
    const words = this.options.words();
    const word = offsets.wordAt(Math.min(under, offsets.length - 1), words) ?? offsets.wordAt(under - 1, words);
    if (!word) return;
    event.preventDefault();
    this.set(word[0], word[1]);
  }

  move(key, extend, byWord) {
    const { offsets } = this.sentence;
    const vertical = key === "ArrowUp" || key === "ArrowDown";
    // In a paragraph that is read from right to left the left arrow goes forward.
    const ahead = offsets.rightToLeft(this.head) ? "ArrowLeft" : "ArrowRight";
    const forward = key === ahead || key === "ArrowDown" || key === "End";
    const column = vertical ? (this.column ?? this.place()?.x) : null;
    let head = this.head;
    if (key === "Home" || key === "End") head = forward ? offsets.length : 0;
    else if (vertical) head = this.acrossLines(forward, column);
    else if (!extend && !this.empty && !byWord) head = forward ? this.end : this.start;
    else head = byWord ? this.wordEdge(forward) : offsets.stepBy("grapheme", this.head, forward);
    this.set(extend ? this.anchor : head, head);
    this.column = column;
    this.reveal();
  }

  // The next edge of a lattice word, where the words of this place are known; else of a word of the language.
  wordEdge(forward) {
    const { offsets } = this.sentence;
    return offsets.edge(this.head, forward, this.options.words()) ?? offsets.stepBy("word", this.head, forward);
  }

  // The caret on the line below (or above) nearest to `column`. Measured letter by letter, not asked of the screen: the line
  // may lie outside the window, or under something.
  acrossLines(forward, column) {
    const { offsets } = this.sentence;
    const here = this.place();
    if (!here) return this.head;
    let best = null;
    let line = here.top;
    for (let point = this.head; ; ) {
      const next = offsets.stepBy("grapheme", point, forward);
      if (next === point) break;
      point = next;
      const place = this.place(point);
      if (!place) break;
      if (Math.abs(place.top - line) > 2) {
        if (best) break;
        line = place.top;
      }
      if (line === here.top) continue;
      const distance = Math.abs(place.x - column);
      if (!best || distance < best.distance) best = { point, distance };
    }
    return best?.point ?? (forward ? offsets.length : 0);
  }

  // Where the caret stands before a code point, relative to the sentence.
  place(point = this.head) {
    const { length } = this.sentence.offsets;
    if (!length) return null;
    const after = point < length;
    const boxes = this.sentence.boxes(after ? point : length - 1, after ? point + 1 : length);
    const box = after ? boxes[0] : boxes[boxes.length - 1];
    if (!box) return null;
    const atRight = !box.empty && this.rightToLeft(after ? point : length - 1) === after;
    return { x: atRight ? box.right : box.left, top: box.top, bottom: box.bottom };
  }

  rightToLeft(point) {
    const { offsets } = this.sentence;
    const letter = offsets.slice(point, point + 1);
    if (/[\p{L}\p{N}]/u.test(letter)) return RIGHT_TO_LEFT.test(letter);
    return offsets.rightToLeft(point);
  }

  reveal() {
    const { sentence } = this;
    if (sentence.alone) this.shown.scrollIntoView({ block: "nearest" });
    else sentence.reveal(this.shown);
  }

  draw() {
    const visible = document.activeElement === this.sentence.text && this.place();
    this.shown.style.display = visible ? "block" : "none";
    if (!visible) return;
    this.shown.style.left = `${visible.x - 1}px`;
    this.shown.style.top = `${visible.top}px`;
    this.shown.style.height = `${visible.bottom - visible.top}px`;
  }

  close() {
    document.removeEventListener("selectionchange", this.follow);
  }
}

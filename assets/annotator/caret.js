// The caret and the selection in a sentence, by mouse, touch and keyboard, in code points.

class Caret {
  constructor(sentence, options) {
    this.sentence = sentence;
    this.options = options; // moved(): the selection changed; words(): lattice words as [start, end]
    this.anchor = 0;
    this.head = 0;
    this.shown = node("i", { class: "lla-caret", "aria-hidden": "true" });
    sentence.root.append(this.shown);
    const { text } = sentence;
    text.setAttribute("tabindex", "0");
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
    const letters = this.sentence.text.firstChild;
    if (!letters || !selection.rangeCount) return;
    const { anchorNode, focusNode } = selection;
    const inside = (place) => place === letters || place === this.sentence.text;
    if (!inside(anchorNode) || !inside(focusNode)) return;
    const unit = (place, offset) => (place === letters ? offset : offset ? letters.length : 0);
    const anchor = unit(anchorNode, selection.anchorOffset);
    const head = unit(focusNode, selection.focusOffset);
    const { offsets } = this.sentence;
    // A drag that ends inside a surrogate pair takes the whole character.
    this.anchor = offsets.toPoint(anchor, anchor > head);
    this.head = offsets.toPoint(head, head > anchor);
    this.draw();
    this.options.moved();
  }

  set(anchor, head, native = true) {
    const { length } = this.sentence.offsets;
    this.anchor = Math.max(0, Math.min(anchor, length));
    this.head = Math.max(0, Math.min(head, length));
    const letters = this.sentence.text.firstChild;
    if (native && letters) {
      const { offsets } = this.sentence;
      const from = offsets.toUnit(this.anchor);
      const to = offsets.toUnit(this.head);
      document.getSelection().setBaseAndExtent(letters, from, letters, to);
    }
    this.draw();
    this.options.moved();
  }

  // Forgets the selection and leaves the focus where it is.
  collapse() {
    if (this.empty) return;
    this.anchor = this.head;
    document.getSelection().removeAllRanges();
  }

  clear() {
    this.set(this.head, this.head, document.activeElement === this.sentence.text);
    if (document.activeElement !== this.sentence.text) document.getSelection().removeAllRanges();
  }

  // Keeps letters only: spans never begin or end with the blanks a sloppy drag takes along.
  trimmed() {
    let { start, end } = this;
    const blank = (point) => /^\s$/u.test(this.sentence.offsets.slice(point, point + 1));
    while (start < end && blank(start)) start += 1;
    while (end > start && blank(end - 1)) end -= 1;
    return start < end ? { start, end } : null;
  }

  selectWord(event) {
    const near = this.sentence.pointUnder(event.clientX, event.clientY);
    if (near === null) return;
    const { offsets } = this.sentence;
    const words = this.options.words();
    const word = offsets.wordAt(Math.min(near, offsets.length - 1), words) ?? offsets.wordAt(near - 1, words);
    if (!word) return;
    event.preventDefault();
    this.set(word[0], word[1]);
  }

  move(key, extend, byWord) {
    const { offsets } = this.sentence;
    const forward = key === "ArrowRight" || key === "ArrowDown" || key === "End";
    let head = this.head;
    if (key === "Home" || key === "End") head = forward ? offsets.length : 0;
    else if (key === "ArrowUp" || key === "ArrowDown") head = this.acrossLines(forward);
    else if (!extend && !this.empty && !byWord) head = forward ? this.end : this.start;
    else head = offsets.step(this.head, forward, byWord ? this.wordPieces() : offsets.segments("grapheme"));
    this.set(extend ? this.anchor : head, head);
    this.shown.scrollIntoView({ block: "nearest" });
  }

  wordPieces() {
    const words = this.options.words();
    return words.length ? words : this.sentence.offsets.segments("word");
  }

  acrossLines(forward) {
    const place = this.place();
    if (!place) return this.head;
    const height = parseFloat(this.sentence.text.style.lineHeight) || 43;
    const origin = this.sentence.root.getBoundingClientRect();
    const y = origin.top + (place.top + place.bottom) / 2 + (forward ? height : -height);
    return this.sentence.pointUnder(origin.left + place.x + 1, y) ?? (forward ? this.sentence.offsets.length : 0);
  }

  place() {
    const { length } = this.sentence.offsets;
    if (!length) return null;
    const after = this.head < length;
    const boxes = this.sentence.boxes(after ? this.head : length - 1, after ? this.head + 1 : length);
    const box = after ? boxes[0] : boxes[boxes.length - 1];
    return box ? { x: after ? box.left : box.right, top: box.top, bottom: box.bottom } : null;
  }

  draw() {
    const visible = document.activeElement === this.sentence.text && this.place();
    this.shown.style.display = visible ? "block" : "none";
    if (!visible) return;
    this.shown.style.left = `${visible.x - 1}px`;
    this.shown.style.top = `${visible.top}px`;
    this.shown.style.height = `${visible.bottom - visible.top}px`;
  }
}

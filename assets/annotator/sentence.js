// One sentence with its marks, the same on every page: text in one text node (shaping, wrapping and the browser's own
// selection stay), marks as bars placed under it from the rectangles of ranges.

const ROW = 17; // px per stacked mark: a 3 px line and its chip
const chipInk = document.createElement("canvas").getContext("2d");

const chipWidth = (chip) => {
  chipInk.font = "600 11px system-ui, sans-serif";
  return Math.min(140, Math.ceil(chipInk.measureText(chip).width) + 8);
};

const markKey = (mark) => `${mark.source}:${mark.start}:${mark.end}:${mark.label}`;

class Sentence {
  // options: pick(mark, bar, event), point(codePoint), describe(mark) -> the name of the bar for screen readers,
  // still: bars cannot be pressed. All but describe may be absent.
  constructor(options) {
    this.options = options;
    this.text = node("div", { class: "lla-text", lang: "und", dir: "auto" });
    this.bars = node("div", { class: "lla-bars" });
    this.root = node("div", { class: "lla-sentence" }, this.text, this.bars);
    this.marks = [];
    this.rowsReserved = 1;
    this.offsets = new Offsets("");
    this.width = 0;
    this.observer = new ResizeObserver(() => {
      if (this.root.clientWidth !== this.width) this.draw();
    });
    this.observer.observe(this.root);
    this.theme = new MutationObserver(() => this.draw());
    for (const place of [document.documentElement, document.body]) {
      this.theme.observe(place, { attributes: true, attributeFilter: ["class"] });
    }
    document.fonts?.ready.then(() => this.draw());
    if (options.point) this.text.addEventListener("click", (event) => this.pointAt(event));
  }

  show(text) {
    this.offsets = new Offsets(text);
    this.text.textContent = text;
    this.text.style.lineHeight = ""; // measured anew: another text may need fewer rows
    this.rowsReserved = 1;
    this.marks = [];
    this.bars.replaceChildren();
  }

  setMarks(marks) {
    this.marks = [...marks].sort((a, b) => a.start - b.start || b.end - a.end);
    this.draw();
  }

  range(start, end) {
    const range = document.createRange();
    const letters = this.text.firstChild;
    range.setStart(letters, this.offsets.toUnit(start));
    range.setEnd(letters, this.offsets.toUnit(end));
    return range;
  }

  // Rectangles of a stretch relative to the sentence, one per visual line.
  boxes(start, end, origin = this.root.getBoundingClientRect()) {
    const lines = [];
    for (const rect of this.range(start, end).getClientRects()) {
      if (!rect.width) continue;
      const last = lines[lines.length - 1];
      if (last && Math.abs(last.top + origin.top - rect.top) < rect.height / 2) {
        last.left = Math.min(last.left, rect.left - origin.left);
        last.right = Math.max(last.right, rect.right - origin.left);
      } else {
        lines.push({
          left: rect.left - origin.left,
          right: rect.right - origin.left,
          top: rect.top - origin.top,
          bottom: rect.bottom - origin.top,
        });
      }
    }
    return lines;
  }

  draw() {
    this.width = this.root.clientWidth;
    if (!this.width || !this.text.firstChild) return; // hidden tab: the observer calls again when it is shown
    let drawn = this.measure();
    const needed = Math.max(1, ...drawn.map((item) => item.row + 1));
    if (needed > this.rowsReserved || !this.text.style.lineHeight) {
      // Only ever grows while one text is shown, so that lines do not jump with every edit.
      this.rowsReserved = Math.max(this.rowsReserved, needed);
      const letter = this.range(0, 1).getClientRects()[0]?.height || 26;
      const height = Math.max(letter + this.rowsReserved * ROW + 4, 18 * 2.4);
      this.text.style.lineHeight = `${Math.round(height)}px`;
      this.text.style.paddingBottom = `${Math.round((height - letter) / 2)}px`;
      drawn = this.measure();
    }
    const focused = this.bars.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    this.bars.replaceChildren(...drawn.flatMap((item) => this.barsOf(item)));
    if (focused) this.focus(focused);
    this.options.drawn?.();
  }

  // Reads every rectangle before anything is written: mixing the two costs a layout per mark.
  measure() {
    const origin = this.root.getBoundingClientRect();
    const items = this.marks.map((mark) => {
      const boxes = this.boxes(mark.start, mark.end, origin);
      const chip = [mark.name ?? mark.label, shortScore(mark.score)].filter(Boolean).join(" ");
      const width = chipWidth(chip);
      const last = boxes[boxes.length - 1];
      if (last) {
        last.chipLeft = Math.max(0, Math.min(Math.max(last.right - width, last.left), this.width - width));
        last.chipRight = last.chipLeft + width;
      }
      return { mark, boxes, chip };
    });
    const rows = stackRows(
      items.map(({ mark, boxes }) => ({
        start: mark.start,
        end: mark.end,
        boxes: boxes.map((box) => ({
          line: Math.round(box.top),
          left: Math.min(box.left, box.chipLeft ?? box.left),
          right: Math.max(box.right, (box.chipRight ?? box.right) + 4),
        })),
      })),
    );
    return items.map((item, index) => ({ ...item, row: rows[index] }));
  }

  barsOf({ mark, boxes, chip, row }) {
    const colours = readable(mark.colour, isDark());
    const key = markKey(mark);
    return boxes.map((box, index) => {
      const last = index === boxes.length - 1;
      const left = Math.min(box.left, box.chipLeft ?? box.left);
      const right = Math.max(box.right, box.chipRight ?? box.right);
      const bar = node(this.options.still ? "span" : "button", {
        class: `lla-bar lla-${mark.source}${mark.current ? " lla-current" : ""}`,
        type: this.options.still ? null : "button",
        tabindex: this.options.still ? null : index ? "-1" : "0",
        "data-key": key,
        "aria-label": index || this.options.still ? null : this.options.describe(mark, this.offsets.slice(mark.start, mark.end)),
        "aria-hidden": index && !this.options.still ? "true" : null,
        style: {
          left: `${left}px`,
          width: `${right - left}px`,
          top: `${box.bottom + 1 + row * ROW}px`,
          height: `${ROW}px`,
          "--ink": colours.ink,
          "--tint": colours.tint,
          "--rise": `${box.bottom - box.top + 1 + row * ROW}px`,
          "--line-left": `${box.left - left + 1}px`,
          "--line-width": `${Math.max(4, box.right - box.left - 2)}px`,
        },
      });
      bar.append(node("i", { class: "lla-line" }));
      if (last) {
        bar.append(node("span", { class: "lla-chip", style: { left: `${box.chipLeft - left}px` }, text: chip }));
      }
      if (this.options.pick) bar.addEventListener("click", (event) => this.options.pick(mark, bar, event));
      return bar;
    });
  }

  bar(key) {
    for (const bar of this.bars.children) if (bar.dataset.key === key) return bar;
    return null;
  }

  focus(key) {
    const bar = this.bar(key);
    bar?.focus({ preventScroll: true });
    return Boolean(bar);
  }

  // The code point under a mouse position, or null beside the text.
  pointUnder(x, y) {
    const caret = document.caretPositionFromPoint?.(x, y) ?? legacyCaret(x, y);
    if (!caret || (caret.offsetNode ?? caret.node) !== this.text.firstChild) return null;
    return this.offsets.toPoint(caret.offset);
  }

  pointAt(event) {
    const near = this.pointUnder(event.clientX, event.clientY);
    if (near === null || !this.offsets.length) return;
    // A caret sits between two letters: the one clicked is the one whose rectangle holds the pointer.
    const holds = (point) =>
      point >= 0 &&
      point < this.offsets.length &&
      [...this.range(point, point + 1).getClientRects()].some(
        (box) => box.left <= event.clientX && event.clientX < box.right,
      );
    this.options.point([near, near - 1].find(holds) ?? Math.min(near, this.offsets.length - 1));
  }

  close() {
    this.observer.disconnect();
    this.theme.disconnect();
  }
}

const legacyCaret = (x, y) => {
  const range = document.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : null;
};

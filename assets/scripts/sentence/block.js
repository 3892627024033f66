// One stretch of the text with the bars of its marks. A long text is many of them: only those near the window are measured
// and drawn, and only those whose marks changed are drawn again.

import { node, pxOf } from "../page/dom.js";
import { RIGHT_TO_LEFT } from "../text/direction.js";
import { ROW, barsOf, chipOf, chipWidth } from "./bars.js";
import { deepest, stackRows } from "./stacking.js";

const drawnMarkFields = ["start", "end", "label", "source", "score", "colour", "name", "also", "current", "parts", "relations"];

export const sameMark = (a, b) => drawnMarkFields.every((field) => a[field] === b[field]);

export class Block {
  // element holds the letters; layer holds the bars and lies over it. start, end in code points.
  constructor(text, start, end, unit, element) {
    this.start = start;
    this.end = end;
    this.unit = unit;
    this.letters = document.createTextNode(text);
    this.element = element;
    element.append(this.letters);
    this.layer = node("div", { class: "lla-layer" });
    this.marks = [];
    this.rows = 1;
    this.stale = true;
    this.drawn = false;
    // About how many lines of 45 wide characters: replaced by the true height once the browser has laid the block out.
    let wide = 0;
    for (let at = 0; at < text.length; at += 1) wide += text.charCodeAt(at) >= 0x1100 ? 1 : 0.5;
    this.wide = wide;
    this.breaks = text.split("\n").length - 1;
  }

  // Returns whether the block has to be drawn again.
  take(marks) {
    if (marks.length === this.marks.length && marks.every((mark, at) => sameMark(mark, this.marks[at]))) return false;
    this.marks = marks;
    this.rows = Math.max(this.rows, deepest(marks)); // known without measuring: it spares most blocks a second layout
    this.stale = true;
    return true;
  }

  lineHeight(letter) {
    return Math.round(Math.max(letter + this.rows * ROW + 4, 18 * 2.4));
  }

  // Only ever grows while one text is shown, so that lines do not jump with every edit.
  makeRoom(rows, letter, width, alone) {
    this.rows = Math.max(this.rows, rows);
    const height = this.lineHeight(letter);
    const below = Math.round((height - letter) / 2);
    if (this.height === height && this.width === width) return;
    this.height = height;
    this.width = width;
    const { style } = this.element;
    style.lineHeight = pxOf(height);
    style.paddingBottom = pxOf(below);
    if (alone) return;
    const lines = Math.max(1, Math.ceil((this.wide * 18) / Math.max(width, 18)) + this.breaks * 0.5);
    style.containIntrinsicBlockSize = `auto ${Math.round(lines * height + below)}px`;
  }

  range(from, to) {
    const range = document.createRange();
    range.setStart(this.letters, from - this.unit);
    range.setEnd(this.letters, to - this.unit);
    return range;
  }

  // One box per visual line of the units [from, to), relative to `origin`: what it spans, and the strokes in it. In a line of
  // two directions a stretch may be several strokes.
  boxes(from, to, origin, joins = false) {
    const rects = [...this.range(from, to).getClientRects()];
    const solid = rects.filter((rect) => rect.width);
    const lines = new Map();
    // Line breaks and characters without width are there too, and can be marked by mistake.
    const empty = !solid.length;
    for (const rect of empty ? rects.slice(0, 1) : solid) {
      const stroke = { left: rect.left - origin.left, right: (empty ? rect.left + 6 : rect.right) - origin.left, joins };
      const top = rect.top - origin.top;
      const line = Math.floor((top + rect.height / 2) / this.height);
      const box = lines.get(line);
      if (!box) lines.set(line, { line, empty, ...stroke, top, bottom: top + rect.height, strokes: [stroke] });
      else addStroke(box, stroke);
    }
    return [...lines.values()];
  }

  // The boxes of a mark's pieces in this block, in order; those of a mark in pieces hold what joins them as well.
  boxesOf(mark, offsets, origin) {
    const inside = (start, end) => [Math.max(start, this.start), Math.min(end, this.end)];
    const stretches = [];
    let after = null;
    for (const part of mark.parts ?? [[mark.start, mark.end]]) {
      if (after !== null) stretches.push([...inside(after, part[0]), true]);
      stretches.push([...inside(part[0], part[1]), false]);
      [, after] = part;
    }
    const lines = new Map();
    for (const [start, end, joins] of stretches) {
      if (start >= end) continue;
      for (const box of this.boxes(offsets.toUnit(start), offsets.toUnit(end), origin, joins)) {
        const known = lines.get(box.line);
        if (!known) lines.set(box.line, box);
        else for (const stroke of box.strokes) addStroke(known, stroke);
      }
    }
    return [...lines.values()].sort((a, b) => a.line - b.line);
  }

  // Reads every rectangle and writes nothing: mixing the two costs a layout per mark.
  measure(offsets) {
    const origin = this.element.getBoundingClientRect();
    const items = this.marks.map((mark) => {
      const boxes = this.boxesOf(mark, offsets, origin);
      const chip = chipOf(mark);
      if (mark.end <= this.end && boxes.length) placeChip(boxes[boxes.length - 1], chip, origin.width, offsets, mark);
      return { mark, boxes, chip, first: mark.start >= this.start };
    });
    const places = stackRows(items.map(({ mark, boxes }) => ({ start: mark.start, end: mark.end, boxes, chip: chipRoom(boxes) })));
    this.items = items.map((item, at) => ({ ...item, ...places[at] }));
    return Math.max(1, ...places.map(({ chipRow }) => chipRow + 1));
  }

  write(options, dark) {
    this.layer.replaceChildren(...this.items.flatMap((item) => barsOf(item, options, dark)));
    this.items = [];
    this.stale = false;
    this.drawn = true;
  }

  forget() {
    if (!this.drawn) return;
    this.layer.replaceChildren();
    this.drawn = false;
    this.stale = true;
  }
}

// The room of a mark's chip. Two chips side by side need a gap; one within its own line needs none beside the next line.
export const chipRoom = (boxes) => {
  const { line, right, chipLeft, chipRight } = boxes[boxes.length - 1] ?? {};
  return chipLeft === undefined ? null : { line, left: chipLeft, right: chipRight > right ? chipRight + 4 : chipRight };
};

export const addStroke = (box, stroke) => {
  const touching = box.strokes.find((other) => other.joins === stroke.joins && other.left <= stroke.right + 1 && stroke.left <= other.right + 1);
  if (touching) {
    touching.left = Math.min(touching.left, stroke.left);
    touching.right = Math.max(touching.right, stroke.right);
  } else {
    box.strokes.push(stroke);
  }
  box.left = Math.min(box.left, stroke.left);
  box.right = Math.max(box.right, stroke.right);
};

// The chip sits where the mark ends: at the left where its last letter is read from right to left.
const placeChip = (box, chip, width, offsets, mark) => {
  const wide = chipWidth(chip);
  const last = offsets.slice(mark.end - 1, mark.end);
  const atLeft = RIGHT_TO_LEFT.test(last) || (!/[\p{L}\p{N}]/u.test(last) && offsets.rightToLeft(mark.start));
  const wanted = atLeft ? box.left : Math.max(box.right - wide, box.left);
  box.chipLeft = Math.max(0, Math.min(wanted, width - wide));
  box.chipRight = box.chipLeft + wide;
};

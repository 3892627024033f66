// Python counts code points, the browser counts UTF-16 units. All state is in code points; only the DOM edge converts.

import { cutBlocks, segmenter } from "./cuts.js";
import { runsLeft } from "./direction.js";
import { firstWhere } from "./intervals.js";

const PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

export class Offsets {
  constructor(text) {
    this.text = text;
    // The code points that take two units, as point and as unit: all that is needed to convert, and mostly nothing.
    this.pairPoints = [];
    this.pairUnits = [];
    for (const pair of text.matchAll(PAIR)) {
      this.pairPoints.push(pair.index - this.pairUnits.length);
      this.pairUnits.push(pair.index);
    }
    this.length = text.length - this.pairUnits.length;
    this.cut = new Map();
  }

  toUnit(point) {
    const inside = Math.max(0, Math.min(point, this.length));
    return inside + firstWhere(this.pairPoints.length, (index) => this.pairPoints[index] >= inside);
  }

  // A unit inside a surrogate pair counts as the code point it belongs to (or the one after, rounding up).
  toPoint(unit, up = false) {
    const inside = Math.max(0, Math.min(unit, this.text.length));
    const before = firstWhere(this.pairUnits.length, (index) => this.pairUnits[index] >= inside);
    const split = before > 0 && this.pairUnits[before - 1] === inside - 1;
    return inside - before + (split && up ? 1 : 0);
  }

  slice(start, end) {
    return this.text.slice(this.toUnit(start), this.toUnit(end));
  }

  // Where the blocks of the text begin, in code points.
  get blocks() {
    this.starts ??= cutBlocks(this.text).map((unit) => this.toPoint(unit));
    return this.starts;
  }

  // The number of the block that holds a code point.
  blockAt(point) {
    return Math.max(0, firstWhere(this.blocks.length, (index) => this.blocks[index] > point) - 1);
  }

  // Characters, words or sentences of one block as [start, end]: a long text is never segmented as a whole for one key.
  segmentsOf(granularity, index) {
    const key = `${granularity} ${index}`;
    if (!this.cut.has(key)) this.cut.set(key, this.segment(granularity, this.blocks[index], this.blocks[index + 1] ?? this.length));
    return this.cut.get(key);
  }

  segment(granularity, start, end) {
    const found = [];
    const pieces = segmenter(granularity);
    if (!pieces) {
      for (let point = start; point < end; point += 1) found.push([point, point + 1]);
      return found;
    }
    const from = this.toUnit(start);
    for (const piece of pieces.segment(this.slice(start, end))) {
      const first = this.toPoint(from + piece.index);
      if (granularity !== "word" || piece.isWordLike) found.push([first, this.toPoint(from + piece.index + piece.segment.length)]);
    }
    return found;
  }

  // The nearest edge of `pieces` after (or before) `point`; null where there is none.
  edge(point, forward, pieces) {
    let best = null;
    for (const piece of pieces) {
      for (const edge of piece) {
        if (forward ? edge > point && (best === null || edge < best) : edge < point && (best === null || edge > best)) best = edge;
      }
    }
    return best;
  }

  // The same among the characters, words or sentences of the language.
  stepBy(granularity, point, forward) {
    const last = this.blocks.length - 1;
    for (let index = this.blockAt(forward ? point : point - 1); index >= 0 && index <= last; index += forward ? 1 : -1) {
      const found = this.edge(point, forward, this.segmentsOf(granularity, index));
      if (found !== null) return found;
    }
    return forward ? this.length : 0;
  }

  // `point` itself where a character begins there, else the beginning (or the end) of the character around it.
  whole(point, up = false) {
    if (point <= 0 || point >= this.length) return Math.max(0, Math.min(point, this.length));
    const pieces = this.segmentsOf("grapheme", this.blockAt(point));
    const piece = pieces[firstWhere(pieces.length, (index) => pieces[index][1] > point)];
    return !piece || piece[0] === point ? point : piece[up ? 1 : 0];
  }

  // The longest word over a code point: of the lattice where it has one, else of the language.
  wordAt(point, words) {
    const over = ([start, end]) => start <= point && point < end;
    const byLength = (a, b) => b[1] - b[0] - (a[1] - a[0]);
    return words.filter(over).sort(byLength)[0] ?? this.segmentsOf("word", this.blockAt(point)).find(over) ?? null;
  }

  // Whether the paragraph around a code point is read from right to left: its first letter decides, as in the browser.
  rightToLeft(point) {
    const unit = this.toUnit(point);
    const start = this.text.lastIndexOf("\n", unit - 1) + 1;
    const end = this.text.indexOf("\n", unit);
    return runsLeft(this.text.slice(start, end < 0 ? undefined : end));
  }
}

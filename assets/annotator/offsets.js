// Python counts code points, the browser counts UTF-16 units. All state is in code points; only the DOM edge converts.

class Offsets {
  constructor(text) {
    this.text = text;
    this.starts = []; // unit offset of every code point, and of the end
    let unit = 0;
    for (const char of text) {
      this.starts.push(unit);
      unit += char.length;
    }
    this.starts.push(unit);
    this.length = this.starts.length - 1;
    this.plain = unit === this.length;
  }

  toUnit(point) {
    return this.starts[Math.max(0, Math.min(point, this.length))];
  }

  // A unit inside a surrogate pair counts as the code point it belongs to (or the one after, rounding up).
  toPoint(unit, up = false) {
    if (this.plain) return Math.max(0, Math.min(unit, this.length));
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle] < unit) low = middle + 1;
      else high = middle;
    }
    return this.starts[low] === unit || up ? low : low - 1;
  }

  slice(start, end) {
    return this.text.slice(this.toUnit(start), this.toUnit(end));
  }

  segments(granularity) {
    const cache = `cached ${granularity}`;
    if (this[cache]) return this[cache];
    const found = [];
    if (typeof Intl !== "undefined" && Intl.Segmenter) {
      for (const piece of new Intl.Segmenter(undefined, { granularity }).segment(this.text)) {
        const start = this.toPoint(piece.index);
        const end = this.toPoint(piece.index + piece.segment.length);
        if (granularity !== "word" || piece.isWordLike) found.push([start, end]);
      }
    } else {
      for (let point = 0; point < this.length; point += 1) found.push([point, point + 1]);
    }
    this[cache] = found;
    return found;
  }

  // The nearest cut after (or before) `point` among the edges of `pieces`, or the end of the text.
  step(point, forward, pieces) {
    let best = forward ? this.length : 0;
    for (const piece of pieces) {
      for (const edge of piece) {
        if (forward ? edge > point && edge < best : edge < point && edge > best) best = edge;
      }
    }
    return best;
  }

  // The longest word over a code point: of the lattice where it has one, else of the language.
  wordAt(point, words) {
    const over = ([start, end]) => start <= point && point < end;
    const byLength = (a, b) => b[1] - b[0] - (a[1] - a[0]);
    return words.filter(over).sort(byLength)[0] ?? this.segments("word").find(over) ?? null;
  }
}

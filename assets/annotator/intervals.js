// Stretches [start, end) that can be asked which of them lie over another one, without looking at all of them.

class Intervals {
  constructor(stretches) {
    this.sorted = [...stretches].sort((a, b) => a.start - b.start);
    this.reach = []; // the furthest end up to and with each one: where it falls short, none before it can touch either
    let furthest = 0;
    for (const { end } of this.sorted) {
      furthest = Math.max(furthest, end);
      this.reach.push(furthest);
    }
  }

  // Those that share at least one character with [start, end), the last first.
  over(start, end) {
    const found = [];
    for (let at = firstWhere(this.sorted.length, (index) => this.sorted[index].start >= end) - 1; at >= 0 && this.reach[at] > start; at -= 1) {
      if (this.sorted[at].end > start) found.push(this.sorted[at]);
    }
    return found;
  }
}

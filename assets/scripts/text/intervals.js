// Questions to sorted lists that do not look at every item.

// The least number below `length` for which `holds` is true (it stays true from there on), or `length`.
export const firstWhere = (length, holds) => {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

// Interval index: finds the intervals [start, end) that overlap another one.

export class Intervals {
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

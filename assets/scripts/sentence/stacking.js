// Which row under the text each mark takes: the shorter of two overlapping marks is nearer the text, and
// a chip that is wider than its bar pushes its neighbour down instead of covering it.

const overlapsText = (a, b) => a.start < b.end && b.start < a.end;

const ROUNDED = 0.5; // px: browsers round rectangles outward, so that those of neighbouring letters overlap by less

const overlapsBoxes = (a, b) =>
  a.some((one) => b.some((other) => one.line === other.line && one.left + ROUNDED < other.right && other.left + ROUNDED < one.right));

// marks: [{start, end, boxes: [{line, left, right}]}] -> one row number per mark, 0 nearest the text.
export const stackRows = (marks) => {
  const rows = new Array(marks.length).fill(0);
  const order = marks.map((_, index) => index);
  const length = (index) => marks[index].end - marks[index].start;
  order.sort((a, b) => length(a) - length(b) || marks[a].start - marks[b].start || a - b);
  const byLine = new Map(); // only marks that share a visual line can meet
  for (const index of order) {
    const mark = marks[index];
    const taken = new Set();
    let lowest = 0;
    const near = new Set(mark.boxes.flatMap((box) => byLine.get(box.line) ?? []));
    for (const other of near) {
      if (overlapsText(mark, marks[other])) lowest = Math.max(lowest, rows[other] + 1);
      else if (overlapsBoxes(mark.boxes, marks[other].boxes)) taken.add(rows[other]);
    }
    while (taken.has(lowest)) lowest += 1;
    rows[index] = lowest;
    for (const { line } of mark.boxes) {
      if (!byLine.has(line)) byLine.set(line, []);
      byLine.get(line).push(index);
    }
  }
  return rows;
};

// How many marks lie over one another at the deepest place: the rows a text needs at least, known without measuring.
export const deepest = (marks) => {
  const edges = marks.flatMap(({ start, end }) => [[start, 1], [end, -1]]);
  edges.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  let open = 0;
  let most = 0;
  for (const [, change] of edges) most = Math.max(most, (open += change));
  return most;
};

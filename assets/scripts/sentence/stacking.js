// Which row under the text the line of each mark takes, and which its chip: of two overlapping marks the shorter is nearer the
// text, and neighbours lie side by side. A chip that is wider than its line goes below the lines beside it.

const overlapsText = (a, b) => a.start < b.end && b.start < a.end;

const ROUNDED = 0.5; // px: browsers round rectangles outward, so that those of neighbouring letters overlap by less

const meet = (one, other) => one.line === other.line && one.left + ROUNDED < other.right && other.left + ROUNDED < one.right;

// Whether a box lies where a mark's line does.
const meetsLine = (box, mark) => mark.boxes.some((other) => meet(box, other));

const firstFree = (row, taken) => {
  let free = row;
  while (taken.has(free)) free += 1;
  return free;
};

// Shorter marks first. Of one length the last first, since the way down to a chip is at the left of its line, where no later chip
// lies; but those that overlap from first to last.
const inOrder = (marks) => {
  const length = (mark) => mark.end - mark.start;
  const groups = []; // of one length each: runs of marks that overlap, the last run first
  for (const mark of [...marks].sort((a, b) => length(a) - length(b) || a.start - b.start)) {
    const runs = groups.at(-1);
    if (!runs || length(runs[0][0]) !== length(mark)) groups.push([[mark]]);
    else if (overlapsText(runs[0].at(-1), mark)) runs[0].push(mark);
    else runs.unshift([mark]);
  }
  return groups.flat(2);
};

// marks: [{start, end, boxes: [{line, left, right}], chip: {line, left, right} or null}] -> {row, chipRow} of each, 0 nearest
// the text.
export const stackRows = (marks) => {
  const byLine = new Map(); // only marks that share a visual line can meet
  const linesOf = ({ boxes, chip }) => new Set([...boxes, ...(chip ? [chip] : [])].map(({ line }) => line));
  for (const mark of marks) {
    for (const line of linesOf(mark)) {
      if (!byLine.has(line)) byLine.set(line, []);
      byLine.get(line).push(mark);
    }
  }
  const places = new Map();
  for (const mark of inOrder(marks)) {
    const { boxes, chip } = mark;
    const near = [...new Set([...linesOf(mark)].flatMap((line) => byLine.get(line)))].filter((other) => other !== mark);
    const beside = near.filter((other) => !overlapsText(mark, other));
    const placed = near.filter((other) => places.has(other));
    const lowest = Math.max(0, ...placed.filter((other) => overlapsText(mark, other)).map((other) => places.get(other).chipRow + 1));
    const taken = new Set();
    for (const other of placed) {
      if (boxes.some((box) => meetsLine(box, other))) taken.add(places.get(other).row);
      if (other.chip && meetsLine(other.chip, mark)) taken.add(places.get(other).chipRow);
    }
    const row = firstFree(lowest, taken);
    const takenByOthers = new Set();
    for (const other of chip ? placed : []) {
      if (meetsLine(chip, other)) takenByOthers.add(places.get(other).row);
      if (other.chip && meet(chip, other.chip)) takenByOthers.add(places.get(other).chipRow);
    }
    const crowded = chip && beside.some((other) => meetsLine(chip, other));
    places.set(mark, { row, chipRow: chip ? firstFree(row + (crowded ? 1 : 0), takenByOthers) : row });
  }
  return marks.map((mark) => places.get(mark));
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

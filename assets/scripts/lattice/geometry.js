// Where the nodes of a lattice stand: characters in lines, words in lanes over them, predicted spans under them.
// Positions are characters of the sentence, or its words where these are tagged; sizes are pixels.

import { runsLeft } from "../text/direction.js";

export const FINE = { wide: 28, narrow: 14, row: 34, bar: 22, lane: 26 };
export const COARSE = { wide: 40, narrow: 24, row: 40, bar: 32, lane: 38 }; // a fingertip needs more
export const EDGE = 8;
const NUMBERS = 14;
const SPAN_LANE = 26;
const BETWEEN = 14;
const BEYOND = 12; // how far a word that goes on in another line runs out of this one

const isWide = (character) => character.codePointAt(0) >= 0x1100;

const cellWidth = (token, size) => {
  const characters = [...token];
  const single = characters.length === 1 ? 0 : size.narrow / 2; // words are parted by more than letters
  return characters.reduce((sum, character) => sum + (isWide(character) ? size.wide : size.narrow), single);
};

// -> [{first, last, x}]: first and last character, and the edge at which each begins, then that at which the last ends.
// A text that runs from right to left begins at the right.
export const breakLines = (tokens, size, width) => {
  const lines = [];
  for (const [at, token] of tokens.entries()) {
    const cell = cellWidth(token, size);
    let line = lines[lines.length - 1];
    if (!line || line.x[line.x.length - 1] + cell > width - EDGE) {
      line = { first: at, last: at, x: [EDGE] };
      lines.push(line);
    }
    line.last = at;
    line.x.push(line.x[line.x.length - 1] + cell);
  }
  if (runsLeft(tokens.join(""))) for (const line of lines) line.x = line.x.map((x) => width - x);
  return lines;
};

// The piece of a node that lies in a line, or null. An open end is one where the node goes on in another line.
const pieceIn = (line, head, tail) => {
  if (tail < line.first || head > line.last) return null;
  const [from, to] = [Math.max(head, line.first), Math.min(tail, line.last)];
  const piece = { from, to, openBefore: head < line.first, openAfter: tail > line.last };
  const [begins, ends] = [line.x[from - line.first], line.x[to - line.first + 1]];
  const [openLeft, openRight] = begins < ends ? [piece.openBefore, piece.openAfter] : [piece.openAfter, piece.openBefore];
  piece.left = Math.min(begins, ends) + 1 - (openLeft ? BEYOND : 0);
  piece.right = Math.max(begins, ends) - 1 + (openRight ? BEYOND : 0);
  return piece;
};

// Shorter pieces take the lane nearest the text, so that a nested word never hides its parts. Returns how many.
const stack = (pieces) => {
  const used = [];
  const order = [...pieces].sort((a, b) => a.to - a.from - (b.to - b.from) || a.left - b.left);
  for (const piece of order) {
    let lane = 0;
    while (used[lane]?.some((other) => piece.left < other.right && other.left < piece.right)) lane += 1;
    (used[lane] ??= []).push(piece);
    piece.lane = lane;
  }
  return used.length;
};

export const nameWidth = (name) => [...name].reduce((sum, character) => sum + (isWide(character) ? 12 : 7), 4);

// The whole picture: {width, height, lines, boxes: node -> pieces, spans: pieces, size}.
// `shown` says whether a word is drawn; `nameOf` gives the words under a span.
export const arrange = (value, width, size, shown, nameOf) => {
  const tokens = value.nodes.slice(0, value.characters);
  const lines = breakLines(tokens, size, width);
  const boxes = value.nodes.map(() => []);
  const spans = [];
  let top = 4;
  for (const line of lines) {
    const words = [];
    for (let node = value.characters; node < value.nodes.length; node += 1) {
      const piece = shown(node) && pieceIn(line, value.head[node], value.tail[node]);
      if (piece) words.push(Object.assign(piece, { node }));
    }
    const lanes = stack(words);
    line.base = top + lanes * size.lane;
    for (const word of words) {
      word.top = line.base - (word.lane + 1) * size.lane + (size.lane - size.bar) / 2;
      word.height = size.bar;
      boxes[word.node].push(word);
    }
    for (let at = line.first; at <= line.last; at += 1) {
      const edges = [line.x[at - line.first], line.x[at - line.first + 1]];
      const [left, right] = [Math.min(...edges), Math.max(...edges)];
      boxes[at].push({ node: at, from: at, to: at, left, right, top: line.base, height: size.row });
    }
    const below = value.spans.flatMap((span) => {
      const piece = pieceIn(line, span.head, span.tail);
      if (!piece) return [];
      // Its name begins where it begins, and may be longer.
      const { left, right } = piece;
      const [name, fromRight] = [nameWidth(nameOf(span)), line.x[0] > line.x[1]];
      const room = fromRight ? { left: Math.min(left, right - name), right } : { left, right: Math.max(right, left + name) };
      return [Object.assign(piece, room, { span, bar: { left, right }, fromRight, line })];
    });
    const rows = stack(below);
    for (const piece of below) piece.top = line.base + size.row + NUMBERS + piece.lane * SPAN_LANE;
    spans.push(...below);
    top = line.base + size.row + NUMBERS + rows * SPAN_LANE + BETWEEN;
  }
  return { width, height: top, lines, boxes, spans, size };
};

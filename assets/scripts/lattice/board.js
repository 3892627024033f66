// Draws an arranged lattice as SVG. Colours come as a palette, so that a saved file needs no style sheet.

import { readable } from "../page/colour.js";
import { nameWidth } from "./geometry.js";

export const SVG = "http://www.w3.org/2000/svg";
export const FONT = '"Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", "Noto Sans", sans-serif';
const names = ["ink", "faint", "word", "line", "out", "into", "ground"];
export const ON_PAGE = Object.fromEntries(names.map((name) => [name, `var(--ll-lattice-${name})`]));
export const IN_FILE = {
  ink: "#1c262c", faint: "#55646d", word: "#eef1f5", line: "#b8c0cc", out: "#0072B2", into: "#D55E00", ground: "#ffffff",
};
const MOST_LINES = 12; // the fills show every tie, lines only the strongest of each direction

export const shape = (name, attributes, text) => {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  return made;
};

const visible = (character) => {
  if (character === "\n" || character === "\r") return "↵";
  if (character === "\t") return "⇥";
  return character.trim() ? character : "␣";
};

const widthOf = (piece) => Math.max(piece.right - piece.left, 1);

// A label's colour, moved only as far from itself as reading it needs.
const labelInk = (colour, dark) => readable(colour, dark).ink;

export class Board {
  // value: what Python sent. describe(node): its name for a screen reader. palette: see above.
  constructor(value, scene, { palette, describe, nameOf, dark, filling }) {
    Object.assign(this, { value, scene, palette, describe, nameOf, dark, filling });
    const { width, height } = scene;
    this.svg = shape("svg", { xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}`, "font-family": FONT });
    this.back = shape("g", {});
    this.ground = shape("g", {});
    this.fills = shape("g", { "pointer-events": "none" });
    this.nodes = shape("g", {});
    this.lines = shape("g", { "pointer-events": "none", fill: "none", "stroke-linecap": "round" });
    this.svg.append(this.back, this.ground, this.fills, this.nodes, this.lines);
    this.handles = new Map();
    this.drawSpans();
    scene.boxes.forEach((pieces, node) => pieces.forEach((piece, part) => this.drawNode(node, piece, part)));
  }

  get characters() {
    return this.value.characters;
  }

  drawSpans() {
    const { size } = this.scene;
    for (const piece of this.scene.spans) {
      const { span, line } = piece;
      const group = shape("g", { role: "img", "aria-label": this.spanFacts(span) });
      group.append(shape("title", {}, this.spanFacts(span)));
      this.ground.append(group);
      const { left, right } = piece.bar;
      const reach = { x: left - 1, y: line.base, width: Math.max(right - left + 2, 2), height: size.row };
      this.back.append(shape("rect", { ...reach, fill: span.colour, "fill-opacity": 0.13 }));
      if (span.focus) {
        const outline = { fill: "none", stroke: labelInk(span.colour, this.dark), "stroke-width": 2, rx: 3 };
        group.append(shape("rect", { ...reach, x: reach.x - 1, width: reach.width + 2, ...outline }));
      }
      const bar = { x: left, y: piece.top, width: Math.max(right - left, 2), height: 4, rx: 2 };
      group.append(shape("rect", { ...bar, fill: span.colour }));
      // An end that runs out of the line leaves its name inside.
      const begins = piece.fromRight ? { x: Math.min(right, this.scene.width - 2), "text-anchor": "end" } : { x: Math.max(left, 2) };
      const name = { ...begins, y: piece.top + 16, "font-size": 12, "font-weight": span.focus ? 700 : 600 };
      const ink = labelInk(span.colour, this.dark);
      group.append(shape("text", { ...name, fill: ink, class: "ll-span-name" }, this.nameOf(span)));
    }
  }

  // E.g. `岭南市 · LOC .91 · 3–6`.
  spanFacts(span) {
    const surface = [...this.value.text].slice(span.start, span.end).join("");
    return `${surface} · ${this.nameOf(span)} · ${span.start}–${span.end}`;
  }

  drawNode(node, piece, part) {
    const isWord = node >= this.characters;
    if (isWord) this.drawBar(node, piece);
    else if (node % 5 === 0) this.drawNumber(node, piece);
    const group = shape("g", { class: isWord ? "ll-word" : "ll-char", "data-node": node });
    const area = { x: piece.left, y: piece.top, width: widthOf(piece), height: piece.height, rx: isWord ? 4 : 2 };
    group.append(shape("rect", { ...area, fill: "transparent" }), this.label(node, piece, isWord));
    if (part === 0) {
      const name = this.describe(node);
      for (const [key, item] of [["role", "button"], ["tabindex", "-1"], ["aria-pressed", "false"], ["aria-label", name]]) {
        group.setAttribute(key, item);
      }
      this.handles.set(node, group);
    } else {
      group.setAttribute("aria-hidden", "true");
    }
    this.nodes.append(group);
  }

  drawBar(node, piece) {
    const span = this.value.spans[this.value.touches[node][0]];
    const bar = { x: piece.left, y: piece.top, width: widthOf(piece), height: piece.height, rx: 4 };
    const paint = span
      ? { fill: span.colour, "fill-opacity": 0.16, stroke: span.colour }
      : { fill: this.palette.word, stroke: this.palette.line };
    this.back.append(shape("rect", { ...bar, ...paint }));
    const share = this.filling(node);
    if (share === null) return;
    const gauge = { x: piece.left + 2, y: piece.top + piece.height - 4.5, height: 3, rx: 1.5 };
    this.ground.append(shape("rect", { ...gauge, width: (widthOf(piece) - 4) * share, fill: this.palette.out }));
  }

  drawNumber(node, piece) {
    const place = { x: (piece.left + piece.right) / 2, y: piece.top + piece.height + 10, "text-anchor": "middle" };
    this.ground.append(shape("text", { ...place, "font-size": 10, fill: this.palette.faint }, String(node)));
  }

  // A word that crosses the end of a line shows in each the characters that stand there.
  label(node, piece, isWord) {
    const characters = this.value.nodes.slice(piece.from, piece.to + 1).map(visible);
    const inner = isWord && !piece.openBefore && !piece.openAfter ? this.value.nodes[node] : characters.join("");
    const said = `${piece.openBefore ? "…" : ""}${inner}${piece.openAfter ? "…" : ""}`;
    const size = isWord ? 13 : 18;
    const raised = isWord && this.filling(node) !== null ? 2 : 0; // room for the gauge
    const place = { x: (piece.left + piece.right) / 2, y: piece.top + piece.height / 2 + size * 0.36 - raised };
    const text = shape("text", { ...place, "text-anchor": "middle", "font-size": size, fill: this.palette.ink }, said);
    const room = widthOf(piece) - 6;
    if (isWord && nameWidth(said) + 2 > room) {
      text.setAttribute("textLength", String(room));
      text.setAttribute("lengthAdjust", "spacingAndGlyphs");
    }
    return text;
  }

  // Fills every tied node by its weight and draws the strongest ties as lines. direction: out, into or both.
  show(node, { out, into }, direction) {
    this.clear();
    const wanted = [["out", out], ["into", into]].filter(([name]) => direction === "both" || direction === name);
    this.back.setAttribute("opacity", "0.4"); // the colours of entities step back behind those of the ties
    for (const [name, links] of wanted) {
      const most = links[0]?.weight || 1;
      const half = wanted.length > 1 ? name : "";
      for (const link of links) this.fill(link.node, link.weight / most, this.palette[name], half);
      for (const link of links.slice(0, MOST_LINES)) this.connect(node, link, link.weight / most, name);
    }
    for (const piece of this.scene.boxes[node]) {
      const area = { x: piece.left, y: piece.top, width: widthOf(piece), height: piece.height, rx: 4, fill: "none" };
      this.fills.append(shape("rect", { ...area, stroke: this.palette.ink, "stroke-width": 2 }));
    }
  }

  clear() {
    this.back.removeAttribute("opacity");
    this.fills.replaceChildren();
    this.lines.replaceChildren();
  }

  // In both directions at once the upper half says whom the node looks at, the lower half who looks at it.
  fill(node, share, colour, half) {
    for (const piece of this.scene.boxes[node]) {
      const height = half ? piece.height / 2 : piece.height;
      const top = half === "into" ? piece.top + height : piece.top;
      const area = { x: piece.left, y: top, width: widthOf(piece), height, rx: 2 };
      this.fills.append(shape("rect", { ...area, fill: colour, "fill-opacity": (0.06 + 0.54 * share).toFixed(3) }));
    }
  }

  connect(node, link, share, direction) {
    const pair = this.nearest(node, link.node);
    if (!pair || node === link.node) return;
    const [a, b] = pair.map((piece) => ({ x: (piece.left + piece.right) / 2, y: piece.top + 2 }));
    const lift = Math.min(18 + Math.abs(a.x - b.x) * 0.18, 90) * (direction === "out" ? 1 : 0.7);
    const top = Math.max(Math.min(a.y, b.y) - lift, 2);
    const path = `M${a.x} ${a.y}C${a.x} ${top} ${b.x} ${top} ${b.x} ${b.y}`;
    this.lines.append(
      shape("path", {
        d: path,
        stroke: this.palette[direction],
        "stroke-width": (0.75 + 3.75 * share).toFixed(2),
        "stroke-opacity": (0.2 + 0.6 * share).toFixed(2),
        ...(direction === "into" ? { "stroke-dasharray": "5 4" } : {}),
      }),
    );
  }

  // The two pieces of two nodes that stand closest: a word may have one in each of two lines.
  nearest(node, other) {
    let best = null;
    let least = Infinity;
    for (const a of this.scene.boxes[node]) {
      for (const b of this.scene.boxes[other]) {
        const far = Math.abs(a.top - b.top) + Math.abs(a.left - b.left) / 8;
        if (far < least) [least, best] = [far, [a, b]];
      }
    }
    return best;
  }
}

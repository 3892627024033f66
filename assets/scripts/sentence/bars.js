// The bar under one piece of a mark: its line, its chip, its name for screen readers.

import { readable } from "../page/colour.js";
import { node, pxOf } from "../page/dom.js";
import { shortScore } from "../page/messages.js";
import { markKey } from "../text/spans.js";

export const ROW = 17; // px per stacked mark: a 3 px line and its chip
const GAP = 1; // px at each end of a line, so that those of adjacent marks are two lines
let chipInk = null;
const chipWidths = new Map();

export const chipWidth = (chip) => {
  if (!chipWidths.has(chip)) {
    chipInk ??= document.createElement("canvas").getContext("2d");
    chipInk.font = "600 11px system-ui, sans-serif";
    chipWidths.set(chip, Math.min(140, Math.ceil(chipInk.measureText(chip).width) + 8));
  }
  return chipWidths.get(chip);
};

export const chipOf = (mark) => [mark.name ?? mark.label, shortScore(mark.score), mark.also].filter(Boolean).join(" ");

// A mark in pieces is shown and kept, never edited.
const isRead = (mark) => Boolean(mark.parts);

// Boxes of a stretch as elements that lie over it.
export const patches = (boxes) =>
  boxes.map(({ left, right, top, bottom }) => node("i", { style: { left: pxOf(left), width: pxOf(right - left), top: pxOf(top), height: pxOf(bottom - top) } }));

// The lines of a bar: solid, dashed or dotted by its source, thin where it only joins the pieces of one mark.
const linesOf = (box, left) =>
  box.strokes.map((stroke) =>
    node("i", {
      class: stroke.joins ? "lla-join" : "lla-line",
      style: { left: pxOf(stroke.left - left + (stroke.joins ? 0 : GAP)), width: pxOf(Math.max(4, stroke.right - stroke.left - (stroke.joins ? 0 : 2 * GAP))) },
    }),
  );

// item: {mark, boxes, row, chipRow, chip, first}. boxes: one per visual line, {left, right, top, bottom, strokes, chipLeft?};
// first: whether the mark begins here and not in a block above. Only that piece is named and takes the focus.
// walked: the keyboard is led from bar to bar, they are no tab stops of their own.
export const barsOf = ({ mark, boxes, row, chipRow, chip, first }, { still, walked, describe }, dark) => {
  const colours = readable(mark.colour, dark);
  const pressed = !still && !isRead(mark);
  return boxes.map((box, index) => {
    const leads = first && index === 0;
    const { left, right } = box;
    const rise = box.bottom - box.top + 1 + row * ROW;
    const bar = node(pressed ? "button" : "span", {
      class: `lla-bar lla-${mark.source}${mark.current ? " lla-current" : ""}${isRead(mark) ? " lla-read" : ""}`,
      type: pressed ? "button" : null,
      tabindex: pressed ? (leads && !walked ? "0" : "-1") : null,
      role: pressed || still ? null : "img",
      "data-key": markKey(mark),
      title: mark.title ?? null,
      "aria-label": leads && !still ? describe(mark) : null,
      "aria-hidden": leads || still ? null : "true",
      style: {
        left: pxOf(left),
        width: pxOf(right - left),
        top: pxOf(box.top + rise),
        height: pxOf(ROW),
        "--ink": colours.ink,
        "--tint": colours.tint,
        "--rise": pxOf(rise),
      },
    });
    bar.append(...linesOf(box, left));
    if (box.chipLeft !== undefined) {
      const fallen = pxOf((chipRow - row) * ROW);
      if (chipRow > row) bar.append(node("i", { class: "lla-stem", style: { left: pxOf(Math.max(box.chipLeft - left, GAP)), height: fallen } }));
      bar.append(node("span", { class: "lla-chip", style: { left: pxOf(box.chipLeft - left), "--fallen": fallen }, text: chip }));
    }
    return bar;
  });
};

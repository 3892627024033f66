// The answer to "why this span": a ranked list, and the sentence coloured by it.

import { node } from "../page/dom.js";
import { drawValue } from "../page/session.js";

const SIGNED = 0.12; // of the greatest: what is weaker gets its colour without a sign
const CHIPS = 0.02;
const LEAST = 0.05; // what is weaker than this is drawn weak, though it be the greatest

export const signed = (worth) => `${worth < 0 ? "−" : "+"}${Math.abs(worth).toFixed(2)}`;

const tint = (worth, most) => {
  const share = Math.min(1, Math.abs(worth) / most);
  if (share < 0.01) return "transparent";
  return `rgb(var(${worth < 0 ? "--ll-against" : "--ll-for"}) / ${(0.08 + 0.5 * share).toFixed(3)})`;
};

const reasonRow = (row, most) => {
  const width = (50 * Math.abs(row.worth)) / most;
  const bar = node("i", { class: row.worth < 0 ? "ll-against" : "", style: { width: `${width}%` } });
  return node(
    "li",
    {},
    node("span", { class: "ll-reasons-what", text: row.what }),
    node("span", { class: `ll-reasons-outcome${row.broken ? " ll-reasons-broken" : ""}`, text: row.outcome }),
    node("span", { class: "ll-reasons-change", text: row.change }),
    node("span", { class: "ll-reasons-bar", "aria-hidden": "true" }, bar),
  );
};

// What a reader sees as one character may be several code points: they share a box, and their worth is summed.
export const letters = (text) => {
  const parts = globalThis.Intl?.Segmenter
    ? [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)].map((part) => part.segment)
    : [...text];
  let at = 0;
  return parts.map((part) => {
    const start = at;
    at += [...part].length;
    return { part, start, end: at };
  });
};

const tintedSentence = (value) => {
  const boxes = letters(value.sentence).map((letter) => ({
    ...letter,
    worth: value.worth.slice(letter.start, letter.end).reduce((sum, next) => sum + next, 0),
  }));
  const most = Math.max(...boxes.map((box) => Math.abs(box.worth)), LEAST);
  const drawn = boxes.map((box) =>
    node("span", {
      class: `ll-tint${box.start >= value.start && box.end <= value.end ? " ll-tint-span" : ""}`,
      "data-sign": Math.abs(box.worth) / most >= SIGNED ? (box.worth < 0 ? "−" : "+") : null,
      title: `${box.part} ${signed(box.worth)}`,
      style: { background: tint(box.worth, most) },
      text: box.part,
    }),
  );
  return node("p", { class: "ll-reasons-sentence", lang: "und", dir: "auto" }, ...drawn);
};

const wordChips = (value) => {
  const most = Math.max(...value.words.map((word) => Math.abs(word.worth)), ...value.worth.map(Math.abs), LEAST);
  const shown = value.words.filter((word) => Math.abs(word.worth) / most >= CHIPS);
  if (!shown.length) return null;
  const chips = shown.map((word) =>
    node("span", { class: "ll-word", style: { background: tint(word.worth, most) }, text: `${word.text} ${signed(word.worth)}` }),
  );
  return node("p", { class: "ll-reasons-words" }, node("span", { text: value.words_name }), ...chips);
};

export const drawReasons = (place, value) => {
  const rows = value.rows ?? [];
  const most = Math.max(...rows.map((row) => Math.abs(row.worth)), LEAST);
  const parts = [
    value.question ? node("p", { class: "ll-reasons-question", text: value.question }) : null,
    rows.length ? node("ol", {}, ...rows.map((row) => reasonRow(row, most))) : null,
    node(
      "div",
      { class: "ll-reasons-picture" },
      value.sentence ? tintedSentence(value) : null,
      value.words?.length ? wordChips(value) : null,
      value.note ? node("p", { class: value.pending ? "ll-reasons-note ll-reasons-coming" : "ll-reasons-note", text: value.note }) : null,
    ),
  ];
  place.replaceChildren(...parts.filter(Boolean));
};

export const mount = (widget) => {
  const place = widget.element.querySelector(".ll-reasons");
  drawValue(widget, (value) => {
    drawReasons(place, value);
    if (value.pending) widget.trigger("waiting");
  });
};

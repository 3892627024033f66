// The list of a run's errors.

import { node } from "../page/dom.js";
import { drawValue } from "../page/session.js";
import { StillSentences, coloured } from "../sentence/still.js";

const SOURCES = ["person", "tagger", "place"];

const said = (part, words) =>
  part.label || part.surface
    ? node("span", {}, part.label ? node("b", { text: part.label }) : null, part.label ? " " : null, part.surface)
    : node("span", { class: "ll-errors-quiet", text: words.nothing });

const claim = (row, words) =>
  node(
    "p",
    { class: "ll-errors-claim" },
    node("span", { class: "ll-errors-kind", text: row.kind }),
    ...row.said.flatMap((part, at) => [
      at ? node("span", { class: "ll-errors-quiet", "aria-hidden": "true", text: "→" }) : null,
      said(part, words),
    ]),
  );

const sentenceOf = (item, { words, colours }, sentences, trigger) => {
  const go = (event, text) =>
    node("button", { type: "button", class: "ll-errors-go", text, onclick: () => trigger(event, { document: item.document, at: item.at }) });
  const marks = item.marks.filter((mark) => SOURCES.includes(mark.source));
  return node(
    "div",
    { class: "ll-errors-sentence" },
    item.note ? node("p", { class: "ll-errors-note", text: item.note }) : null,
    sentences.add(item.text, coloured(marks, colours)),
    node(
      "p",
      { class: "ll-errors-ways" },
      go("choose", words.open),
      go("inside", words.inside),
      node("span", { class: "ll-errors-name", title: item.name, text: item.name }),
    ),
  );
};

const scrolls = (place) => /auto|scroll/.test(getComputedStyle(place).overflowY);

// Beside the figures the list scrolls by itself and starts anew at its top; on a narrow page it lies below them, and
// whoever asked for it is taken there.
const bringIntoView = (list) => {
  for (let place = list.parentElement; place && place !== document.body; place = place.parentElement) {
    if (!scrolls(place)) continue;
    place.scrollTop = 0;
    return;
  }
  const { top } = list.getBoundingClientRect();
  if (top >= 0 && top < window.innerHeight * 0.7) return;
  list.scrollIntoView({ behavior: "smooth", block: "start" });
};

export const mount = (widget) => {
  const list = widget.element.querySelector(".ll-errors");
  const sentences = new StillSentences();
  let lastCall = null;
  drawValue(widget, (value) => {
    sentences.close();
    const rows = (value.rows ?? []).map((row) =>
      node("li", { class: "ll-errors-row" }, claim(row, value.words), ...row.sentences.map((item) => sentenceOf(item, value, sentences, widget.trigger))),
    );
    list.replaceChildren(
      node("p", { class: "ll-errors-title", "aria-live": "polite", text: value.title ?? "" }),
      rows.length ? node("ol", {}, ...rows) : node("p", { class: "ll-errors-quiet", text: value.empty ?? "" }),
    );
    sentences.draw();
    if (lastCall !== null && value.call !== lastCall) bringIntoView(list);
    lastCall = value.call ?? 0;
  });
};

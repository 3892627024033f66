// The table of variants of a sentence.

import { node } from "../page/dom.js";
import { drawValue } from "../page/session.js";
import { StillSentences, coloured } from "../sentence/still.js";

const variantRow = (row, value, sentences, choose) => {
  const use = node("button", {
    type: "button",
    class: "ll-variants-use",
    text: value.words.use,
    "aria-label": `${value.words.use}: ${row.name}`,
    onclick: () => choose({ text: row.text }),
  });
  return node(
    "tr",
    {},
    node("td", { class: "ll-variants-name" }, node("span", { text: row.name }), node("div", {}, use)),
    node("td", { class: "ll-variants-sentence" }, sentences.add(row.text, coloured(row.marks, value.colours))),
    node(
      "td",
      { class: "ll-variants-outcome" },
      node("span", { class: `ll-effect-kind ll-effect-${row.kind}`, text: row.outcome }),
      node("span", { class: `ll-effect-change${row.fell ? " ll-effect-fell" : ""}`, text: row.change }),
    ),
  );
};

const variantTable = (value, rows) =>
  node(
    "table",
    { class: "ll-variants-table" },
    node(
      "thead",
      {},
      node("tr", {}, ...["variant", "sentence", "outcome"].map((key) => node("th", { scope: "col", text: value.words[key] }))),
    ),
    node("tbody", {}, ...rows),
  );

export const mount = (widget) => {
  const board = widget.element.querySelector(".ll-variants");
  const sentences = new StillSentences();
  const choose = (chosen) => widget.trigger("choose", chosen);
  drawValue(widget, (value) => {
    sentences.close();
    const rows = (value.rows ?? []).map((row) => variantRow(row, value, sentences, choose));
    board.replaceChildren(
      node("p", { class: rows.length ? "ll-variants-line" : "ll-effect-quiet", text: value.line ?? "" }),
      ...(value.note ? [node("p", { class: "ll-effect-quiet", text: value.note })] : []),
      ...(rows.length ? [variantTable(value, rows)] : []),
    );
    sentences.draw();
  });
};

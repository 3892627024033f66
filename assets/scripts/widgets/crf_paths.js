// The table of a CRF's best paths.

import { node } from "../page/dom.js";
import { drawValue } from "../page/session.js";
import { share } from "../text/percent.js";

const SIGNS = { lost: "−", gained: "+" };

const chip = (span, way, words) =>
  node(
    "span",
    {
      class: `ll-paths-chip ll-paths-${way}${span.focus ? " ll-paths-focus" : ""}`,
      style: span.colour ? { "--chip": span.colour } : {},
      title: words[way] ?? "",
    },
    SIGNS[way] ? node("span", { class: "ll-paths-sign", text: SIGNS[way], "aria-label": words[way] }) : null,
    node("span", { class: "ll-paths-surface", text: span.surface }),
    node("b", { text: span.label }),
  );

const bodyRow = (row, words) => {
  const chips = ["kept", "lost", "gained"].flatMap((way) => row[way].map((span) => chip(span, way, words)));
  const quiet = row.note || (chips.length ? "" : words.nothing);
  return node(
    "tr",
    {},
    node("td", { class: "ll-paths-gap" }, node("span", { text: row.gap ?? words.chosen })),
    node(
      "td",
      { class: "ll-paths-share" },
      node("span", { class: "ll-paths-bar", style: { width: `${Math.max(2, 48 * row.probability)}px` } }),
      node("span", { text: share(row.probability) }),
    ),
    node(
      "td",
      { class: "ll-paths-spans" },
      ...chips,
      quiet ? node("span", { class: "ll-paths-quiet", text: quiet }) : null,
    ),
  );
};

export const drawPaths = (table, { rows = [], words = {}, label = "" }) => {
  if (!rows.length) return table.replaceChildren();
  table.replaceChildren(
    node(
      "table",
      { "aria-label": label },
      node(
        "thead",
        {},
        node(
          "tr",
          {},
          node("th", { scope: "col", text: words.gap }),
          node("th", { scope: "col", text: words.probability }),
          node("th", { scope: "col", text: label }),
        ),
      ),
      node("tbody", {}, ...rows.map((row) => bodyRow(row, words))),
    ),
  );
};

export const mount = (widget) => drawValue(widget, (value) => drawPaths(widget.element.querySelector(".ll-paths"), value));

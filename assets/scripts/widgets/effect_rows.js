// The list of an edit's effects.

import { node } from "../page/dom.js";
import { shortScore } from "../page/messages.js";
import { drawValue } from "../page/session.js";

const side = (span) =>
  node(
    "span",
    {},
    node("b", { text: span.label }),
    ` ${span.surface} `,
    node("span", { class: "ll-effect-quiet", text: shortScore(span.score) }),
  );

const arrow = () => node("span", { class: "ll-effect-quiet", "aria-hidden": "true", text: " → " });

const effectRow = (row) =>
  node(
    "li",
    {},
    node("span", { class: `ll-effect-kind ll-effect-${row.kind}`, text: row.name }),
    node(
      "span",
      { class: "ll-effect-what" },
      row.before ? side(row.before) : null,
      row.before && row.after ? arrow() : null,
      row.after ? side(row.after) : null,
      row.note ?? null,
    ),
    node("span", { class: `ll-effect-change${row.fell ? " ll-effect-fell" : ""}`, text: row.change ?? "" }),
  );

export const mount = (widget) => {
  const list = widget.element.querySelector(".ll-effects");
  drawValue(widget, ({ rows = [], empty = "" }) => {
    list.replaceChildren(rows.length ? node("ul", {}, ...rows.map(effectRow)) : node("p", { text: empty }));
  });
};

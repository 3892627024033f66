// The ledger's table.

import { node } from "../page/dom.js";
import { drawValue } from "../page/session.js";
import { StillSentences, coloured } from "../sentence/still.js";

const STATE_CLASS = { F: "fixed", W: "wrong", B: "broken", "·": "holds", "?": "unknown" };

const said = (side, words) =>
  side
    ? node("span", {}, node("b", { text: side.label }), ` ${side.surface}`)
    : node("span", { class: "ll-ledger-quiet", text: words.nothing_there });

const claimLine = (row, words) =>
  node(
    "p",
    { class: "ll-ledger-claim" },
    node("span", { class: "ll-ledger-kind", text: words[`kind.${row.kind}`] }),
    row.kind === "confirmed" ? null : said(row.before, words),
    row.kind === "confirmed" ? null : node("span", { class: "ll-ledger-quiet", "aria-hidden": "true", text: "→" }),
    said(row.after, words),
  );

const stateCell = (state, run, words) => {
  const meaning = words[`state.${state}`];
  return node(
    "td",
    { class: `ll-ledger-state${run.judged ? " ll-ledger-judged" : ""}`, "data-run": run.name },
    node("span", {
      class: `ll-ledger-cell ll-ledger-${STATE_CLASS[state] ?? "unknown"}`,
      role: "img",
      title: `${run.title}: ${meaning}`,
      "aria-label": `${run.title}: ${meaning}`,
      text: state,
    }),
  );
};

const bodyRow = (row, { words, colours, runs, language }, sentences, choose) => {
  const when = new Date(row.at).toLocaleDateString(language, { year: "numeric", month: "short", day: "numeric" });
  const open = node("button", {
    type: "button",
    class: "ll-ledger-open",
    text: words.open,
    onclick: () => choose({ document: row.document }),
  });
  return node(
    "tr",
    {},
    node("td", { class: "ll-ledger-what" }, claimLine(row, words), sentences.add(row.text, coloured(row.marks, colours)), open),
    node(
      "td",
      { class: "ll-ledger-erred" },
      node("span", { text: row.run }),
      node("span", { class: "ll-ledger-quiet", text: `${row.user}, ${when}` }),
    ),
    ...row.states.map((state, at) => stateCell(state, runs[at], words)),
  );
};

const headRow = ({ words, runs }) =>
  node(
    "tr",
    {},
    node("th", { scope: "col", text: words["column.correction"] }),
    node("th", { scope: "col", class: "ll-ledger-erred", text: words["column.erred"] }),
    ...runs.map((run) =>
      node(
        "th",
        { scope: "col", class: `ll-ledger-state${run.judged ? " ll-ledger-judged" : ""}` },
        node("span", { text: run.title }),
        run.active ? node("span", { class: "ll-ledger-quiet", text: words["column.active"] }) : null,
      ),
    ),
  );

export const mount = (widget) => {
  const table = widget.element.querySelector(".ll-ledger");
  const sentences = new StillSentences();
  const choose = (chosen) => widget.trigger("choose", chosen);
  drawValue(widget, (value) => {
    sentences.close();
    if (!value.rows?.length) return table.replaceChildren();
    const rows = value.rows.map((row) => bodyRow(row, value, sentences, choose));
    table.replaceChildren(node("table", { class: "ll-ledger-table" }, node("thead", {}, headRow(value)), node("tbody", {}, ...rows)));
    sentences.draw();
  });
};

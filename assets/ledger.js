// Entry of the ledger's table. Uses dom.js, offsets.js, colour.js, stacking.js and sentence.js of the annotator.

const table = element.querySelector(".ll-ledger");
let sentences = [];

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
      title: `${run.name}: ${meaning}`,
      "aria-label": `${run.name}: ${meaning}`,
      text: state,
    }),
  );
};

const bodyRow = (row, value) => {
  const { words, colours, runs, language } = value;
  const sentence = new Sentence({ still: true, describe: (mark, surface) => `${mark.label} ${surface}` });
  sentences.push(sentence);
  sentence.show(row.text);
  const when = new Date(row.at).toLocaleDateString(language, { year: "numeric", month: "short", day: "numeric" });
  const open = node("button", {
    type: "button",
    class: "ll-ledger-open",
    text: words.open,
    onclick: () => trigger("choose", { document: row.document }),
  });
  const made = node(
    "tr",
    {},
    node("td", { class: "ll-ledger-what" }, claimLine(row, words), sentence.root, open),
    node(
      "td",
      { class: "ll-ledger-erred" },
      node("span", { text: row.run }),
      node("span", { class: "ll-ledger-quiet", text: `${row.user}, ${when}` }),
    ),
    ...row.states.map((state, at) => stateCell(state, runs[at], words)),
  );
  return [made, () => sentence.setMarks(row.marks.map((mark) => ({ ...mark, colour: colours[mark.label] })))];
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
        node("span", { text: run.name }),
        run.serving ? node("span", { class: "ll-ledger-quiet", text: words["column.serving"] }) : null,
      ),
    ),
  );

const showLedger = () => {
  const value = props.value ?? {};
  for (const sentence of sentences) sentence.close();
  sentences = [];
  if (!value.rows?.length) {
    table.replaceChildren();
    return;
  }
  const made = value.rows.map((row) => bodyRow(row, value));
  table.replaceChildren(
    node(
      "table",
      { class: "ll-ledger-table" },
      node("thead", {}, headRow(value)),
      node("tbody", {}, ...made.map(([row]) => row)),
    ),
  );
  // Marks are placed by measuring, so only once the rows stand in the page.
  for (const [, draw] of made) draw();
};

watch("value", showLedger);
showLedger();

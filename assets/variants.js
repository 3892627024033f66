// Entry of the table of variants. Uses dom.js, offsets.js, colour.js, stacking.js and sentence.js of the annotator.

const board = element.querySelector(".ll-variants");
let sentences = [];

const variantRow = (row, value) => {
  const sentence = new Sentence({ still: true, describe: (mark, surface) => `${mark.label} ${surface}` });
  sentences.push(sentence);
  sentence.show(row.text);
  const use = node("button", {
    type: "button",
    class: "ll-variants-use",
    text: value.words.use,
    "aria-label": `${value.words.use}: ${row.name}`,
    onclick: () => trigger("choose", { text: row.text }),
  });
  const made = node(
    "tr",
    {},
    node("td", { class: "ll-variants-name" }, node("span", { text: row.name }), node("div", {}, use)),
    node("td", { class: "ll-variants-sentence" }, sentence.root),
    node(
      "td",
      { class: "ll-variants-outcome" },
      node("span", { class: `ll-effect-kind ll-effect-${row.kind}`, text: row.outcome }),
      node("span", { class: `ll-effect-change${row.fell ? " ll-effect-fell" : ""}`, text: row.change }),
    ),
  );
  const marks = row.marks.map((mark) => ({ ...mark, colour: value.colours[mark.label] }));
  return [made, () => sentence.setMarks(marks)];
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
    node("tbody", {}, ...rows.map(([row]) => row)),
  );

const showVariants = () => {
  const value = props.value ?? {};
  for (const sentence of sentences) sentence.close();
  sentences = [];
  const rows = (value.rows ?? []).map((row) => variantRow(row, value));
  board.replaceChildren(
    node("p", { class: rows.length ? "ll-variants-line" : "ll-effect-quiet", text: value.line ?? "" }),
    ...(value.note ? [node("p", { class: "ll-effect-quiet", text: value.note })] : []),
    ...(rows.length ? [variantTable(value, rows)] : []),
  );
  // Marks are placed by measuring, so only once the rows stand in the page.
  for (const [, draw] of rows) draw();
};

watch("value", showVariants);
showVariants();

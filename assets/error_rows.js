// Entry of the list of errors. Uses dom.js, offsets.js, colour.js, stacking.js and sentence.js of the annotator.

const list = element.querySelector(".ll-errors");
let sentences = [];
let lastCall = null;

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

const go = (event, word, item) =>
  node("button", {
    type: "button",
    class: "ll-errors-go",
    text: word,
    onclick: () => trigger(event, { document: item.document, at: item.at }),
  });

const sentenceOf = (item, { words, colours }) => {
  const sentence = new Sentence({ still: true, describe: (mark, surface) => `${mark.label} ${surface}` });
  sentences.push(sentence);
  sentence.show(item.text);
  const marks = item.marks
    .filter((mark) => SOURCES.includes(mark.source))
    .map((mark) => ({ ...mark, colour: colours[mark.label] }));
  const made = node(
    "div",
    { class: "ll-errors-sentence" },
    item.note ? node("p", { class: "ll-errors-note", text: item.note }) : null,
    sentence.root,
    node(
      "p",
      { class: "ll-errors-ways" },
      go("choose", words.open, item),
      go("inside", words.inside, item),
      node("span", { class: "ll-errors-name", title: item.name, text: item.name }),
    ),
  );
  return [made, () => sentence.setMarks(marks)];
};

const scrolls = (place) => /auto|scroll/.test(getComputedStyle(place).overflowY);

// Beside the figures the list scrolls by itself and starts anew at its top; on a narrow page it lies below them, and
// whoever asked for it is taken there.
const bringIntoView = () => {
  for (let place = list.parentElement; place && place !== document.body; place = place.parentElement) {
    if (!scrolls(place)) continue;
    place.scrollTop = 0;
    return;
  }
  const { top } = list.getBoundingClientRect();
  if (top >= 0 && top < window.innerHeight * 0.7) return;
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  list.scrollIntoView({ behavior: calm ? "auto" : "smooth", block: "start" });
};

const showErrors = () => {
  const value = props.value ?? {};
  for (const sentence of sentences) sentence.close();
  sentences = [];
  const drawing = [];
  const rows = (value.rows ?? []).map((row) => {
    const made = row.sentences.map((item) => sentenceOf(item, value));
    drawing.push(...made.map(([, draw]) => draw));
    return node("li", { class: "ll-errors-row" }, claim(row, value.words), ...made.map(([sentence]) => sentence));
  });
  list.replaceChildren(
    node("p", { class: "ll-errors-title", "aria-live": "polite", text: value.title ?? "" }),
    rows.length ? node("ol", {}, ...rows) : node("p", { class: "ll-errors-quiet", text: value.empty ?? "" }),
  );
  // Marks are placed by measuring, so only once the rows stand in the page.
  for (const draw of drawing) draw();
  if (lastCall !== null && value.call !== lastCall) bringIntoView();
  lastCall = value.call ?? 0;
};

watch("value", showErrors);
showErrors();

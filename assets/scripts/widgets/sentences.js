// A read-only view of sentences with marks; reports clicked spans and characters. Where the app can explain spans, a click on
// one opens the drawer beside the sentences.

import { node } from "../page/dom.js";
import { shortScore } from "../page/messages.js";
import { drawValue } from "../page/session.js";
import { Sentence } from "../sentence/sentence.js";
import { markKey } from "../text/spans.js";
import { WhyDrawer } from "../why/drawer.js";

const viewMark = (span, labels) => ({
  ...span,
  source: ["tagger", "dictionary"].includes(span.source) ? span.source : "person",
  colour: labels.find((label) => label.name === span.label)?.colour,
});

const TURN = 50; // milliseconds of drawing before the browser has its turn: fifty rows would stop it for seconds

export const mount = ({ element, props, server, watch, trigger }) => {
  const root = element.querySelector(".lla-root");
  const drawer = server?.explain_span ? new WhyDrawer({ server, closed: () => asked?.sentence.focus(markKey(asked.mark)) }) : null;
  const host = drawer ? root.appendChild(node("div", {})) : root;
  if (drawer) {
    root.classList.add("ll-explained");
    root.append(drawer.root);
    root.addEventListener("keydown", (event) => drawer.press(event));
  }
  let drawn = [];
  let given = 0;
  let asked = null; // the mark that the drawer explains, and its sentence
  const about = (item, run, mark, sentence) => {
    asked = { mark, sentence };
    return [{ text: item.text, run, start: mark.start, end: mark.end, label: mark.label }, mark, sentence.surface(mark)];
  };
  drawValue({ props, watch }, ({ sentences = [], labels = [], empty = "", run = "" }) => {
    asked = null;
    drawer?.close();
    for (const sentence of drawn) sentence.close();
    drawn = [];
    const rows = sentences.map((item, row) => {
      const tell = (kind, start, end, label) =>
        trigger("select", { index: [row, start, end], value: { kind, row, id: item.id, start, end, label }, selected: true });
      const sentence = new Sentence({
        pick: (mark, bar) => {
          tell("span", mark.start, mark.end, mark.label);
          drawer?.show(...about(item, run, mark, sentence), bar);
        },
        point: (point) => tell("character", point, point + 1, null),
        describe: (mark, surface) => [mark.label, surface, shortScore(mark.score)].filter(Boolean).join(" "),
      });
      drawn.push(sentence);
      if (drawer) sentence.bars.addEventListener("focusin", ({ target }) => drawer.follow(...about(item, run, sentence.mark(target.dataset.key), sentence)));
      const note = item.note ? node("p", { class: "lla-note", text: item.note }) : null;
      // Rows with one id are readings of one text: they stand together.
      const same = item.id && item.id === sentences[row - 1]?.id;
      return node("div", { class: same ? "lla-readonly lla-same" : "lla-readonly" }, note, sentence.root);
    });
    if (!rows.length && empty) rows.push(node("p", { class: "lla-note", text: empty }));
    host.replaceChildren(...rows);
    sentences.forEach((item, row) => drawn[row].show(item.text));
    const mine = (given += 1);
    const mark = (row) => {
      const until = performance.now() + TURN;
      for (; row < sentences.length && performance.now() < until; row += 1) {
        drawn[row].setMarks(sentences[row].spans.map((span) => viewMark(span, labels)));
      }
      if (row < sentences.length) setTimeout(() => mine === given && mark(row));
    };
    mark(0);
  });
};

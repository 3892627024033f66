// A read-only view of sentences with marks; reports clicked spans and characters.

import { node } from "../page/dom.js";
import { shortScore } from "../page/messages.js";
import { drawValue } from "../page/session.js";
import { Sentence } from "../sentence/sentence.js";

const viewMark = (span, labels) => ({
  ...span,
  source: ["tagger", "dictionary"].includes(span.source) ? span.source : "person",
  colour: labels.find((label) => label.name === span.label)?.colour,
});

const TURN = 50; // milliseconds of drawing before the browser has its turn: fifty rows would stop it for seconds

export const mount = ({ element, props, watch, trigger }) => {
  const host = element.querySelector(".lla-root");
  let drawn = [];
  let given = 0;
  drawValue({ props, watch }, ({ sentences = [], labels = [], empty = "" }) => {
    for (const sentence of drawn) sentence.close();
    drawn = [];
    const rows = sentences.map((item, row) => {
      const tell = (kind, start, end, label) =>
        trigger("select", { index: [row, start, end], value: { kind, row, id: item.id, start, end, label }, selected: true });
      const sentence = new Sentence({
        pick: (mark) => tell("span", mark.start, mark.end, mark.label),
        point: (point) => tell("character", point, point + 1, null),
        describe: (mark, surface) => [mark.label, surface, shortScore(mark.score)].filter(Boolean).join(" "),
      });
      drawn.push(sentence);
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

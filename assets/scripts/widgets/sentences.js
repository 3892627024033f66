// A view of sentences with marks; reports clicked spans and characters. Where the app can explain spans there is a drawer beside the
// sentences, where it can correct them a menu at the span.

import { Corrector } from "../correcting/corrector.js";
import { node } from "../page/dom.js";
import { shortScore } from "../page/messages.js";
import { drawValue, pageLanguage } from "../page/session.js";
import { Sentence } from "../sentence/sentence.js";
import { markKey } from "../text/spans.js";
import { WhyDrawer } from "../why/drawer.js";

const TURN = 50; // milliseconds of drawing before the browser has its turn: fifty rows would stop it for seconds

const viewMark = (span, labels) => ({
  ...span,
  source: ["tagger", "dictionary"].includes(span.source) || span.source?.startsWith("outside-") ? span.source : "person",
  colour: labels.find((label) => label.name === span.label)?.colour,
});

// Of several lines the first is a heading, however often it is broken on a narrow page.
const noteOf = (text) => {
  const [head, ...rest] = text.split("\n");
  return rest.length ? node("p", { class: "lla-note" }, node("strong", { text: head }), `\n${rest.join("\n")}`) : node("p", { class: "lla-note", text });
};

class SentenceView {
  constructor({ element, props, server, watch, trigger }) {
    this.root = element.querySelector(".lla-root");
    this.trigger = trigger;
    this.rows = [];
    this.run = "";
    this.given = 0;
    this.asked = null; // the mark that the drawer explains, and its row
    const explains = Boolean(server?.explain_span);
    // Beside the sentences lie the drawer and what the corrector says.
    this.host = this.root.appendChild(node("div", {}));
    this.corrector = server?.save_correction ? this.correctorOf(server, explains) : null;
    this.drawer = explains ? this.drawerOf(server) : null;
    drawValue({ props, watch }, (value) => {
      // A page that is shown again is given the same, and drawing fifty sentences costs a second. Where sentences can be
      // corrected they may no longer stand as they were given.
      const given = JSON.stringify([pageLanguage(), value]);
      if (given === this.drawn && !this.corrector) return;
      this.drawn = given;
      this.show(value);
    });
  }

  correctorOf(server, explains) {
    return new Corrector(this.root, {
      server,
      why: explains ? (row, mark) => this.explain(row, mark) : null,
      makesRoom: !explains, // in Inspect the controls of what is shown follow
      adopted: () => this.trigger("adopted", {}),
      draw: (row, spans) => this.mark(row, spans),
    });
  }

  drawerOf(server) {
    const closed = () => this.asked?.row.sentence.focus(markKey(this.asked.mark));
    const drawer = new WhyDrawer({ server, closed });
    this.root.classList.add("ll-explained");
    this.root.append(drawer.root);
    this.root.addEventListener("keydown", (event) => event.defaultPrevented || drawer.press(event));
    return drawer;
  }

  show({ sentences = [], labels = [], empty = "", run = "" }) {
    this.asked = null;
    this.drawer?.close();
    this.corrector?.begin();
    for (const row of this.rows) row.sentence.close();
    Object.assign(this, { labels, run });
    this.rows = sentences.map((item, at) => this.rowOf(item, at));
    const parts = this.rows.map(({ item, at, sentence }) => {
      const note = item.note ? noteOf(item.note) : null;
      // Rows with one id are readings of one text: they stand together.
      const same = item.id && item.id === sentences[at - 1]?.id;
      return node("div", { class: same ? "lla-readonly lla-same" : "lla-readonly" }, note, sentence.root);
    });
    if (!parts.length && empty) parts.push(node("p", { class: "lla-note", text: empty }));
    this.host.replaceChildren(...parts);
    for (const { sentence, item } of this.rows) sentence.show(item.text);
    this.markFrom(0, (this.given += 1));
  }

  rowOf(item, at) {
    const tell = (kind, start, end, label) =>
      this.trigger("select", { index: [at, start, end], value: { kind, row: at, id: item.id, start, end, label }, selected: true });
    const sentence = new Sentence({
      pick: (mark, bar, event) => {
        tell("span", mark.start, mark.end, mark.label);
        if (item.correct && this.corrector) this.corrector.pick(row, mark, bar, event.detail === 0);
        else this.explain(row, mark);
      },
      point: (point) => tell("character", point, point + 1, null),
      describe: (mark, surface) => [mark.label, surface, shortScore(mark.score)].filter(Boolean).join(" "),
    });
    const row = { at, item, sentence };
    if (item.correct) this.corrector?.take(row);
    if (this.drawer) sentence.bars.addEventListener("focusin", ({ target }) => this.drawer.follow(...this.about(row, sentence.mark(target.dataset.key))));
    return row;
  }

  mark({ sentence }, spans) {
    sentence.setMarks(spans.map((span) => viewMark(span, this.labels)));
  }

  markFrom(first, given) {
    const until = performance.now() + TURN;
    let at = first;
    for (; at < this.rows.length && performance.now() < until; at += 1) this.mark(this.rows[at], this.rows[at].item.spans);
    if (at < this.rows.length) setTimeout(() => given === this.given && this.markFrom(at, given));
  }

  explain(row, mark) {
    this.drawer?.show(...this.about(row, mark), () => row.sentence.bar(markKey(mark)));
  }

  // What the drawer takes: the question, the mark and its text.
  about(row, mark) {
    this.asked = { row, mark };
    return [{ text: row.item.text, run: this.run, start: mark.start, end: mark.end, label: mark.label }, mark, row.sentence.surface(mark)];
  }
}

export const mount = (widget) => new SentenceView(widget);

// The key sentences of a long document: a line in the margin, and a list to go to them, most telling first.

import { node, pressable, pxOf } from "../../page/dom.js";
import { excerpt } from "../../text/surfaces.js";
import { stretchesOf } from "./annotated_regions.js";
import { ASK_SIMILAR_AFTER } from "./similar_panel.js";

const LONG_ENOUGH = 100; // UTF-16 units: a dozen sentences are longer than that
const EXCERPT = 48; // characters

export class KeySentences {
  constructor(bench) {
    this.bench = bench;
    this.rows = [];
    this.lines = node("div", { class: "lla-key-lines", "aria-hidden": "true" });
    bench.sentence.root.append(this.lines);
    this.heading = node("span");
    this.note = node("p", { class: "lla-note" });
    this.list = node("ol", { class: "lla-key-list" });
    this.root = node("details", { class: "lla-keys-panel", hidden: true }, node("summary", {}, this.heading), this.note, this.list);
    this.root.open = matchMedia("(min-width: 860px)").matches;
  }

  // Behind the drawing of a document that has just been opened.
  begin(found) {
    this.rows = [];
    this.draw();
    clearTimeout(this.timer);
    if (found.text.length >= LONG_ENOUGH) this.timer = setTimeout(() => this.ask(found.id), ASK_SIMILAR_AFTER);
  }

  async ask(id) {
    const { bench } = this;
    const answer = await bench.quietly("list_key_sentences", { document: id });
    if (!answer.ok || bench.annotation?.id !== id) return;
    this.rows = answer.rows;
    this.draw();
  }

  draw() {
    const { say } = this.bench;
    this.root.hidden = !this.rows.length;
    this.heading.textContent = say("annotate_similar.keys", { count: this.rows.length });
    this.note.textContent = say("annotate_similar.keys_note");
    this.list.replaceChildren(...this.rows.map((row) => this.row(row)));
    this.drawLines();
  }

  row(row) {
    const { bench } = this;
    const { say } = bench;
    const whole = bench.sentence.offsets.slice(row.start, row.end).replace(/\s+/g, " ");
    const annotated = this.isAnnotated(row);
    return node(
      "li",
      { "data-key-sentence": row.start },
      pressable({ class: "lla-button lla-plain lla-key-go", "data-act": "go", title: say("annotate_similar.go"), onclick: () => this.go(row) }, node("span", { dir: "auto", text: excerpt(whole, EXCERPT) }), node("span", { class: "lla-score", title: say("annotate_similar.rank", { rank: row.rank }), text: `${row.rank}×` })),
      annotated === null ? null : pressable({ class: "lla-button lla-plain lla-key-annotated", "data-act": "annotated", "aria-pressed": String(annotated), onclick: () => this.turn(row, !annotated) }, node("span", { text: say(annotated ? "annotate_similar.annotated" : "annotate_similar.annotate") })),
    );
  }

  // Whether a person has annotated the sentence; null where nothing is kept about that, or the whole document counts.
  isAnnotated(row) {
    const { annotated } = this.bench.offers.annotated;
    if (!annotated || (annotated.whole && !annotated.marked.length)) return null;
    return annotated.regions.some(([start, end]) => start <= row.start && row.end <= end);
  }

  async turn(row, annotated) {
    const { bench } = this;
    if (!(await bench.offers.annotated.mark(() => ({ start: row.start, end: row.end, annotated })))) return;
    bench.announce(bench.say(annotated ? "annotate_similar.did_annotate" : "annotate_similar.did_unannotate"));
    this.list.querySelector(`[data-key-sentence="${row.start}"] [data-act="annotated"]`)?.focus({ preventScroll: true });
  }

  go(row) {
    const { bench } = this;
    bench.sentence.text.focus({ preventScroll: true });
    bench.caret.set(row.start, row.start);
    bench.caret.reveal();
  }

  drawLines() {
    const { sentence } = this.bench;
    const stretches = stretchesOf(sentence, this.rows.map(({ start, end }) => [start, end]));
    this.lines.replaceChildren(...stretches.map(([top, bottom]) => node("i", { style: { top: pxOf(top), height: pxOf(bottom - top) } })));
  }
}

// Labelled sentences similar to the current one, which can be opened or whose labels can be copied.

import { isDark, readable } from "../../page/colour.js";
import { node, pressable } from "../../page/dom.js";
import { StillSentences } from "../../sentence/still.js";
import { spanKey } from "../../text/spans.js";
import { isInsideWord, surfaceIn, surfacePlaces } from "../../text/surfaces.js";

export const ASK_SIMILAR_AFTER = 250; // ms after a document is on the screen, or the caret has come to rest in another sentence
const ASK_AGAIN_AFTER = 700; // ms, while the project is being read the first time
const ASK_AGAIN_AT_MOST = 60;

export class SimilarPanel {
  constructor(bench) {
    this.bench = bench;
    this.sentences = new StillSentences();
    this.rows = null;
    this.left = []; // where a person came from, the last place last
    this.heading = node("span");
    this.back = pressable({ class: "lla-button lla-plain lla-similar-back", "data-action": "similar_back", hidden: true, onclick: () => this.goBack() });
    this.list = node("ul", { class: "lla-similar-list" });
    this.told = node("p", { class: "lla-note", role: "status" });
    this.root = node("details", { class: "lla-similar", ontoggle: () => this.root.open && this.later(0) }, node("summary", {}, this.heading, node("kbd", { text: "s" })), this.back, this.told, this.list);
    this.root.open = matchMedia("(min-width: 860px)").matches;
  }

  // A document has been opened; nothing is claimed before it is known, and nothing is asked before it is drawn.
  begin(alone) {
    const { middle, side, tools } = this.bench;
    if (alone) middle.append(this.root);
    else side.insertBefore(this.root, tools.comments.root); // the end of a long text is far away
    this.place = null;
    this.tries = 0;
    this.rows = null;
    this.draw();
    this.later(ASK_SIMILAR_AFTER);
  }

  // The caret has moved: another sentence of a long document has other neighbours.
  moved() {
    const head = this.bench.caret.head;
    if (this.place && (head < this.place.start || head >= this.place.end)) this.later(2 * ASK_SIMILAR_AFTER);
  }

  later(wait) {
    clearTimeout(this.timer);
    if (this.root.open && this.bench.annotation) this.timer = setTimeout(() => this.ask(), wait);
  }

  async ask() {
    const { bench } = this;
    const { annotation } = bench;
    const at = bench.current?.start ?? bench.caret.head;
    if (!annotation || (this.rows && this.place && at >= this.place.start && at < this.place.end)) return;
    const asked = (this.asked = (this.asked ?? 0) + 1);
    const answer = await bench.quietly("find_similar", { document: annotation.id, at });
    if (asked !== this.asked || bench.annotation !== annotation) return;
    this.failed = answer.ok ? null : (answer.message ?? bench.say("annotate.unreachable"));
    if (answer.ok && answer.pending) {
      this.told.textContent = bench.say("annotate_similar.reading");
      this.tries += 1;
      if (this.tries < ASK_AGAIN_AT_MOST) this.later(ASK_AGAIN_AFTER);
      return;
    }
    this.place = answer.ok ? { start: answer.start, end: answer.end } : null;
    this.rows = answer.ok ? answer.rows : null;
    this.draw();
  }

  // ------------------------------------------------------------------ drawing

  draw() {
    const { say } = this.bench;
    this.heading.textContent = say("annotate_similar.title");
    this.told.textContent = this.failed ?? (this.rows === null ? say("annotate_similar.asking") : this.rows.length ? "" : say("annotate_similar.none"));
    this.told.hidden = !this.told.textContent;
    this.drawBack();
    this.sentences.close();
    const held = this.list.contains(document.activeElement) ? document.activeElement.dataset.act : null;
    this.list.replaceChildren(...(this.rows ?? []).map((row) => this.row(row)));
    this.sentences.draw();
    if (held) this.list.querySelector(`[data-act="${held}"]`)?.focus({ preventScroll: true });
  }

  row(row) {
    const { say } = this.bench;
    const open = pressable({ class: "lla-button lla-plain lla-similar-open", "data-act": "open", "data-document": row.document, title: say("annotate_similar.open", { name: row.name }), onclick: () => this.go(row) }, node("span", { dir: "auto", text: row.name }), node("span", { "aria-hidden": "true", text: " ↗" }));
    const spoken = row.spans.map((span) => say("annotate_similar.span", { surface: surfaceIn(row.text, span), label: span.label })).join(say("annotate_similar.comma"));
    return node("li", { "data-similar": row.document }, this.sentences.add(row.text, this.bench.marksOf(row.spans), row.shared), node("p", { class: "lla-live", text: spoken || say("annotate_similar.no_spans") }), node("div", { class: "lla-similar-acts" }, open, ...this.takeOver(row)));
  }

  // A button for each labelled surface that occurs here without that label.
  takeOver(row) {
    const { bench } = this;
    const buttons = new Map();
    for (const span of row.spans) {
      const surface = surfaceIn(row.text, span);
      const places = this.placesOf(surface, span.label);
      if (!places.length || buttons.has(`${surface} ${span.label}`)) continue;
      const { ink, tint } = readable(bench.colour(span.label), isDark());
      const told = bench.say(places.length > 1 ? "annotate_similar.label_many" : "annotate_similar.label_here", { surface, label: span.label, count: places.length });
      buttons.set(
        `${surface} ${span.label}`,
        pressable(
          { class: "lla-button lla-similar-take", "data-act": "take", "aria-label": told, title: told, onclick: () => this.take(surface, span.label) },
          node("span", { text: "+ " }),
          node("span", { class: "lla-similar-surface", dir: "auto", text: surface }),
          node("b", { style: { "--ink": ink, "--tint": tint }, text: span.label }),
          places.length > 1 ? node("span", { text: ` ×${places.length}` }) : null,
        ),
      );
    }
    return [...buttons.values()];
  }

  // Occurrences of the surface as separate words without the label.
  placesOf(surface, label) {
    const { annotation, sentence } = this.bench;
    if (!annotation || !surface.trim()) return [];
    const known = new Set(annotation.spans.map(spanKey));
    return surfacePlaces(sentence.offsets, surface).filter((place) => !isInsideWord(sentence.offsets, place) && !known.has(spanKey({ ...place, label })));
  }

  // ------------------------------------------------------------------ acting

  take(surface, label) {
    const here = this.placesOf(surface, label).map((place) => ({ ...place, label }));
    if (here.length) this.bench.labelOthers({ here, there: [], label, surface });
    this.draw();
  }

  // Remove buttons of surfaces labelled since.
  edited() {
    if (!this.rows?.length || !this.root.open) return;
    this.list.querySelectorAll("[data-similar]").forEach((item, at) => {
      const acts = item.querySelector(".lla-similar-acts");
      const held = acts.contains(document.activeElement) ? document.activeElement.dataset.act : null;
      acts.replaceChildren(acts.firstChild, ...this.takeOver(this.rows[at]));
      if (held) (acts.querySelector(`[data-act="${held}"]`) ?? acts.firstChild).focus({ preventScroll: true });
    });
  }

  async go(row) {
    const { bench } = this;
    const from = { id: bench.annotation.id, at: bench.caret.head };
    await bench.open(row.document);
    if (bench.annotation?.id !== row.document) return;
    this.left.push(from);
    this.scrollTo(row.start);
  }

  async goBack() {
    const { bench } = this;
    const to = this.left[this.left.length - 1];
    if (!to) return bench.announce(bench.say("annotate_similar.no_back"));
    await bench.open(to.id);
    this.left.pop();
    if (bench.annotation?.id === to.id) this.scrollTo(to.at);
    else this.drawBack();
  }

  scrollTo(at) {
    const { bench } = this;
    bench.sentence.text.focus({ preventScroll: true });
    bench.caret.set(at, at);
    bench.caret.reveal();
    this.drawBack();
  }

  drawBack() {
    const { say } = this.bench;
    this.back.hidden = !this.left.length;
    this.back.replaceChildren(node("span", { "aria-hidden": "true", text: "← " }), node("span", { text: say("annotate_similar.back") }), node("kbd", { text: "b" }));
  }

  // Another project: there is no way back into the last one.
  forget() {
    this.left = [];
  }

  // By its key: opened, and its first button takes the focus.
  focus() {
    this.root.open = true;
    this.later(0);
    const first = this.list.querySelector("button") ?? this.root.querySelector("summary");
    first.focus({ preventScroll: true });
    this.root.scrollIntoView({ block: "nearest" });
  }
}

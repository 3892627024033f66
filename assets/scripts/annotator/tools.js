// The tools around the text: what a selection is made of, the label that stays chosen, handles, comments, other occurrences,
// label replacement, and what is sent to other documents.

import { isDark, readable } from "../page/colour.js";
import { node, pressable } from "../page/dom.js";
import { askServer } from "../page/session.js";
import { markKey } from "../text/spans.js";
import { Conflict } from "./dialogs/conflict.js";
import { GoneLabels } from "./dialogs/gone_labels.js";
import { Linking } from "./dialogs/linking.js";
import { Occurrences } from "./dialogs/occurrences.js";
import { Relabelling } from "./dialogs/relabelling.js";
import { CommentPanel } from "./panels/comment_panel.js";
import { RelationPanel } from "./panels/relation_panel.js";
import { Granularity } from "./selecting/granularity.js";
import { Handles } from "./selecting/handles.js";
import { Outbox } from "./state/outbox.js";

const SETTLED = 900; // ms without a change after which a selection made by touch counts as finished
const THIRD_CLICK = 320; // ms in which a double click may still become a triple one

export class Tools {
  constructor(bench) {
    this.bench = bench;
    const { say, sentence, dialogs } = bench;
    this.held = null;
    this.early = null; // the step by which a double click has labelled a word
    this.outbox = new Outbox({
      send: (name, payload) => askServer(bench.server, name, { ...payload, project: undefined }),
      done: (order, answer) => this.done(order, answer),
      failed: (answer) => bench.failed(answer),
      refused: (answer, order) => this.refused(answer, order),
    });
    this.grain = new Granularity({ say, offsets: () => sentence.offsets, words: () => bench.words, told: (grain) => bench.announce(say("annotate.did.grain", { grain: say(`annotate.grain.${grain}`) })) });
    this.handles = new Handles(sentence, {
      move: (mark, span) => bench.moveTo(mark, span),
      widened: (span) => this.grain.widened(span),
      told: (span) => bench.announce(bench.surface(span)),
    });
    this.comments = new CommentPanel({
      say,
      target: () => bench.current ?? bench.caret.trimmed(),
      surface: (span) => bench.surface(span),
      send: (name, payload) => this.outbox.put(name, payload),
      waiting: () => this.outbox.waiting,
      look: (comment) => this.look(comment),
      changed: () => bench.draw(),
      leave: () => sentence.text.focus({ preventScroll: true }),
    });
    this.relations = new RelationPanel({ say, sentence, colour: (label) => bench.colour(label), go: (end) => this.look(end) });
    this.occurrences = new Occurrences({ say, dialogs, ask: (name, payload) => bench.quietly(name, payload), colour: (label) => bench.colour(label), nested: () => bench.annotation.nested, apply: (chosen) => bench.labelOthers(chosen) });
    this.relabelling = new Relabelling({ say, dialogs, ask: (name, payload) => bench.quietly(name, payload), labels: () => bench.labels, colour: (label) => bench.colour(label), apply: (chosen) => bench.replaceLabels(chosen) });
    this.linking = new Linking({ say, dialogs, ask: (name, payload) => bench.quietly(name, payload), leave: (page) => bench.notify("leave", { page }), apply: (mark, link) => bench.linked(mark, link) });
    this.conflict = new Conflict({ say, dialogs, colour: (label) => bench.colour(label), later: () => bench.decideLater() });
    this.gone = new GoneLabels(bench);
    this.holding = node("span", { class: "lla-holding", role: "status" });
    this.actions = node("span", { class: "lla-tool-actions" });
    this.strip = node("div", { class: "lla-tools", role: "group" }, this.grain.root, this.actions);
    bench.labelPanel.bar.after(this.holding);
    this.listen(sentence.text);
  }

  build() {
    const { say } = this.bench;
    this.grain.build();
    this.comments.build();
    const tool = (name, key) =>
      pressable({ class: "lla-button lla-plain", "data-action": name, title: say(`annotate_keys.${name}`), "aria-keyshortcuts": key, onclick: () => this.bench[name]() }, node("span", { text: say(`annotate.${name}`) }), node("kbd", { text: key }));
    this.strip.setAttribute("aria-label", say("annotate.tools"));
    this.actions.replaceChildren(tool("others", "o"), tool("replace", "r"), tool("comment", "c"), tool("guideline", "h"));
    this.drawHolding();
  }

  // The current document: its other data is loaded afterwards.
  async show({ id, revision }, scope) {
    const { bench } = this;
    const { annotation } = bench;
    this.outbox.begin(scope);
    this.comments.begin(scope, id);
    this.recall(annotation, revision);
    const answer = await bench.quietly("list_comments", { document: id });
    if (answer.ok && bench.annotation === annotation) this.comments.show(id, answer.comments);
  }

  // Undo and redo from before this page, out of the document's history.
  async recall(annotation, revision) {
    if (annotation.remembered) return;
    const answer = await this.bench.quietly("read_steps", { document: annotation.id, revision });
    if (!answer.ok || this.bench.annotation !== annotation || annotation.remembered) return;
    annotation.remembered = true;
    if (!annotation.past.length && !annotation.future.length) annotation.future = answer.future;
    annotation.past = [...answer.past, ...annotation.past];
    this.bench.drawToolbar();
  }

  // The marks with the number of open comments on each.
  counted(marks) {
    const counts = this.comments.counts(marks);
    return marks.map((mark) => (counts.has(mark) ? { ...mark, name: `${mark.name ?? mark.label} ✎${counts.get(mark)}`, comments: counts.get(mark) } : mark));
  }

  follow() {
    const { bench } = this;
    this.handles.follow(bench.annotation ? bench.current : null);
    this.relations.choose(bench.currentKey);
  }

  // ------------------------------------------------------------------ selecting

  listen(text) {
    let pressed = null;
    text.addEventListener("pointerdown", (event) => {
      pressed = event.pointerType;
      this.touched = event.pointerType === "touch";
    });
    text.addEventListener("mousedown", (event) => {
      this.clicks = event.detail;
      clearTimeout(this.settling);
      if (event.detail === 3) this.takeWordBack();
      this.early = null;
    });
    // A drag may end beside the text. The browser settles the selection after this event.
    document.addEventListener("pointerup", () => {
      if (pressed && pressed !== "touch") setTimeout(() => this.afterClick());
      pressed = null;
    });
    text.addEventListener("click", (event) => this.click(event));
  }

  // A third click takes the sentence; a tap takes a piece where selections are made of words or sentences.
  click(event) {
    const { sentence, caret, current } = this.bench;
    const tapped = event.pointerType === "touch" && this.grain.wide && caret.empty && !current;
    if (event.detail !== 3 && !tapped) return;
    const under = sentence.characterUnder(event.clientX, event.clientY) ?? sentence.pointUnder(event.clientX, event.clientY);
    if (under === null || !sentence.offsets.length) return;
    const piece = this.grain.pieceAt(Math.min(under, sentence.offsets.length - 1), tapped ? this.grain.grain : "sentence");
    caret.set(piece[0], piece[1]);
    if (tapped) this.finish();
  }

  afterClick() {
    clearTimeout(this.settling);
    if (this.held && this.clicks === 2) this.settling = setTimeout(() => this.labelWord(), THIRD_CLICK);
    else this.finish();
  }

  // A double click that has not become a triple one.
  labelWord() {
    const last = () => this.bench.annotation?.past.at(-1);
    const before = last();
    this.finish();
    if (last() !== before) this.early = last();
  }

  // A slow hand's third click, or that of a busy page: it is the sentence that is wanted, not the word.
  takeWordBack() {
    if (this.early && this.early === this.bench.annotation?.past.at(-1)) this.bench.undo();
  }

  // Touch selections have no end event: they end when nothing has changed for a moment.
  moved() {
    if (!this.touched || this.bench.caret.empty || !(this.held || this.grain.wide)) return;
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.finish(), SETTLED);
  }

  finish() {
    const { caret } = this.bench;
    // On a busy page the selection that a press has just cleared would be labelled once more.
    caret.catchUp();
    if (caret.empty) return;
    if (this.clicks < 2 || this.touched) {
      const wide = this.grain.widened(caret);
      if (wide.start !== caret.start || wide.end !== caret.end) caret.set(wide.start, wide.end);
    }
    if (this.held && caret.trimmed()) this.bench.label(this.held);
    else if (!this.touched) this.bench.offerLabels();
  }

  step(key, extend) {
    const { caret, sentence } = this.bench;
    const forward = key === (sentence.offsets.rightToLeft(caret.head) ? "ArrowLeft" : "ArrowRight");
    const head = this.grain.step(caret.head, forward);
    caret.set(extend ? caret.anchor : head, head);
    caret.reveal();
  }

  // The next place of a dictionary word after the selection, or the first one.
  selectWord(word) {
    const { bench } = this;
    const { caret, sentence } = bench;
    const places = bench.words.filter(([start, end]) => sentence.offsets.slice(start, end) === word);
    const [start, end] = places.find(([from]) => (caret.empty ? from >= caret.start : from > caret.start)) ?? places[0];
    sentence.text.focus({ preventScroll: true });
    caret.set(start, end);
    caret.reveal();
    bench.offerLabels();
  }

  // The label that stays chosen; the same again releases it.
  hold(name) {
    const { bench } = this;
    this.held = this.held === name ? null : name;
    bench.labelPanel.hold(this.held);
    this.drawHolding();
    bench.announce(this.held ? bench.say("annotate.did.hold", { label: this.held }) : bench.say("annotate.did.release", { label: name }));
    if (this.held && bench.caret.trimmed()) bench.label(this.held);
  }

  release() {
    if (this.held) this.hold(this.held);
  }

  drawHolding() {
    const { say } = this.bench;
    if (this.held && !this.bench.labels.some((label) => label.name === this.held)) this.held = null;
    this.bench.labelPanel.hold(this.held);
    this.holding.replaceChildren();
    if (!this.held) return;
    const { ink, tint } = readable(this.bench.colour(this.held), isDark());
    this.holding.append(
      node("span", { class: "lla-held-label", style: { "--ink": ink, "--tint": tint }, text: this.held }),
      node("span", { text: say("annotate.holding") }),
      pressable({ class: "lla-button lla-plain", "data-act": "release", onclick: () => this.release() }, node("span", { text: say("annotate.release") }), node("kbd", { text: "Esc" })),
    );
  }

  // ------------------------------------------------------------------ comments and other documents

  // place: {start, end, label?}; of several marks there the one with its label.
  look(place) {
    const { bench } = this;
    const there = bench.sentence.marks.filter((mark) => mark.start === place.start && mark.end === place.end);
    const mark = there.find(({ label }) => label === place.label) ?? there[0];
    bench.popover.hide();
    if (mark) bench.sentence.focus(markKey(mark));
    else {
      bench.sentence.text.focus({ preventScroll: true });
      bench.caret.set(place.start, place.end);
      bench.caret.reveal();
    }
  }

  done(order, answer) {
    const { bench } = this;
    if (!this.outbox.waiting.length && !bench.saver.unsent) bench.notices.allSaved();
    if (answer.comments) {
      this.comments.show(order.payload.document, answer.comments);
      bench.queue.mark(order.payload.document, { comments: this.comments.open.length });
      bench.stateSaved(Date.now());
    } else {
      const name = order.name === "turn_batch" ? order.payload.way : order.name;
      const told = bench.say(`annotate.did.${name}_elsewhere`, answer);
      const back = { turn_batch: null, label_occurrences: "undo", replace_labels: "undo" }[order.name];
      bench.notices.tell(told, back && pressable({ class: "lla-button", "data-act": "undo", onclick: () => this.takeBack(order) }, node("span", { text: bench.say("annotate.undo") })));
    }
  }

  // The button beside the message: only while that step is still the last one here; else the history has it.
  takeBack(order) {
    const { bench } = this;
    const { past } = bench.annotation;
    bench.notices.untell();
    if (past[past.length - 1]?.batch === order.payload.client_edit) bench.undo();
    else bench.announce(bench.say("annotate_places.undo_in_order"));
  }

  refused(answer, order) {
    const { bench } = this;
    bench.notices.warn(bench.say("annotate.refused_order", { reason: answer.message }), null, { stays: true });
    if (order.name === "add_comment" && !this.comments.box.value) {
      this.comments.box.value = order.payload.text; // what was written is not lost with the refusal
      this.comments.keepDraft();
    }
    this.comments.draw();
  }
}

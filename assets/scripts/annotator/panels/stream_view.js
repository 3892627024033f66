// The stream: one suggestion at a time, large, in its sentence, with four answers under it.

import { isDark, readable } from "../../page/colour.js";
import { node, pressable } from "../../page/dom.js";
import { readPlace, writePlace } from "../../page/session.js";
import { Sentence } from "../../sentence/sentence.js";
import { Attached } from "../state/attached.js";
import { isNarrow } from "../state/filters.js";
import { describeSuggestion, namedSource } from "../state/suggested.js";
import { SuggestionStream, questionOf } from "../state/suggestion_stream.js";

const ANSWERS = [["accept", "a"], ["reject", "x"], ["skip", "␣"], ["undo", "⌫"]]; // with their keys

export class StreamView {
  constructor(bench) {
    this.bench = bench;
    this.on = false;
    this.stream = new SuggestionStream({
      read: (after) => bench.ask("read_stream", { ...bench.queue.query(), ...(this.stream.leastConfident ? { order: "least_confident" } : {}), after }),
      view: () => bench.suggestionPanel.view,
      arrived: (entry) => this.arrived(entry),
      changed: () => this.on && this.draw(),
    });
    this.sentence = new Sentence({ still: true, describe: () => "" });
    this.progress = node("progress", { max: "1" });
    this.place = node("span", { class: "lla-stream-place" });
    this.tally = node("span", { class: "lla-note" });
    this.order = node("select", { onchange: () => this.chooseOrder() });
    this.back = node("span", {});
    this.head = node("div", { class: "lla-stream-head" }, this.place, this.progress, this.tally, this.order, this.back);
    this.source = node("p", { class: "lla-stream-source" });
    this.card = node("div", { class: "lla-stream-card", tabindex: "0", role: "group" }, node("div", { class: "lla-stream-text" }, this.sentence.root), this.source);
    this.end = node("div", { class: "lla-empty lla-stream-end", tabindex: "-1", hidden: true });
    this.buttons = node("div", { class: "lla-stream-answers", role: "group" });
    this.root = node("section", { class: "lla-stream" }, this.head, this.card, this.end, this.buttons);
  }

  // ------------------------------------------------------------------ on and off

  // As the address says; a step of the browser's history was taken by who changed it.
  // Returns the document that is open where this ended the stream.
  follow() {
    const { view, by } = readPlace("annotate");
    if (view !== "stream") return this.on ? this.stop() : null;
    const leastConfident = by === "confidence";
    if (!this.on) this.start(leastConfident);
    else if (leastConfident !== this.stream.leastConfident) this.restart(leastConfident);
    return null;
  }

  // Another project, language or visit: everything is read again, what has been counted stands within a project.
  begin(sameProject) {
    this.build();
    if (!sameProject) this.begun = null;
    if (this.bench.annotation) this.follow();
  }

  toggle() {
    if (this.on) return this.leave();
    writePlace("annotate", { view: "stream", by: this.stream.leastConfident ? "confidence" : "", span: "" }, true);
    this.start(this.stream.leastConfident);
    this.focus();
  }

  focus() {
    (this.card.hidden ? this.end : this.card).focus({ preventScroll: true });
  }

  leave() {
    writePlace("annotate", { view: "", by: "" }, true);
    return this.bench.visit(this.stop());
  }

  start(leastConfident) {
    const { bench } = this;
    this.on = true;
    bench.popover.hide();
    bench.whyPanel.close();
    bench.host.classList.add("lla-streaming");
    bench.desk.append(this.root);
    this.restart(leastConfident);
  }

  // Returns the document that is open. What has been counted stands.
  stop() {
    const { bench } = this;
    this.on = false;
    this.root.remove();
    bench.host.classList.remove("lla-streaming");
    this.stream.forget();
    return bench.annotation?.id;
  }

  query() {
    return JSON.stringify(this.bench.queue.query());
  }

  // The queue has been narrowed or ordered otherwise.
  followQueue() {
    if (this.on && this.query() !== this.begun) this.restart(this.stream.leastConfident);
  }

  restart(leastConfident) {
    const again = this.query() === this.begun;
    this.begun = this.query();
    this.heard = this.drawn = null;
    this.stream.clear(leastConfident, again ? this.stream.counts : undefined);
    this.order.value = leastConfident ? "confidence" : "";
    this.stream.fill();
    this.draw();
  }

  chooseOrder() {
    writePlace("annotate", { by: this.order.value });
    this.restart(this.order.value === "confidence");
    this.focus();
  }

  // A document that was chosen in the queue is where the stream goes on.
  take(answer) {
    const { bench, stream } = this;
    const entry = stream.goTo(answer);
    this.draw();
    if (!bench.conflicts.has(answer.document.id)) return;
    this.hold(entry);
    bench.showConflict();
  }

  // A document has been read; its edits that are not saved yet stand.
  arrived({ answer: { document: found }, annotation }) {
    const { saver } = this.bench;
    saver.know(found.id, found.revision);
    const unsent = saver.pending(found.id);
    if (unsent) annotation.take(unsent);
  }

  // ------------------------------------------------------------------ answers

  accept() {
    const question = this.question();
    if (question) this.answer("accepted", "accept", this.bench.annotation.accept([question.span]));
  }

  reject() {
    const question = this.question();
    if (question) this.answer("rejected", "reject", this.bench.annotation.reject(question.span));
  }

  skip() {
    if (this.question()) this.answer("skipped", "skip", false);
  }

  // The suggestion that is on the screen, with its document as the one that edits are about.
  question() {
    const question = this.stream.current;
    if (!question) return null;
    this.hold(question.entry);
    return question;
  }

  answer(kind, action, changed) {
    const { bench, stream } = this;
    const { span } = stream.held;
    const did = bench.say(`annotate_stream.did.${action}`, { surface: questionOf(stream.held).surface, label: span.label });
    stream.answered(kind);
    if (changed) this.still(() => bench.edited(true, action, did));
    this.next(did);
  }

  undo() {
    const { bench, stream } = this;
    const answer = stream.takeBack();
    if (!answer) return bench.announce(bench.say("annotate_stream.nothing_to_undo"));
    this.hold(answer.entry);
    if (answer.kind !== "skipped") this.still(() => bench.undo());
    this.next(bench.say("annotate.did.undo"));
  }

  // An edit is saved as one of the document that is open: until it is, the next one is not.
  still(edit) {
    this.editing = true;
    edit();
    this.editing = false;
  }

  // did: what is heard before the question.
  next(did) {
    this.did = did;
    this.heard = null;
    this.draw();
  }

  // To the text, with this suggestion in focus: to move its ends, or to label it otherwise.
  async edit() {
    const question = this.question();
    if (!question) return;
    await this.leave();
    this.bench.refocus(question.span);
  }

  guideline() {
    this.bench.guideline();
  }

  keys() {
    this.bench.keys();
  }

  again() {
    this.stream.again();
    this.draw();
    this.focus();
  }

  // ------------------------------------------------------------------ drawing

  build() {
    const { say } = this.bench;
    const option = (value, name) => node("option", { value, text: say(`annotate_stream.order.${name}`) });
    this.root.setAttribute("aria-label", say("annotate_stream.title"));
    this.card.setAttribute("aria-label", say("annotate_stream.title"));
    this.order.setAttribute("aria-label", say("annotate_stream.order"));
    this.order.replaceChildren(option("", "queue"), option("confidence", "confidence"));
    this.order.value = this.stream.leastConfident ? "confidence" : "";
    this.back.replaceChildren(this.button("leave", "v", "lla-plain"));
    this.buttons.setAttribute("aria-label", say("annotate_stream.answers"));
    this.buttons.replaceChildren(...ANSWERS.map(([name, key]) => this.button(name, key, name === "accept" ? "lla-primary" : "")), this.button("edit", "e", "lla-plain"));
  }

  button(name, key, kind = "") {
    const { say } = this.bench;
    return pressable({ class: `lla-button ${kind}`, "data-stream": name, title: say(`annotate_keys.stream_${name}`), onclick: () => this[name]() }, node("span", { text: say(`annotate_stream.${name}`) }), key ? node("kbd", { text: key }) : null);
  }

  // Edits are about this document from now on.
  hold({ answer, annotation }) {
    const { bench } = this;
    if (bench.annotation === annotation) return;
    bench.currentKey = null;
    bench.annotation = annotation;
    bench.activeRun = answer.active_run;
    bench.tagged = answer.suggestions.filter((span) => span.source === "tagger");
    bench.attached = new Attached(answer.document);
    bench.queue.go(annotation.id);
    bench.suggestionPanel.tell({ stopped: [], cut: [], more: answer.more });
    writePlace("annotate", { document: annotation.id, span: "" });
  }

  draw() {
    if (this.editing) return;
    const { bench, stream } = this;
    const question = stream.current;
    const focused = this.root.contains(document.activeElement) ? document.activeElement : null;
    this.drawHead(question);
    this.card.hidden = !question;
    this.end.hidden = Boolean(question);
    for (const button of this.buttons.children) button.disabled = button.dataset.stream === "undo" ? !stream.answers.length : !question;
    this.head.append(bench.state);
    if (question) {
      this.hold(question.entry);
      this.drawQuestion(questionOf(question), question.span);
    } else this.drawEnd();
    if (focused?.disabled || focused?.checkVisibility() === false) this.focus(); // the keys go on
  }

  drawHead(question) {
    const { say } = this.bench;
    const { number, total, more } = this.stream.progress;
    const count = (value) => value.toLocaleString(say.language);
    this.place.textContent = question ? say(more ? "annotate_stream.place_more" : "annotate_stream.place", { number: count(number), total: count(total) }) : "";
    this.progress.hidden = !question;
    this.progress.value = total ? (number - 1) / total : 0;
    this.progress.setAttribute("aria-label", say("annotate_stream.meter"));
    this.tally.textContent = this.tallied();
  }

  tallied() {
    const { say } = this.bench;
    const told = Object.entries(this.stream.counts).filter(([, count]) => count);
    return told.map(([kind, count]) => say(`annotate_stream.count.${kind}`, { count: count.toLocaleString(say.language) })).join(say("annotate_stream.comma"));
  }

  drawQuestion({ text, span, surface, spans, cut }, mark) {
    const { bench, sentence } = this;
    const { say } = bench;
    const known = JSON.stringify([text, span, spans]);
    if (known !== this.drawn) {
      this.drawn = known;
      sentence.show(text);
      const suggested = { ...span, current: true, colour: bench.colour(span.label) };
      sentence.setMarks([suggested, ...bench.marksOf(spans)]);
      sentence.root.classList.toggle("lla-cut-before", cut.before);
      sentence.root.classList.toggle("lla-cut-after", cut.after);
    }
    const { ink, tint } = readable(bench.colour(mark.label), isDark());
    this.source.replaceChildren(
      node("span", { class: "lla-held-label", style: { "--ink": ink, "--tint": tint }, text: mark.label }),
      node("b", { dir: "auto", text: surface }),
      node("span", { class: "lla-sources" }, ...mark.sources.map((item) => node("span", {}, node("i", { class: `lla-sample lla-${item.source}` }), node("span", { text: namedSource(say, item) })))),
    );
    bench.labelPanel.guide(mark.label);
    const heard = `${bench.annotation.id} ${mark.start} ${mark.end} ${mark.label}`;
    if (heard === this.heard) return;
    this.heard = heard;
    bench.announce([this.did, describeSuggestion(say, mark, surface), text].filter(Boolean).join(" · "));
    this.did = null;
  }

  // Nothing is asked: the first documents are still read, the app did not answer, or all is done.
  drawEnd() {
    const { bench, stream } = this;
    const { say } = bench;
    const act = (name, run, kind = "") => node("button", { type: "button", class: `lla-button ${kind}`, "data-stream": name, onclick: run, text: say(`annotate_stream.${name}`) });
    const { accepted, skipped } = stream.counts;
    const answered = Object.values(stream.counts).some(Boolean);
    const state = stream.failed ? "failed" : stream.reading ? "reading" : answered ? "finished" : isNarrow(bench.queue.query().filter) ? "none_here" : bench.activeRun ? "none" : "none_yet";
    const train = () => bench.notify("leave", { page: "train" });
    const acts = {
      failed: [act("retry", () => stream.fill(), "lla-primary")],
      reading: [],
      finished: [
        ...(skipped ? [act("again", () => this.again(), "lla-primary")] : []),
        act("leave", () => this.leave(), skipped ? "" : "lla-primary"),
        ...(accepted ? [act("train", train)] : []),
      ],
      none_here: [act("all_documents", () => bench.queue.filter.choose({}), "lla-primary"), act("leave", () => this.leave())],
      none: [act("leave", () => this.leave(), "lla-primary")],
      none_yet: [act("train", train, "lla-primary"), act("dictionary", () => bench.notify("leave", { page: "dictionary" })), act("leave", () => this.leave())],
    }[state];
    const told = [say(`annotate_stream.told.${state}`), ...(state === "finished" ? [say("annotate_stream.told.next")] : [])];
    this.drawn = null;
    this.end.replaceChildren(...told.map((text, at) => node("p", { class: at ? "lla-note" : "", text })), node("div", { class: "lla-row lla-empty-acts" }, ...acts));
    const heard = `${state} ${told[0]}`;
    if (state === "reading" || heard === this.heard) return;
    this.heard = heard;
    bench.announce([this.did, told[0]].filter(Boolean).join(" · "));
    this.did = null;
  }
}

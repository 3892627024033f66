// Actions of the Annotate page: edits are drawn immediately and saved in the background.

import { node } from "../page/dom.js";
import { clock } from "../page/messages.js";
import { offerCommands } from "../page/commands.js";
import { beginWithPage, onPlace } from "../page/session.js";
import { linkName } from "../text/links.js";
import { keysOf, markKey, plainSpan, withoutAll } from "../text/spans.js";
import { Bench } from "./bench.js";
import { commandsOf } from "./commands.js";
import { askOverlap } from "./dialogs/overlap.js";
import { SpanHistory } from "./dialogs/span_history.js";
import { relabelled } from "./state/decisions.js";
import { freshId } from "./state/sending.js";

const MOST_UNASKED = 50; // suggestions that are accepted together without a question

class Workbench extends Bench {
  // `batch`: the name of an order to other documents that this edit is part of. `before`: the status until this edit.
  edited(changed, action, text, status = null, batch = null, before = this.annotation.status) {
    if (!changed) return;
    const wanted = status ?? (before === "new" ? "in_progress" : before);
    this.annotation.status = wanted;
    this.draw();
    this.announce(text);
    this.state.textContent = this.say("annotate.saving");
    this.saver.put(this.annotation.id, action, { ...this.annotation.now, status: wanted, reason: this.annotation.reason, run: this.activeRun?.name ?? null }, batch);
    this.queue.mark(this.annotation.id, { status: this.stateOf(wanted), reason: this.annotation.reason }, before);
    this.similar.edited();
  }

  // The state that the queue shows for a status: what nobody has annotated may have come with labels, or have suggestions.
  stateOf(status) {
    if (status !== "new") return status;
    if (this.annotation.spans.length) return "imported";
    return this.tagged.length ? "preannotated" : "new";
  }

  // A label pressed with the mouse or a finger: with nothing to label it stays chosen.
  choose(name) {
    if (!this.annotation) return;
    this.caret.catchUp();
    if (this.caret.trimmed() || this.current) this.label(name);
    else this.tools.hold(name);
  }

  label(name) {
    if (!this.annotation) return;
    const mark = this.current;
    const span = this.caret.trimmed();
    this.popover.hide();
    if (span) return this.mark({ ...span, label: name });
    if (!mark) return this.announce(this.say("annotate.select_first", { label: name }));
    if (mark.label === name && mark.source !== "person") return this.accept();
    const fresh = { ...plainSpan(mark), label: name };
    this.edited(this.annotation.correct(mark, fresh), "relabel", this.say("annotate.did.relabel", { surface: this.surface(mark), label: name }));
    this.refocus({ ...fresh, source: "person" });
  }

  mark(span) {
    this.askOverlap(span, null, (gone) => {
      const text = this.say("annotate.did.label", { surface: this.surface(span), label: span.label });
      this.edited(this.annotation.add(span, gone), "label", text);
      this.caret.set(span.end, span.end);
      this.sentence.text.focus({ preventScroll: true });
    });
  }

  // proceed(spans that go).
  askOverlap(span, replaced, proceed) {
    const { say, dialogs, annotation } = this;
    const over = annotation.overlapped(span, replaced);
    const here = { say, dialogs, surface: (other) => this.surface(other) };
    const then = (gone) => annotation === this.annotation && proceed(gone);
    askOverlap(here, span, over, then, () => this.sentence.text.focus({ preventScroll: true }));
  }

  refocus(mark) {
    this.currentKey = markKey(mark);
    if (!this.sentence.focus(this.currentKey)) this.sentence.text.focus({ preventScroll: true });
  }

  // Enter: the focused suggestion, else the first one at or after the caret.
  accept() {
    const open = this.openSuggestions();
    const chosen = this.current && this.current.source !== "person" ? this.current : (open.find((span) => span.start >= this.caret.head) ?? open[0]);
    if (!chosen) return;
    this.popover.hide();
    this.edited(this.annotation.accept([chosen]), "accept", this.say("annotate.did.accept", { surface: this.surface(chosen), label: chosen.label }));
    this.focusNextSuggestion(chosen);
  }

  focusNextSuggestion(after) {
    const left = this.sentence.marks.filter((mark) => mark.source !== "person");
    const next = left.find((mark) => mark.start >= after.start) ?? left[0];
    if (next) this.refocus(next);
    else {
      this.currentKey = null;
      this.sentence.text.focus({ preventScroll: true });
    }
  }

  accept_all() {
    const open = this.acceptableSuggestions();
    this.popover.hide();
    if (open.length > MOST_UNASKED) this.dialogs.acceptAll(open.length, this.suggestionPanel.notes.more, () => this.acceptAll(open));
    else this.acceptAll(open);
  }

  acceptAll(open) {
    this.edited(this.annotation.accept(open), "accept_all", this.say("annotate.did.accept_all", { count: open.length }));
    this.currentKey = null;
    this.sentence.text.focus({ preventScroll: true });
  }

  reject() {
    const mark = this.current;
    if (!mark || mark.source === "person") return;
    this.popover.hide();
    this.edited(this.annotation.reject(mark), "reject", this.say("annotate.did.reject", { surface: this.surface(mark), label: mark.label }));
    this.focusNextSuggestion(mark);
  }

  remove() {
    const mark = this.current;
    if (!mark) return;
    if (mark.source !== "person") return this.reject();
    this.popover.hide();
    this.edited(this.annotation.remove(mark), "delete", this.say("annotate.did.delete", { surface: this.surface(mark), label: mark.label }));
    this.currentKey = null;
    // The bar that had the focus is gone; without this the keys would go to the body.
    this.sentence.text.focus({ preventScroll: true });
  }

  nudge(side, step) {
    const mark = this.current;
    const span = mark && this.annotation.nudged(mark, side, step);
    if (span) this.moveTo(mark, span);
  }

  // A mark with other boundaries, by key, by the menu or by its handles.
  moveTo(mark, span) {
    const again = this.popover.open;
    this.askOverlap(span, mark, (gone) => {
      this.edited(this.annotation.correct(mark, span, gone), "move", this.say("annotate.did.move", { surface: this.surface(span), label: span.label }));
      const moved = { ...span, source: "person" };
      this.refocus(moved);
      const bar = this.sentence.bar(markKey(moved));
      if (again && bar) this.pick(moved, bar);
    });
  }

  left_out() {
    this.nudge("start", -1);
  }

  left_in() {
    this.nudge("start", 1);
  }

  right_out() {
    this.nudge("end", 1);
  }

  right_in() {
    this.nudge("end", -1);
  }

  undo() {
    this.turn("undo", this.annotation.past);
  }

  redo() {
    this.turn("redo", this.annotation.future);
  }

  // Undo or redo one step, also in other documents it changed.
  turn(way, stack) {
    const { batch = null, annotated = null } = stack[stack.length - 1] ?? {};
    this.popover.hide();
    if (annotated) return this.turnAnnotated(way, annotated);
    const before = this.annotation.status;
    const changed = this.annotation[way]();
    const { status } = this.annotation;
    this.edited(changed, way, this.say(`annotate.did.${way}`), status === before ? null : status, null, before);
    if (batch) this.tools.outbox.put("turn_batch", { batch, way, but: this.annotation.id });
  }

  // Marking a region is an undoable step.
  markingSteps() {
    const did = () => {
      const annotated = { back: [], again: [] };
      this.annotation.noted({ annotated });
      this.drawToolbar();
      return annotated;
    };
    const forget = (annotated) => {
      this.annotation?.forget((step) => step.annotated === annotated);
      this.drawToolbar();
    };
    return { did, forget };
  }

  turnAnnotated(way, annotated) {
    this.annotation[way]();
    this.drawToolbar();
    this.announce(this.say(`annotate.did.${way}`));
    const line = this.offers.annotated;
    line.inTurn(() => annotated.back.length && line.send(way === "undo" ? annotated.back : annotated.again, way));
  }

  // ------------------------------------------------------------------ many places at once

  // Places of this document and an order to others as one step.
  together(action, version, order, text) {
    const batch = order ? freshId() : null;
    const changed = this.annotation.change(version.spans, version.rejected);
    if (!changed && !order) return;
    if (!changed) this.annotation.noted({});
    this.annotation.past[this.annotation.past.length - 1].batch = batch;
    if (changed) this.edited(true, action, text, null, batch);
    else this.drawToolbar();
    if (order) this.tools.outbox.put(order.name, { ...order.payload, client_edit: batch });
  }

  others() {
    const mark = this.current;
    if (!mark) return this.announce(this.say("annotate_places.others.select_first"));
    this.popover.hide();
    this.tools.occurrences.open(this.annotation.id, this.sentence.offsets, this.annotation.spans, plainSpan(mark));
  }

  labelOthers({ here, there, label, surface }) {
    const { spans, rejected } = this.annotation;
    const order = there.length ? { name: "label_occurrences", payload: { label, places: there } } : null;
    const version = { spans: [...spans, ...here], rejected: withoutAll(rejected, keysOf(here)) };
    this.together("label_others", version, order, this.say("annotate.did.label_others", { label, surface, count: here.length }));
  }

  replace() {
    this.popover.hide();
    const label = this.current?.source === "person" ? this.current.label : null;
    this.tools.relabelling.open(this.annotation.id, this.sentence.offsets, this.annotation.spans, label);
  }

  replaceLabels({ label, next, here, there, surfaces }) {
    const order = there ? { name: "replace_labels", payload: { label, new: next ?? "", surfaces, but: this.annotation.id } } : null;
    const text = this.say(next === null ? "annotate.did.remove_label" : "annotate.did.replace_label", { label, next, count: here.length });
    this.together("replace_labels", relabelled(this.annotation, here, next), order, text);
  }

  link() {
    const mark = this.current;
    this.popover.hide();
    if (mark?.source === "person") this.tools.linking.open(this.annotation.id, mark, this.surface(mark));
    else this.announce(this.say("annotate_link.select_first"));
  }

  linked(mark, link) {
    const surface = this.surface(mark);
    const text = link ? this.say("annotate.did.link", { surface, name: linkName(this.say, link) }) : this.say("annotate.did.unlink", { surface });
    this.edited(this.annotation.link(mark, link), "link", text);
    this.refocus(mark);
  }

  comment() {
    this.popover.hide();
    this.tools.comments.write();
  }

  async done() {
    this.edited(true, "done", this.say("annotate.did.done"), "done");
    await this.next();
  }

  reopen() {
    this.edited(true, "reopen", this.say("annotate.did.reopen"), "in_progress");
  }

  // Out of training, of exports and of the queue's next, until somebody brings it back; what can be said of it is offered.
  ignore() {
    return this.aside.ignore();
  }

  restore() {
    this.aside.restore();
  }

  to_check() {
    this.aside.flag();
  }

  // The document set aside, or brought back, as a step for undo. `standing`: {status, reason}.
  stand(action, standing) {
    const before = this.annotation.status;
    this.edited(this.annotation.stand(standing), action, this.say(`annotate.did.${action}`), standing.status, null, before);
  }

  // ------------------------------------------------------------------ moving between documents

  async go(step) {
    const id = await this.queue.beside(step);
    if (id === null) return this.announce(this.say(step > 0 ? "annotate.last" : "annotate.first"));
    if (id === undefined) return; // the app did not answer, and the page says so
    await this.visit(id);
  }

  next() {
    return this.go(1);
  }

  previous() {
    return this.go(-1);
  }

  annotated_until() {
    this.offers.annotated.toggle();
  }

  similar_sentences() {
    this.similar.focus();
  }

  similar_back() {
    this.similar.goBack();
  }

  stream() {
    this.streamView.toggle();
  }

  keys() {
    this.dialogs.keys();
  }

  guideline() {
    this.guide.toggle();
  }

  async history() {
    const { id } = this.annotation;
    const answer = await this.ask("read_history", { document: id });
    if (!answer.ok) return;
    this.dialogs.history(answer.events, (span) => this.surface(span), async (revision) => {
      this.dialogs.close();
      const opening = (this.opening += 1);
      const restored = await this.ask("restore_revision", { document: id, revision, base_revision: this.saver.revisions.get(id) });
      if (!restored.ok || opening !== this.opening || this.isOfAnotherProject) return;
      this.show(restored);
      this.stateSaved(restored.at);
    });
  }

  why() {
    this.popover.hide();
    this.whyPanel.toggle();
  }

  span_history() {
    const mark = this.current;
    this.popover.hide();
    if (mark) new SpanHistory(this).open(mark);
  }

  // ------------------------------------------------------------------ the tagger

  ask_tagger() {
    return this.suggest([]);
  }

  async suggest(without) {
    if (!this.sentence.alone) return this.suggestLong(without);
    const { id } = this.annotation;
    this.desk.classList.add("lla-busy");
    const answer = await this.ask("suggest_spans", { document: id, without });
    this.desk.classList.remove("lla-busy");
    if (!answer.ok || this.annotation.id !== id) return this.showWords();
    this.notices.calm();
    const tagged = answer.suggestions.filter((span) => span.source === "tagger");
    if (!without.length) this.tagged = tagged;
    this.annotation.suggestions = answer.suggestions;
    this.suggestionPanel.tell({ more: answer.more });
    this.activeRun = answer.active_run;
    this.showWords(answer);
    this.wordPanel.compare(this.tagged, tagged, (span) => this.surface(span));
    this.draw();
    this.tellAsked(id, tagged);
  }

  tellAsked(id, tagged) {
    const told = this.say("annotate.asked", { found: tagged.length, open: this.openSuggestions().length });
    this.announce(told);
    this.state.textContent = told;
    const scores = this.tagged.map((span) => span.score).filter((score) => typeof score === "number");
    this.queue.mark(id, { confidence: scores.length ? Math.min(...scores) : null });
  }

  // A long document is tagged in parts; words are removed in the visible part only.
  async suggestLong(without) {
    const { id, length } = this.annotation;
    if (without.length) {
      const answer = await this.tagging.without(id, without);
      if (!answer || this.annotation.id !== id) return;
      this.wordPanel.compare(answer.before, answer.now, (span) => this.surface(span));
      return this.showWords();
    }
    this.wordPanel.compare([], [], (span) => this.surface(span));
    this.showWords();
    const tagged = await this.tagging.run(id, length);
    if (!tagged || this.annotation.id !== id) return;
    this.notices.calm();
    this.tagged = tagged;
    this.drawToolbar();
    this.tellAsked(id, tagged);
  }

  // ------------------------------------------------------------------ what saving tells

  stateSaved(at) {
    this.state.textContent = this.say("annotate.saved", { time: clock(new Date(at)) });
    this.state.classList.remove("lla-unsaved");
  }

  saved(edit, answer) {
    this.offers.annotated.later(edit.document);
    if (!this.saver.unsent) {
      this.offers.goOn();
      this.offers.panel.measure(); // what was accepted or rejected counts at once
      this.notices.allSaved();
      this.stateSaved(answer.at);
    }
    document.dispatchEvent(new CustomEvent("latticelens:saved", { detail: { document: edit.document, at: answer.at } }));
  }

  failed(answer) {
    const reason = answer.message ?? this.say("annotate.unreachable");
    const retry = node("button", { type: "button", class: "lla-button", onclick: () => this.saver.retry(), text: this.say("annotate.retry") });
    const told = answer.code === "over_limit" ? "annotate.not_saved_yet" : "annotate.not_saved";
    this.notices.warn(this.say(told, { reason }), answer.code === "session" ? this.reloader() : retry);
    this.state.textContent = this.say("annotate.kept");
    this.state.classList.add("lla-unsaved");
  }

  refused(message, edit) {
    this.notices.warn(this.say("annotate.refused", { reason: message }), null, { stays: true });
    this.state.textContent = this.say("annotate.refused_short");
    if (this.annotation?.id === edit.document) this.open(edit.document, { keepNotice: true });
  }

  conflicted(edit, { current, project }) {
    this.conflicts.set(edit.document, current);
    this.state.textContent = this.say("annotate.kept");
    if (this.annotation?.id === edit.document) this.showConflict();
    else this.warnOfConflict("annotate_conflict.elsewhere", () => this.openOf(project, edit.document));
  }

  warnOfConflict(key, act) {
    this.notices.warn(this.say(key), node("button", { type: "button", class: "lla-button", onclick: act, text: this.say("annotate.look") }));
  }

  // The edit waits in this browser; nothing of the document is sent before the person has chosen.
  decideLater() {
    if (this.conflicts.has(this.annotation?.id)) this.warnOfConflict("annotate_conflict.waits", () => this.showConflict());
  }

  showConflict() {
    const { id, text } = this.annotation;
    const current = this.conflicts.get(id);
    const who = this.say("annotate_conflict.theirs", { user: current.user, time: clock(new Date(current.at)) });
    this.notices.calm();
    this.tools.conflict.show(text, this.annotation.now, current, who, (version) => this.decided(id, current, version));
  }

  // version: to save on top of theirs, or null to keep theirs.
  decided(id, current, version) {
    this.conflicts.delete(id);
    const { action = "keep_mine", spans, rejected } = version ?? current;
    this.annotation.take({ spans, rejected });
    if (!version) this.annotation.status = current.status ?? this.annotation.status;
    const edit = version && { ...this.annotation.now, status: this.annotation.status, run: this.activeRun?.name ?? null };
    this.saver.resolve(id, current, edit, action);
    this.draw();
    this.announce(this.say(version ? `annotate.did.${action}` : "annotate.did.theirs"));
    this.sentence.text.focus({ preventScroll: true });
  }
}

export const mount = (widget) => {
  const { element, server, props, trigger } = widget;
  const bench = new Workbench(element.querySelector(".lla-root"), server, trigger);
  beginWithPage(widget, (page) => bench.begin(page));
  onPlace("annotate", () => bench.followPlace());
  offerCommands("annotate", () => commandsOf(bench));
};

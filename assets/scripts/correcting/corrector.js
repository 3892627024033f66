// Corrects tagged sentences where they stand: a menu at the span or at selected characters, as in Annotate, and a line that says
// what was stored. A sentence that is no document yet becomes one with its first correction.

import { Conflict } from "../annotator/dialogs/conflict.js";
import { Dialogs } from "../annotator/dialogs/dialogs.js";
import { askOverlap } from "../annotator/dialogs/overlap.js";
import { Caret } from "../annotator/selecting/caret.js";
import { Popover } from "../annotator/selecting/popover.js";
import { freshId } from "../annotator/state/sending.js";
import { NO_LABEL_COLOUR } from "../page/colour.js";
import { node } from "../page/dom.js";
import { clock, moment, speaker } from "../page/messages.js";
import { addressOf, askServer, pageLanguage } from "../page/session.js";
import { markKey, plainSpan } from "../text/spans.js";
import { Correction, claimOf, saidOf, toldOf } from "./correction.js";
import { CorrectorKeys } from "./keys.js";
import { MESSAGES } from "./messages.js";

const SETTLED = 500; // ms: a finger's selection has no end event

export class Corrector {
  // options: server with read_tagged and save_correction; why(row, mark): explains a mark, or null; adopted(row): its sentence
  // has become a document, or is none any more; draw(row, marks); makesRoom: as of the menu.
  constructor(root, options) {
    this.root = root;
    this.options = options;
    this.say = speaker(MESSAGES);
    this.labels = [];
    this.row = null; // where the menu is, and what it is about: a mark, or null and selected characters
    this.mark = null;
    this.selected = null;
    this.saving = Promise.resolve();
    this.told = node("div", { class: "lla-told ll-corrected", role: "status", hidden: true });
    this.dialogs = new Dialogs(root, this.say, () => this.row?.sentence.text.focus({ preventScroll: true }));
    this.conflict = new Conflict({ say: this.say, dialogs: this.dialogs, colour: (label) => this.colour(label), later: () => this.give(this.say("correct.conflict_later")) });
    this.popover = new Popover(root, {
      say: this.say,
      labels: () => this.labels,
      choose: (label) => this.label(label),
      act: (name) => this[name](),
      acts: options.why ? ["why"] : [],
      makesRoom: options.makesRoom,
      note: () => (this.row.correction.document === null ? this.say("correct.adds") : null),
    });
    root.append(this.told);
    new CorrectorKeys(this);
    document.addEventListener("pointerup", () => {
      const { pressed } = this;
      this.pressed = null;
      // The browser settles the selection after this event.
      if (pressed) setTimeout(() => this.offer(pressed));
    });
  }

  // Other sentences.
  begin() {
    this.popover.hide();
    for (const row of this.rows ?? []) row.caret.close();
    this.rows = [];
    this.row = null;
    this.told.hidden = true;
    this.say.use(pageLanguage());
  }

  // row: { at, item, sentence }, as the view draws it.
  take(row) {
    const { text } = row.sentence;
    row.caret = new Caret(row.sentence, { moved: () => this.moved(row), words: () => [] });
    text.setAttribute("aria-label", this.say("correct.text"));
    text.classList.add("ll-correctable");
    text.addEventListener("pointerdown", (event) => {
      row.touched = event.pointerType === "touch";
      this.pressed = row.touched ? null : row;
    });
    this.rows.push(row);
  }

  rowOf(element) {
    return this.rows?.find((row) => row.sentence.root.contains(element)) ?? null;
  }

  colour(name) {
    return this.labels.find((label) => label.name === name)?.colour ?? NO_LABEL_COLOUR;
  }

  // ------------------------------------------------------------------ the menu

  moved(row) {
    clearTimeout(this.settling);
    if (row.caret.empty) {
      // A finger on the menu takes the selection away.
      if (this.row === row && !this.mark && !row.touched) this.popover.hide();
    } else if (row.touched) this.settling = setTimeout(() => this.offer(row), SETTLED);
  }

  async pick(row, mark, bar, byKey = false) {
    bar.focus({ preventScroll: true });
    if (!(await this.about(row, mark))) return;
    bar = row.sentence.bar(markKey(mark)); // it may have been drawn anew meanwhile
    if (!bar) return;
    const [{ top }] = row.sentence.boxes(mark.start, mark.end);
    this.popover.show(mark, row.sentence.surface(mark), { ...row.sentence.placeOf(bar), top });
    if (byKey) this.popover.enter();
  }

  async offer(row, byKey = false) {
    const span = row.caret.trimmed();
    if (!span || !(await this.about(row, null))) return;
    const boxes = row.sentence.boxes(span.start, span.end);
    if (!boxes.length) return;
    this.popover.show(null, row.sentence.surface(span), { ...boxes[boxes.length - 1], top: boxes[0].top });
    if (byKey) this.popover.enter();
  }

  // Turns to a mark of a row, or to what is selected there, once the app has told how its document is annotated now. Returns
  // whether that can be acted on: not where it turns out that another annotation stands there, which is shown first.
  async about(row, mark) {
    const answer = await askServer(this.options.server, "read_tagged", this.asked(row));
    if (!this.rows.includes(row)) return false;
    if (!answer.ok) return this.fail(answer);
    const { document, start, nested, labels, standing } = answer;
    Object.assign(this, { row, mark, labels, run: answer.run, selected: row.caret.trimmed() });
    if (!row.correction?.fits(document)) {
      const { text, spans } = row.item;
      const decided = new Set([...(row.correction?.decided ?? []), ...(standing ? saidOf(document) : [])]);
      row.correction = new Correction({ document, text, start, nested, spans, decided });
      if (standing) this.showStanding(row, document, standing);
      if (standing && mark) {
        this.focusText(row);
        return false;
      }
    }
    this.popover.moveTo(row.sentence.root);
    return true;
  }

  // The sentence is a document already: what a person said there takes the place of what the tagger predicts.
  showStanding(row, document, { name, user, at }) {
    const time = moment(this.say, at, { dateStyle: "medium", timeStyle: "short" });
    this.popover.hide();
    this.redraw(row);
    const told = this.say(user ? "correct.standing_by" : "correct.standing", { name, user, time });
    this.tell(told, this.link("annotate", { document: document.id }, "correct.document"));
  }

  asked(row) {
    return { row: row.at, text: row.item.text };
  }

  // ------------------------------------------------------------------ the actions

  label(name) {
    const { mark } = this;
    const span = mark ?? this.selected;
    if (!span) return;
    if (mark?.label === name && mark.source !== "person") this.accept();
    else this.put(mark, { ...plainSpan(span), label: name }, mark ? "relabel" : "label");
  }

  accept() {
    this.put(this.mark, plainSpan(this.mark), "accept");
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

  nudge(side, step) {
    const { row, mark } = this;
    const span = plainSpan(mark);
    span[side] += step;
    if (span.start >= 0 && span.end <= row.sentence.offsets.length && span.start < span.end) this.put(mark, span, "move");
  }

  // `span` in place of `mark`, or a new one; both in the sentence.
  put(mark, span, action) {
    const { row } = this;
    const { correction } = row;
    const [before, after] = [mark && correction.placed(mark), correction.placed(span)];
    const again = action === "move" && this.popover.open;
    this.popover.hide();
    const here = { say: this.say, dialogs: this.dialogs, surface: (other) => [...correction.annotation.text].slice(other.start, other.end).join("") };
    askOverlap(here, after, correction.overlapped(after, before), (gone) => {
      if (!correction.put(before, after, gone)) this.tell(this.say("correct.nothing"));
      else this.commit(row, action, before, after);
      const drawn = { ...span, source: "person" };
      this.mark = drawn;
      this.redraw(row);
      row.caret.collapse();
      if (!row.sentence.focus(markKey(drawn))) return this.focusText(row);
      if (again) this.pick(row, drawn, row.sentence.bar(markKey(drawn)));
    }, () => this.focusText(row));
  }

  reject() {
    this.remove("reject");
  }

  remove(action = "delete") {
    const { row, mark } = this;
    const before = row.correction.placed(mark);
    this.popover.hide();
    if (row.correction.remove(before)) this.commit(row, action, before, null);
    this.redraw(row);
    this.focusText(row);
  }

  undo(row = this.row) {
    if (!row?.correction?.canUndo) return;
    this.popover.hide();
    row.correction.undo();
    this.redraw(row);
    this.commit(row, "undo", null, null, row.correction.added && !row.correction.canUndo);
    this.focusText(row);
  }

  why() {
    const { row, mark } = this;
    this.popover.hide();
    this.options.why(row, mark);
  }

  focusText(row) {
    row.sentence.text.focus({ preventScroll: true });
  }

  redraw(row) {
    this.options.draw(row, row.correction.marks);
  }

  // ------------------------------------------------------------------ saving

  // One after the other, each with the annotation as this action left it.
  commit(row, action, before, after, discard = false) {
    const { correction } = row;
    const { spans, rejected } = correction.annotation.now;
    const surface = (span) => [...correction.annotation.text].slice(span.start, span.end).join("");
    const shown = after ?? before;
    const did = this.say(`annotate.did.${action}`, shown ? { surface: surface(shown), label: shown.label } : {});
    const edit = { action, spans: spans.map(plainSpan), rejected: rejected.map(plainSpan), client_edit: freshId(), discard };
    this.tell(this.say("annotate.saving"));
    this.saving = this.saving.then(async () => {
      if (row.correction !== correction) return; // an edit before this one was not saved
      const answer = await askServer(this.options.server, "save_correction", { ...this.asked(row), ...edit, base_revision: correction.revision });
      if (answer.ok) this.saved(row, correction, answer, { did, before, after, action });
      else if (answer.code === "conflict") this.conflicted(row, correction, answer.current);
      else this.fail(answer, row);
    });
  }

  saved(row, correction, answer, { did, before, after, action }) {
    const known = correction.document;
    correction.saved(answer);
    const claim = action === "undo" ? null : claimOf(answer.claims, before, after);
    const undo = correction.canUndo ? this.button("undo", this.say("correct.undo"), () => this.undo(row)) : null;
    const document = { document: answer.document };
    const way = claim ? this.link("ledger", {}, "correct.ledger") : answer.discarded ? null : this.link("annotate", document, "correct.document");
    this.tell(action === "undo" && !answer.discarded ? did : toldOf(this.say, did, claim, answer, this.run), undo, way);
    window.document.dispatchEvent(new CustomEvent("latticelens:saved", { detail: { ...document, at: answer.at } }));
    if (known !== correction.document) this.options.adopted(row);
  }

  // Somebody else has saved the document: the same question as in Annotate.
  conflicted(row, correction, current) {
    const who = this.say("annotate_conflict.theirs", { user: current.user, time: clock(new Date(current.at)) });
    this.told.hidden = true;
    this.row = row;
    this.conflict.show(current.text, correction.annotation.now, current, who, (version) => {
      const { action = "keep_mine", spans, rejected } = version ?? current;
      correction.saved({ document: current.id, revision: current.revision });
      correction.annotation.take({ spans, rejected });
      this.redraw(row);
      if (version) this.commit(row, action, null, null);
      else this.tell(this.say("annotate.did.theirs"));
      this.focusText(row);
    });
  }

  // What was not saved is not shown as if it were.
  fail(answer, row = null) {
    const reason = answer.message ?? this.say("annotate.unreachable");
    const reload = answer.code === "session" ? this.button("reload", this.say("annotate.reload"), () => location.reload()) : null;
    this.give(row ? this.say("correct.not_saved", { reason }) : reason, row, reload);
    return false;
  }

  give(text, row = this.row, action = null) {
    if (row?.correction) {
      row.correction = null;
      this.options.draw(row, row.item.spans);
    }
    this.tell(text, action);
  }

  // ------------------------------------------------------------------ what was stored

  tell(text, ...ways) {
    const close = this.button("close", "✕", () => this.hush());
    close.setAttribute("aria-label", this.say("annotate.close"));
    this.told.replaceChildren(node("span", { text }), ...ways.filter(Boolean), close);
    this.told.hidden = false;
  }

  hush() {
    const held = this.told.contains(document.activeElement);
    this.told.hidden = true;
    if (held && this.row) this.focusText(this.row);
  }

  button(name, text, onclick) {
    return node("button", { type: "button", class: name === "close" ? "lla-button lla-plain" : "lla-button", "data-act": name, onclick, text });
  }

  link(page, values, key) {
    return node("a", { class: "lla-button", href: addressOf(page, values), text: this.say(key) });
  }
}

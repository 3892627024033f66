// Comments on the document and on stretches of it: read, written, settled, deleted and brought back beside the text.

import { node, pressable } from "../../page/dom.js";
import { moment } from "../../page/messages.js";
import { store, storedJson } from "../../page/storage.js";
import { countsByMark, openOnes, withWaiting } from "../state/comments.js";

const DRAFT = "latticelens.draft";

export class CommentPanel {
  // options: say, target() -> {start, end, label} or null, surface(span), send(name, payload), waiting() -> orders not yet
  // answered, look(comment): shows its place, changed(): the counts on the marks may differ
  constructor(options) {
    this.options = options;
    this.document = null;
    this.known = [];
    this.scope = "";
    this.on = null; // the stretch the next comment is about; null: the document
    this.settledShown = false;
    this.heading = node("h2");
    this.list = node("ul", { class: "lla-comments" });
    this.about = node("p", { class: "lla-note lla-about" });
    this.box = node("textarea", { class: "lla-comment-box", rows: "2", maxlength: "4000", oninput: () => this.keepDraft(), onkeydown: (event) => this.key(event) });
    this.button = node("button", { type: "button", class: "lla-button", onclick: () => this.add() });
    this.root = node("section", { class: "lla-comment-panel" }, this.heading, this.list, this.about, this.box, node("div", { class: "lla-row" }, this.button));
  }

  build() {
    const { say } = this.options;
    this.root.setAttribute("aria-label", say("annotate_comments.title"));
    this.box.setAttribute("aria-label", say("annotate_comments.write"));
    this.box.placeholder = say("annotate_comments.write");
    this.button.textContent = say("annotate_comments.add");
    this.draw();
  }

  // Another document: nothing is claimed about its comments before they are known.
  begin(scope, document) {
    if (document === this.document && scope === this.scope) return;
    this.scope = scope;
    this.document = document;
    this.known = [];
    this.on = null;
    this.settledShown = false;
    this.box.value = this.draft();
    this.draw();
  }

  show(document, comments) {
    if (document !== this.document) return;
    this.known = comments;
    this.draw();
    this.options.changed();
  }

  get comments() {
    return withWaiting(this.known, this.options.waiting(), this.document);
  }

  get open() {
    return openOnes(this.comments);
  }

  counts(marks) {
    return countsByMark(this.open, marks);
  }

  // ------------------------------------------------------------------ drawing

  draw() {
    const { say } = this.options;
    const shown = this.comments;
    const open = openOnes(shown);
    const rest = shown.filter((comment) => comment.resolved || comment.trashed);
    this.heading.textContent = open.length ? say("annotate_comments.count", { count: open.length }) : say("annotate_comments.title");
    const rows = open.map((comment) => this.row(comment));
    if (!rows.length) rows.push(node("li", { class: "lla-note", text: say("annotate_comments.none") }));
    if (rest.length) {
      const fold = node("button", { type: "button", class: "lla-button lla-plain lla-fold", "aria-expanded": String(this.settledShown), onclick: () => this.toggle(), text: say(this.settledShown ? "annotate_comments.hide" : "annotate_comments.settled", { count: rest.length }) });
      rows.push(node("li", {}, fold), ...(this.settledShown ? rest.map((comment) => this.row(comment)) : []));
    }
    this.list.replaceChildren(...rows);
    this.drawAbout();
  }

  toggle() {
    this.settledShown = !this.settledShown;
    this.draw();
    this.list.querySelector(".lla-fold")?.focus();
  }

  row(comment) {
    const { say, surface, look } = this.options;
    const onSpan = comment.start !== null && comment.start !== undefined;
    const quote = onSpan
      ? pressable({ class: "lla-quote", title: say("annotate_comments.look"), onclick: () => look(comment) }, node("span", { text: surface(comment) }), comment.label ? node("b", { text: comment.label }) : null)
      : null;
    const state = comment.trashed ? "annotate_comments.trashed" : comment.resolved ? "annotate_comments.resolved" : null;
    const told = comment.unsent ? say("annotate_comments.unsent") : `${comment.user} · ${moment(say, comment.at, { dateStyle: "short", timeStyle: "short" })}`;
    const act = (name, to) => node("button", { type: "button", class: "lla-button lla-plain", "data-act": name, onclick: () => this.set(comment, to), text: say(`annotate_comments.${name}`) });
    const acts = comment.unsent ? [] : comment.trashed ? [act("restore", "restored")] : [comment.resolved ? act("reopen", "open") : act("resolve", "resolved"), act("delete", "trashed")];
    return node(
      "li",
      { class: `lla-comment${state ? " lla-settled" : ""}`, "data-comment": comment.id },
      quote,
      node("p", { class: "lla-comment-text", text: comment.text }),
      node("p", { class: "lla-note" }, node("span", { text: state ? `${say(state)} · ${told}` : told })),
      acts.length ? node("div", { class: "lla-comment-acts" }, ...acts) : null,
    );
  }

  drawAbout() {
    const { say, surface } = this.options;
    this.about.replaceChildren(node("span", { text: this.on ? say("annotate_comments.on_span", { surface: surface(this.on) }) : say("annotate_comments.on_document") }));
    if (!this.on) return;
    this.about.append(" ", node("button", { type: "button", class: "lla-button lla-plain", onclick: () => this.write(null), text: say("annotate_comments.rather_document") }));
  }

  // ------------------------------------------------------------------ writing

  // Puts the cursor into the box, for what is focused or selected.
  write(on = this.options.target()) {
    this.on = on && { start: on.start, end: on.end, label: on.label ?? null };
    this.drawAbout();
    const column = this.box.closest(".lla-side");
    const { scrollTop } = column ?? {};
    this.scrollBack ??= () => column?.scrollTo({ top: scrollTop });
    this.box.focus({ preventScroll: true });
    this.box.scrollIntoView({ block: "nearest" });
  }

  // Back to the text, and the column to where it was: the labels stand above the comments.
  leave() {
    this.scrollBack?.();
    this.scrollBack = null;
    this.options.leave();
  }

  key(event) {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.add();
    }
    if (event.key === "Escape") {
      event.preventDefault();
      this.leave();
    }
  }

  add() {
    const text = this.box.value.trim();
    if (!text) return this.box.focus();
    this.options.send("add_comment", { document: this.document, text, start: this.on?.start ?? null, end: this.on?.end ?? null, label: this.on?.label ?? "" });
    this.box.value = "";
    this.keepDraft();
    this.on = null;
    this.draw();
    this.options.changed();
    this.leave();
  }

  set(comment, state) {
    this.options.send("set_comment", { document: this.document, comment: comment.id, state });
    this.draw();
    this.options.changed();
    this.heading.scrollIntoView?.({ block: "nearest" });
  }

  // Drafts survive a reload.
  get draftKey() {
    return `${DRAFT}.${this.scope}.${this.document}`;
  }

  keepDraft() {
    store(this.draftKey, this.box.value ? JSON.stringify({ text: this.box.value, on: this.on }) : null);
  }

  draft() {
    const kept = storedJson(this.draftKey);
    if (typeof kept?.text !== "string") return "";
    this.on = Number.isInteger(kept.on?.start) && Number.isInteger(kept.on?.end) ? kept.on : null;
    return kept.text;
  }
}

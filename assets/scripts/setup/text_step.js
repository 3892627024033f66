// The first step: a name, the text, how it is split, and the documents that come of it.

import { node } from "../page/dom.js";
import { StillSentences, coloured } from "../sentence/still.js";
import { hasText, nameOf, rowsOf, sourceOf } from "./draft.js";
import { choice, field, filePicker, problemList } from "./field.js";

const TYPING = 400; // milliseconds after the last key

export class TextStep {
  // options: say, draft, offer, changed, upload(file), work(kind, name, payload, progress).
  constructor(options) {
    Object.assign(this, options);
    const { say, draft } = this;
    this.preview = null;
    this.waiting = null;
    this.sentences = new StillSentences();
    this.name = field(say("setup.name"), node("input", { type: "text", maxlength: 200, oninput: () => this.named() }));
    this.paste = field(say("setup.paste"), node("textarea", { rows: 5, class: "ll-setup-paste", placeholder: say("setup.paste_hint"), oninput: () => {
      draft.paste = this.paste.control.value;
      this.sourceChanged(TYPING);
    } }));
    this.paste.control.value = draft.paste;
    this.files = node("ul", { class: "ll-setup-files" });
    const picker = filePicker(say("setup.files"), true, (files) => this.take(files));
    const drop = node("div", { class: "ll-setup-drop" }, picker, node("span", { class: "lla-note", text: say("setup.files_hint") }), this.files);
    this.split = node("div", { class: "ll-setup-split" });
    this.shown = node("div", { class: "ll-setup-preview", "aria-live": "polite" });
    this.root = node("div", { class: "ll-setup-step" }, this.name.root, this.paste.root, drop, this.split, this.shown);
    for (const name of ["dragover", "drop"]) this.root.addEventListener(name, (event) => this.dropped(event));
  }

  // Of a draft that was begun before, the text is read again.
  begin() {
    if (hasText(this.draft)) this.sourceChanged(0);
  }

  show() {
    this.drawName();
    this.drawFiles();
    this.drawSplit();
    this.draw();
  }

  focus() {
    this.paste.control.focus();
  }

  check() {
    const wrong = hasText(this.draft) && this.problem;
    return !wrong;
  }

  tell({ field: name }, message) {
    const told = name === "name" ? this.name : this.paste;
    told.tell(message);
    told.control.focus();
  }

  named() {
    const { value } = this.name.control;
    this.draft.name = value.trim() ? value : null;
    this.name.tell(null);
    this.changed();
  }

  drawName() {
    if (document.activeElement !== this.name.control) this.name.control.value = nameOf(this.draft, this.preview, this.offer);
  }

  // ------------------------------------------------------------------ where the text comes from

  dropped(event) {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    if (event.type === "drop") this.take([...event.dataTransfer.files]);
  }

  async take(files) {
    const { say, draft } = this;
    for (const file of files) {
      const line = node("li", { class: "lla-note", text: say("setup.uploading", { name: file.name }) });
      this.files.append(line);
      this.waiting = this.upload(file).then(
        ({ path }) => draft.files.push({ path, name: file.name }),
        (error) => this.paste.tell(say("setup.upload_failed", { name: file.name, reason: error.message })),
      );
      await this.waiting;
      line.remove();
    }
    draft.column = "";
    this.drawFiles();
    this.sourceChanged(0);
  }

  drawFiles() {
    const { say, draft } = this;
    const lines = draft.files.map((file, at) => {
      const remove = node("button", { type: "button", class: "lla-button lla-plain", "aria-label": say("setup.file_remove", { name: file.name }), text: "✕", onclick: () => {
        draft.files.splice(at, 1);
        draft.column = "";
        this.drawFiles();
        this.sourceChanged(0);
      } });
      return node("li", {}, node("span", { text: file.name }), remove);
    });
    this.files.replaceChildren(...lines);
  }

  drawSplit() {
    const { say, draft, offer, preview } = this;
    const read = (change) => {
      Object.assign(draft, change);
      this.sourceChanged(0);
    };
    const units = ["auto", "line", "paragraph", "file"].map((name) => [name, say(`setup.read_as.${name}`)]);
    const readAs = field(say("setup.read_as"), choice([...units, { group: say("setup.read_as.formats"), options: offer.formats }], draft.readAs, (readAs) => read({ readAs, column: "" })));
    const columns = preview?.columns ?? [];
    const column = columns.length ? field(say("setup.column"), choice([["", say("setup.column.auto")], ...columns.map((name) => [name, name])], draft.column, (column) => read({ column }))) : null;
    this.split.replaceChildren(readAs.root, ...(column ? [column.root] : []));
  }

  // ------------------------------------------------------------------ what it holds

  sourceChanged(pause) {
    clearTimeout(this.timer);
    this.problem = null;
    this.paste.tell(null);
    this.changed();
    this.pending = hasText(this.draft);
    if (!this.pending) {
      this.preview = null;
      this.show();
      return this.changed();
    }
    this.timer = setTimeout(() => (this.waiting = this.read()), pause);
  }

  // Once what was entered last has been read.
  async ready() {
    await this.waiting;
    if (!this.pending) return;
    clearTimeout(this.timer);
    await (this.waiting = this.read());
  }

  async read() {
    const slow = setTimeout(() => this.shown.replaceChildren(node("p", { class: "lla-note", text: this.say("setup.reading") })), 2 * TYPING);
    const state = await this.work("read", "setup_read", sourceOf(this.draft));
    clearTimeout(slow);
    if (!state) return;
    this.pending = false;
    const held = state.ok ? state.result : null;
    if (!held && state.ok) return; // stopped by a later one
    this.problem = state.ok ? null : state.message;
    // A column that does not fit leaves the choice of columns there.
    this.preview = held ?? (this.draft.column ? this.preview : null);
    this.paste.tell(this.problem);
    this.show();
    this.changed();
  }

  draw() {
    const { say, draft, preview, problem } = this;
    this.sentences.close();
    if (problem) return this.shown.replaceChildren();
    if (!hasText(draft)) return this.shown.replaceChildren(node("p", { class: "lla-note", text: say("setup.no_text") }));
    if (!preview) return this.shown.replaceChildren(node("p", { class: "lla-note", text: say("setup.reading") }));
    const { documents, spans, first, refused, problems } = preview;
    const held = say(spans ? "setup.holds_spans" : "setup.holds", { documents: documents.toLocaleString(), spans: spans.toLocaleString(), formats: preview.formats.join(", ") });
    const colours = Object.fromEntries(rowsOf(draft, preview, this.offer).map(({ name, colour }) => [name, colour]));
    const items = first.map(({ text, more, spans: marks }) =>
      node("li", {}, this.sentences.add(text, coloured(marks.map((mark) => ({ ...mark, source: "person" })), colours)), more ? node("p", { class: "lla-note", text: say("setup.more_characters", { count: more }) }) : null),
    );
    const rest = documents - first.length;
    const lines = problems.map(([name, line, reason]) => say(line ? "setup.problem" : "setup.problem_of_file", { name, line, reason }));
    this.shown.replaceChildren(
      node("h4", { text: held }),
      ...[problemList(say("setup.left_out", { count: refused }), lines), node("ol", { class: "ll-setup-documents" }, ...items), rest > 0 ? node("p", { class: "lla-note", text: say("setup.more", { count: rest }) }) : null].filter(Boolean),
    );
    this.sentences.draw();
  }
}

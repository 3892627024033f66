// The third step: words that are suggested from the first document on.

import { node } from "../page/dom.js";
import { KINDS } from "../dictionary/kinds.js";
import { dictionaryOf, namesOf, rowsOf } from "./draft.js";
import { choice, filePicker, problemList } from "./field.js";

const WAYS = ["base", "file", "none"];

export class DictionaryStep {
  // options: say, draft, offer, changed, preview(), upload(file), ask(name), work(kind, name, payload).
  constructor(options) {
    Object.assign(this, options);
    this.kinds = null;
    this.list = null;
    this.wrong = node("p", { class: "ll-setup-wrong", role: "alert" });
    this.ways = node("div", { class: "ll-setup-ways", role: "radiogroup" });
    this.root = node("div", { class: "ll-setup-step" }, node("p", { class: "lla-note", text: this.say("setup.dictionary.how") }), this.ways, this.wrong);
  }

  get labels() {
    return rowsOf(this.draft, this.preview(), this.offer).map(({ name }) => name.trim()).filter(Boolean);
  }

  show() {
    const { say, draft } = this;
    const chosen = dictionaryOf(draft, this.preview(), this.labels);
    this.ways.setAttribute("aria-label", say("setup.step.dictionary"));
    this.ways.replaceChildren(
      ...WAYS.map((way) => {
        const radio = node("input", { type: "radio", name: "ll-setup-dictionary", value: way, onchange: () => this.choose({ dictionary: way }) });
        radio.checked = way === chosen;
        const row = node("label", { class: "ll-setup-way" }, radio, node("span", { text: say(`setup.dictionary.${way}`) }));
        return node("div", {}, row, way === chosen ? this.details(way) : null);
      }),
    );
  }

  choose(change) {
    Object.assign(this.draft, change);
    this.wrong.textContent = "";
    this.show();
    this.changed();
    this.focus();
  }

  focus() {
    this.ways.querySelector("input:checked")?.focus();
  }

  check() {
    const missing = this.draft.dictionary === "file" && !this.draft.words;
    if (missing) this.wrong.textContent = this.say("setup.words_missing");
    return !missing;
  }

  tell(_where, message) {
    this.wrong.textContent = message;
  }

  details(way) {
    if (way === "base") return this.names();
    return way === "file" ? this.wordList() : null;
  }

  // ------------------------------------------------------------------ the base dictionary

  names() {
    const { say, draft, labels } = this;
    if (!this.kinds) {
      this.readNames();
      return node("p", { class: "lla-note ll-setup-detail", text: say("setup.reading") });
    }
    const names = namesOf(draft, labels);
    const rows = KINDS.map((kind) => {
      const { count, examples } = this.kinds[kind];
      const called = say(`setup.kind.${kind}`);
      const select = choice([["", say("setup.kind_out")], ...labels.map((name) => [name, name])], names[kind], (label) => {
        draft.names = { ...namesOf(draft, labels), [kind]: label };
        this.changed();
      });
      select.setAttribute("aria-label", say("setup.kind_label", { kind: called }));
      return node("li", {}, node("span", { text: `${called} · ${count.toLocaleString()}` }), select, node("span", { class: "lla-note", text: examples.join(" · ") }));
    });
    return node("ul", { class: "ll-setup-kinds ll-setup-detail" }, ...rows);
  }

  async readNames() {
    const answer = await this.ask("setup_names");
    if (!answer.ok) return this.tell({}, answer.message);
    this.kinds = answer.kinds;
    if (this.root.isConnected) this.show();
  }

  // ------------------------------------------------------------------ a word list

  wordList() {
    const { say, draft, list } = this;
    const parts = [filePicker(say("setup.words_choose"), false, ([file]) => this.take(file)), node("p", { class: "lla-note", text: say("setup.words_how") })];
    if (draft.words) parts.push(node("p", { text: draft.words.name }));
    if (draft.words && !list) this.readList();
    if (list) {
      parts.push(node("p", { text: say("setup.words_holds", { count: list.words, examples: list.examples.join(" · ") }) }));
      if (list.types.length) parts.push(node("p", { class: "lla-note", text: say("setup.words_types", { types: list.types.map(([name, count]) => `${name} ${count.toLocaleString()}`).join(" · ") }) }));
      if (list.untyped) parts.push(node("p", { class: "lla-note", text: say("setup.words_untyped", { count: list.untyped }) }));
      const lines = list.problems.map(([line, reason]) => (line ? say("setup.words_problem", { line, reason }) : reason));
      const problems = problemList(say("setup.words_left_out", { count: list.refused }), lines);
      if (problems) parts.push(problems);
    }
    return node("div", { class: "ll-setup-detail" }, ...parts);
  }

  async take(file) {
    const { say } = this;
    try {
      const { path } = await this.upload(file);
      this.list = null;
      this.choose({ words: { path, name: file.name } });
    } catch (error) {
      this.tell({}, say("setup.upload_failed", { name: file.name, reason: error.message }));
    }
  }

  async readList() {
    const state = await this.work("words", "setup_words", { path: this.draft.words.path });
    if (!state || (state.ok && !state.result)) return;
    if (state.ok) this.list = state.result;
    else this.draft.words = null;
    this.show();
    this.changed();
    this.wrong.textContent = state.ok ? "" : state.message;
  }
}

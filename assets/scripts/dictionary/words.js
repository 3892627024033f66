// The Words tab: search and filters, the table, actions, word list import.

import { isTyping, node } from "../page/dom.js";
import { saveFile } from "../page/downloads.js";
import { speaker } from "../page/messages.js";
import { beginWithPage } from "../page/session.js";
import { WorkBar } from "../page/work_bar.js";
import { asker, wordButton, wordChoice } from "./asking.js";
import { ImportPanel, NamesPanel } from "./word_list_import.js";
import { WordSelection, WordTable } from "./table.js";
import { MESSAGES } from "./messages/words.js";

const WORD_STATES = ["words", "conflict", "kept", "removed"];
const WORD_SORTS = ["word", "frequency", "length", "documents", "newest"];
const DESCENDING_FIRST = ["frequency", "documents", "newest"];
let wordLists = 0;

class WordBench {
  constructor(host, server) {
    this.host = host;
    this.say = speaker(MESSAGES);
    this.ask = asker(server, this.say, (text, wrong) => this.tell(text, wrong), "dictionary");
    this.list = `ll-words-labels-${++wordLists}`;
    this.query = { search: "", match: "part", state: "words", type: null, source: null, sort: "word", descending: false };
    this.offset = 0;
    host.addEventListener("keydown", (event) => this.key(event));
  }

  begin(page) {
    const moved = page.project !== this.page?.project || page.language !== this.page?.language;
    this.page = page;
    this.say.use(page.language);
    if (moved) this.build();
    this.tell("");
    this.load();
    this.importing.look();
    this.work.follow();
  }

  build() {
    const { say, ask, list } = this;
    const shared = { say, ask, list };
    this.work?.leave();
    this.message = node("p", { class: "ll-words-message", role: "status" });
    this.work = new WorkBar({ say: (key) => say(`dictionary.${key}`), ask, state: "dictionary_work_state", stop: "dictionary_stop", ended: (state) => this.ended(state) });
    this.importing = new ImportPanel({ ...shared, work: this.work });
    this.names = new NamesPanel({ ...shared, work: this.work });
    this.selection = new WordSelection({
      ...shared,
      change: (operation, more) => this.change(operation, [...this.table.chosenIds], more),
      every: () => this.drawSelection(true),
      clear: () => this.table.chooseAll(false),
    });
    this.table = new WordTable({
      say,
      change: (operation, ids) => this.change(operation, ids),
      edit: (row, type, frequency) => this.act("dictionary_edit", { id: row.id, type, frequency }),
      chosen: () => this.drawSelection(false),
    });
    this.summary = node("p", { class: "ll-words-summary" });
    this.filters = node("div", { class: "ll-words-row ll-words-filters" });
    this.labels = node("datalist", { id: list });
    this.pager = node("div", { class: "ll-words-row ll-words-pager" });
    this.empty = node("div", { class: "ll-words-empty", hidden: true });
    this.keys = node("p", { class: "lla-note ll-words-keys", text: say("dictionary.keys") });
    this.query = { search: "", match: "part", state: "words", type: null, source: null, sort: "word", descending: false };
    this.offset = 0;
    this.search = node("input", { type: "search", maxlength: 100, placeholder: say("dictionary.search_hint"), "aria-label": say("dictionary.search") });
    this.search.addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.find({ search: this.search.value.trim() }), 150);
    });
    this.host.replaceChildren(
      this.summary, this.adding(), node("div", { class: "ll-words-row" }, this.tools(), this.message), this.work.root,
      this.names.root, this.importing.root, this.filters, this.selection.root, this.empty, this.table.root, this.pager,
      this.keys, this.labels,
    );
    if (!this.page.may_change) this.host.querySelectorAll(".ll-words-adding, .ll-words-tools").forEach((part) => (part.hidden = true));
  }

  tell(text, wrong = false) {
    if (!this.message) return;
    this.message.textContent = text;
    this.message.classList.toggle("ll-words-wrong", wrong);
  }

  // The field to add a word, with information on the word while typing.
  adding() {
    const { say } = this;
    const field = (name, type, more) => node("input", { type, class: `ll-words-add-${name}`, ...more });
    const named = (name, input) => node("label", { class: "ll-words-choice" }, node("span", { text: say(`dictionary.${name}`) }), input);
    const word = field("word", "text", { maxlength: 100, placeholder: say("dictionary.word_hint") });
    const type = field("type", "text", { maxlength: 100, list: this.list, placeholder: say("dictionary.type_hint") });
    const frequency = field("frequency", "number", { min: 0, value: 1 });
    const known = node("p", { class: "lla-note ll-words-known", role: "status" });
    const form = node("form", { class: "ll-words-row ll-words-adding" }, named("word", word), named("type", type), named("frequency", frequency), node("button", { type: "submit", class: "lla-button lla-primary", text: say("dictionary.add") }), known);
    word.addEventListener("input", () => {
      clearTimeout(this.looking);
      this.looking = setTimeout(() => this.look(word.value.trim(), known), 250);
    });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (!word.value.trim()) return word.focus();
      if (await this.act("dictionary_add", { word: word.value, type: type.value, frequency: Number(frequency.value) })) {
        word.value = "";
        known.textContent = "";
        word.focus();
      }
    });
    return form;
  }

  async look(word, known) {
    if (!word) return (known.textContent = "");
    const found = await this.ask("dictionary_look", { word });
    if (!found || found.word !== this.host.querySelector(".ll-words-add-word").value.trim()) return;
    const { say } = this;
    const parts = [];
    if (found.own.length) parts.push(say("dictionary.known_own", { types: found.own.map((row) => row.type || say("dictionary.no_type")).join(" · ") }));
    if (found.removed) parts.push(say("dictionary.known_removed"));
    if (found.base) parts.push(say("dictionary.known_base", { type: found.base.type, frequency: found.base.frequency.toLocaleString() }));
    if (!parts.length) parts.push(say("dictionary.known_nowhere"));
    if ("documents" in found) parts.push(say("dictionary.touches", { count: found.documents.toLocaleString() + (found.more ? "+" : "") }));
    known.textContent = parts.join(" ");
    known.title = (found.matches ?? []).map(([name, text]) => `${name}: ${text}`).join("\n");
  }

  tools() {
    const { say } = this;
    // An empty list offers jieba's names below, where it says what to do.
    this.start = wordButton(say("dictionary.names_open"), () => this.names.open());
    this.undoing = wordButton(say("dictionary.undo"), () => this.undo());
    return node(
      "div",
      { class: "ll-words-row ll-words-tools" },
      this.start,
      this.undoing,
      wordButton(say("dictionary.export"), () => this.export()),
    );
  }

  drawFilters(counts) {
    const { say, query } = this;
    const number = (value) => value.toLocaleString();
    const states = { words: counts.entries, conflict: counts.conflicts, kept: counts.kept, removed: counts.removed };
    const types = [["*", say("dictionary.any_type")], ...Object.entries(counts.types).map(([type, count]) => [`=${type}`, `${type || say("dictionary.no_type")} (${number(count)})`])];
    const sources = [["*", say("dictionary.any_source")], ...Object.entries(counts.sources).map(([source, count]) => [`=${source}`, `${source || say("dictionary.hand")} (${number(count)})`])];
    const named = (value) => (value === "*" ? null : value.slice(1));
    const shown = (value) => (value === null ? "*" : `=${value}`);
    const turn = wordButton(query.descending ? "↓" : "↑", () => this.find({ descending: !query.descending }), { "aria-label": say(query.descending ? "dictionary.descending" : "dictionary.ascending"), title: say(query.descending ? "dictionary.descending" : "dictionary.ascending") });
    const sorts = WORD_SORTS.filter((name) => name !== "documents" || this.page.see_documents).map((name) => [name, say(`dictionary.sort.${name}`)]);
    this.filters.replaceChildren(
      node("label", { class: "ll-words-choice ll-words-search" }, node("span", { text: say("dictionary.search") }), this.search),
      wordChoice(say("dictionary.where"), ["part", "prefix", "whole"].map((name) => [name, say(`dictionary.match.${name}`)]), query.match, (match) => this.find({ match })),
      wordChoice(say("dictionary.state"), WORD_STATES.map((name) => [name, `${say(`dictionary.state.${name}`)} (${number(states[name])})`]), query.state, (state) => this.find({ state })),
      wordChoice(say("dictionary.type_filter"), types, shown(query.type), (value) => this.find({ type: named(value) })),
      wordChoice(say("dictionary.source"), sources, shown(query.source), (value) => this.find({ source: named(value) })),
      wordChoice(say("dictionary.sort"), sorts, query.sort, (sort) => this.sortBy(sort)),
      turn,
    );
  }

  async sortBy(sort) {
    await this.find({ sort, descending: DESCENDING_FIRST.includes(sort) });
    if (sort !== "documents" || this.rows.every((row) => row.documents !== null)) return;
    this.message.replaceChildren(node("span", { text: `${this.say("dictionary.not_counted")} ` }), wordButton(this.say("dictionary.count"), async () => this.work.follow(await this.ask("dictionary_count"))));
  }

  find(part) {
    Object.assign(this.query, part);
    this.offset = 0;
    this.tell("");
    return this.load();
  }

  async load() {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    const answer = await this.ask("dictionary_page", { ...this.query, offset: this.offset });
    if (!answer || turn !== this.turn) return;
    const typing = document.activeElement === this.search;
    Object.assign(this.page, { see_documents: answer.see_documents, list: this.list });
    this.rows = answer.rows;
    this.answer = answer;
    this.labels.replaceChildren(...answer.labels.map((name) => node("option", { value: name })));
    const { counts } = answer;
    const number = (value) => value.toLocaleString();
    this.summary.textContent = this.say("dictionary.base", { count: number(answer.base), added: number(counts.entries), removed: number(counts.removed) });
    this.drawFilters(counts);
    if (typing) this.search.focus();
    this.table.show(answer.rows, this.page);
    this.drawPager(answer);
    this.drawEmpty(answer);
    this.countDocuments(turn);
  }

  async countDocuments(turn) {
    if (!this.page.see_documents || !this.rows.length) return;
    const words = [...new Set(this.rows.map((row) => row.word))];
    const answer = await this.ask("dictionary_documents", { words });
    if (answer && turn === this.turn) this.table.documents(answer.documents, answer.exact);
  }

  drawEmpty(answer) {
    const { say } = this;
    const untouched = !answer.counts.entries && !answer.counts.removed;
    this.empty.hidden = answer.rows.length > 0;
    this.table.root.hidden = this.pager.hidden = !this.empty.hidden;
    this.undoing.hidden = !answer.undoable;
    this.filters.hidden = this.start.hidden = this.keys.hidden = untouched;
    const text = untouched ? say(this.page.may_change ? "dictionary.empty" : "dictionary.empty_read") : say("dictionary.nothing_found");
    this.empty.replaceChildren(node("p", { text }));
    if (untouched && this.page.may_change) this.empty.append(wordButton(say("dictionary.names_open"), () => this.names.open(), { class: "lla-button lla-primary" }));
  }

  drawPager({ total, page, most_counted: most, rows }) {
    const { say } = this;
    const over = total > most && this.isFiltered();
    const at = Math.floor(this.offset / page) + 1;
    const pages = Math.max(1, Math.ceil(total / page));
    const go = (to) => {
      this.offset = Math.max(0, (to - 1) * page);
      this.load();
    };
    const box = node("input", { type: "number", min: 1, max: over ? null : pages, value: at, "aria-label": say("dictionary.page") });
    box.addEventListener("change", () => go(Math.max(1, over ? Number(box.value) || 1 : Math.min(pages, Number(box.value) || 1))));
    const found = over ? say("dictionary.found_over", { count: most.toLocaleString() }) : say("dictionary.found", { count: total.toLocaleString() });
    this.pager.replaceChildren(
      wordButton("‹", () => go(at - 1), { disabled: at <= 1, "aria-label": say("dictionary.before"), title: say("dictionary.before") }),
      box,
      node("span", { text: over ? "" : `/ ${pages.toLocaleString()}` }),
      wordButton("›", () => go(at + 1), { disabled: rows.length < page || (!over && at >= pages), "aria-label": say("dictionary.after"), title: say("dictionary.after") }),
      node("span", { class: "lla-note", text: found }),
    );
  }

  isFiltered() {
    return Boolean(this.query.search || this.query.type !== null || this.query.source !== null);
  }

  drawSelection(all) {
    this.all = all;
    const total = this.answer?.total ?? 0;
    const over = total > (this.answer?.most_counted ?? Infinity) && this.isFiltered();
    this.selection.show({ count: this.page.may_change ? this.table.chosenIds.size : 0, total, over, all, removed: this.query.state === "removed" });
  }

  async change(operation, ids, more = {}) {
    const payload = this.all ? { ...this.query, type: this.query.type, ...(operation === "retype" ? { new_type: more.type } : {}) } : { ids, ...more };
    const answer = await this.ask("dictionary_change", { operation, all: this.all === true, ...payload });
    if (!answer) return;
    if ("number" in answer) return this.work.follow(answer);
    this.told(answer);
    this.load();
  }

  async act(name, payload) {
    const answer = await this.ask(name, payload);
    if (!answer) return false;
    this.told(answer);
    await this.load();
    return true;
  }

  told(result) {
    const { say } = this;
    if ("settled" in result) return this.tell(say("dictionary.settled"));
    const parts = ["added", "removed", "changed"].filter((name) => result[name]).map((name) => say(`dictionary.${name}`, { count: result[name].toLocaleString() }));
    this.tell(`${result.undone ? `${say("dictionary.undone")} ` : ""}${parts.join(" ")}`);
  }

  async undo() {
    const state = await this.ask("dictionary_undo");
    if (state) this.work.follow(state);
  }

  ended(state) {
    if (state.error) this.tell(state.error, true);
    else if (state.stopped) this.tell(this.say("dictionary.stopped"));
    else if (state.kind === "count") this.tell(this.say("dictionary.counted"));
    else if (state.result && state.kind !== "read") this.told(state.result);
    this.importing.look();
    this.table.chooseAll(false);
    this.load();
  }

  async export() {
    const parts = [];
    const { project } = this.page;
    let after = null;
    do {
      const answer = await this.ask("dictionary_export", { ...this.query, after, project });
      if (!answer) return;
      parts.push(answer.text);
      after = answer.next;
    } while (after);
    saveFile("words.txt", new Blob(parts, { type: "text/plain;charset=utf-8" }));
  }

  key(event) {
    if (event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !isTyping(event.target) && this.page.may_change) {
      event.preventDefault();
      this.undo();
    }
    if (event.key === "/" && !isTyping(event.target)) {
      event.preventDefault();
      this.search.focus();
    }
  }
}

export const mount = (widget) => {
  const bench = new WordBench(widget.element.querySelector(".ll-words"), widget.server);
  beginWithPage(widget, (page) => bench.begin({ ...page }));
};

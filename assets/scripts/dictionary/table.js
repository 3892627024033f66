// The table of words: rows that are chosen, edited in place and walked by keys.

import { isTyping, node } from "../page/dom.js";
import { moment } from "../page/messages.js";
import { wordButton } from "./asking.js";

export class WordTable {
  // options: say, change(operation, ids, more), edit(row, type, frequency), chosen(), refresh().
  constructor(options) {
    Object.assign(this, options);
    this.rows = [];
    this.chosenIds = new Set();
    this.at = 0;
    this.body = node("tbody");
    this.head = node("tr");
    this.table = node("table", { class: "ll-words-table" }, node("thead", {}, this.head), this.body);
    this.root = node("div", { class: "ll-words-scroll" }, this.table);
    this.body.addEventListener("keydown", (event) => this.key(event));
  }

  show(rows, page) {
    this.rows = rows;
    this.page = page;
    const known = new Set(rows.map((row) => row.id));
    this.chosenIds = new Set([...this.chosenIds].filter((id) => known.has(id)));
    this.at = Math.min(this.at, Math.max(0, rows.length - 1));
    this.drawHead();
    this.body.replaceChildren(...rows.map((row, at) => this.row(row, at)));
    this.mark();
  }

  drawHead() {
    const every = node("input", {
      type: "checkbox",
      "aria-label": this.say("dictionary.choose_page"),
      onchange: (event) => this.chooseAll(event.target.checked),
    });
    this.every = every;
    const title = (name, hidden) => node("th", { scope: "col", class: `ll-words-${name}`, text: hidden ? "" : this.say(`dictionary.column.${name}`) });
    this.head.replaceChildren(
      node("th", { scope: "col" }, every),
      ...["word", "type", "frequency", "documents", "source"].map((name) => title(name, name === "documents" && !this.page.see_documents)),
    );
  }

  row(row, at) {
    const { say } = this;
    const box = node("input", {
      type: "checkbox",
      tabindex: -1,
      "aria-label": say("dictionary.choose", { word: row.word }),
      onchange: (event) => this.choose(row.id, event.target.checked),
    });
    const count = row.documents === null ? "" : row.documents.toLocaleString();
    const made = node(
      "tr",
      { tabindex: at === this.at ? 0 : -1, "data-id": row.id, class: row.conflict === 1 ? "ll-words-in-conflict" : null, onfocus: () => this.stand(at) },
      node("td", {}, box),
      node("td", { class: "ll-words-word" }, node("span", { class: "ll-words-text", text: row.word }), this.conflict(row)),
      this.cell(row, "type"),
      this.cell(row, "frequency"),
      node("td", { class: "ll-words-documents", "data-word": row.word, text: this.page.see_documents ? count : "" }),
      node("td", { class: "ll-words-source", text: row.source || say("dictionary.by_hand", { user: row.user }), title: row.at ? moment(say, row.at) : "" }),
    );
    made.box = box;
    return made;
  }

  cell(row, name) {
    if (row.removed) return node("td", { class: `ll-words-${name}`, text: name === "type" ? this.say("dictionary.change.removed") : "" });
    const text = name === "type" ? row.type : row.frequency.toLocaleString();
    if (!this.page.may_change) return node("td", { class: `ll-words-${name}`, text });
    const label = this.say(`dictionary.edit_${name}`, { word: row.word });
    const shown = node("button", { type: "button", tabindex: -1, class: "ll-words-value", "aria-label": `${label}: ${text}`, text: text || "–" });
    const cell = node("td", { class: `ll-words-${name}` }, shown);
    shown.addEventListener("click", () => this.open(cell, row, name));
    return cell;
  }

  open(cell, row, name) {
    if (cell.querySelector("input")) return;
    const before = [...cell.childNodes];
    const input = node("input", {
      type: name === "type" ? "text" : "number",
      value: row[name],
      min: name === "frequency" ? 0 : null,
      maxlength: name === "type" ? 100 : null,
      list: name === "type" ? this.page.list : null,
      "aria-label": this.say(`dictionary.edit_${name}`, { word: row.word }),
    });
    let ended = false;
    const end = (keep) => {
      if (ended) return;
      ended = true;
      const value = name === "type" ? input.value.trim() : Number(input.value);
      cell.replaceChildren(...before);
      cell.parentElement?.focus();
      if (keep && value !== row[name]) this.edit(row, name === "type" ? value : row.type, name === "frequency" ? value : row.frequency);
    };
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.isComposing) return;
      if (event.key === "Enter") end(true);
      if (event.key === "Escape") end(false);
    });
    input.addEventListener("blur", () => end(true));
    cell.replaceChildren(input);
    input.focus();
    input.select();
  }

  conflict(row) {
    if (!row.conflict) return null;
    const { say } = this;
    if (!this.page.may_change) return node("span", { class: "ll-words-note", text: say(row.conflict === 1 ? "dictionary.several" : "dictionary.kept") });
    const act = (operation, key) => node("button", { type: "button", tabindex: -1, class: "ll-words-act", text: say(key), onclick: () => this.change(operation, [row.id]) });
    const acts = row.conflict === 1 ? [act("keep_one", "dictionary.keep_one"), act("keep_all", "dictionary.keep_all")] : [act("ask", "dictionary.ask")];
    return node("span", { class: "ll-words-note" }, node("span", { text: say(row.conflict === 1 ? "dictionary.several" : "dictionary.kept") }), ...acts);
  }

  choose(id, on) {
    if (on) this.chosenIds.add(id);
    else this.chosenIds.delete(id);
    this.mark();
  }

  chooseAll(on) {
    this.chosenIds = new Set(on ? this.rows.map((row) => row.id) : []);
    this.mark();
  }

  mark() {
    for (const line of this.body.children) {
      const on = this.chosenIds.has(Number(line.dataset.id));
      line.box.checked = on;
      line.classList.toggle("ll-words-chosen", on);
    }
    if (!this.every) return; // a list may come in before the first page of the table does
    this.every.checked = this.rows.length > 0 && this.chosenIds.size === this.rows.length;
    this.every.indeterminate = this.chosenIds.size > 0 && !this.every.checked;
    this.chosen();
  }

  documents(found, exact) {
    for (const cell of this.body.querySelectorAll(".ll-words-documents")) {
      const number = found[cell.dataset.word];
      if (number === undefined) continue;
      cell.textContent = (exact ? "" : "≈ ") + number.toLocaleString();
    }
  }

  stand(at) {
    this.at = at;
    [...this.body.children].forEach((line, other) => line.setAttribute("tabindex", other === at ? "0" : "-1"));
  }

  go(at) {
    if (at < 0 || at >= this.rows.length) return;
    this.stand(at);
    this.body.children[at].focus();
  }

  key(event) {
    if (isTyping(event.target) || event.isComposing) return;
    const row = this.rows[this.at];
    const onRow = event.target.tagName === "TR";
    const acts = {
      ArrowDown: () => this.go(this.at + 1),
      ArrowUp: () => this.go(this.at - 1),
      Home: () => this.go(0),
      End: () => this.go(this.rows.length - 1),
      " ": () => onRow && this.choose(row.id, !this.chosenIds.has(row.id)),
      Enter: () => onRow && this.page.may_change && !row.removed && this.open(this.body.children[this.at].querySelector(".ll-words-type"), row, "type"),
      f: () => this.page.may_change && !row.removed && this.open(this.body.children[this.at].querySelector(".ll-words-frequency"), row, "frequency"),
      Delete: () => this.page.may_change && !row.removed && this.change("remove", this.chosenIds.size ? [...this.chosenIds] : [row.id]),
    };
    const act = acts[event.key];
    if (!act || !row || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!onRow && (event.key === " " || event.key === "Enter")) return;
    event.preventDefault();
    act();
  }
}

// Actions on the selected rows, or on all results.

export class WordSelection {
  // options: say, list (id of the labels' datalist), change(operation, more).
  constructor(options) {
    Object.assign(this, options);
    this.root = node("div", { class: "ll-words-selection", hidden: true });
  }

  show({ count, total, over, all, removed }) {
    this.root.hidden = count === 0;
    if (!count) return;
    const { say } = this;
    const number = all ? total : count;
    const type = node("input", { type: "text", maxlength: 100, list: this.list, placeholder: say("dictionary.type_hint"), "aria-label": say("dictionary.type") });
    const retype = () => this.change("retype", { type: type.value.trim() });
    type.addEventListener("keydown", (event) => event.key === "Enter" && !event.isComposing && retype());
    const shown = over && all ? say("dictionary.chosen_over", { count: (total - 1).toLocaleString() }) : say("dictionary.chosen", { count: number.toLocaleString() });
    const more = !all && total > count ? wordButton(over ? say("dictionary.choose_all_over") : say("dictionary.choose_all", { count: total.toLocaleString() }), this.every) : null;
    const acts = removed
      ? [wordButton(say("dictionary.forget"), () => this.change("forget"))]
      : [type, wordButton(say("dictionary.retype"), retype), wordButton(say("dictionary.remove"), () => this.change("remove"))];
    this.root.replaceChildren(node("strong", { text: shown }), ...[more].filter(Boolean), ...acts, wordButton(say("dictionary.none"), this.clear));
  }
}

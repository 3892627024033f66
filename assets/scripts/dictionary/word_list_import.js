// Word list import: preview, conflicts, refused lines, then apply or discard.

import { node } from "../page/dom.js";
import { saveFile } from "../page/downloads.js";
import { wordButton, wordChoice } from "./asking.js";
import { labelOfKind } from "./kinds.js";

const BROUGHT = ["new", "returning", "typed", "frequency", "conflict", "same"];

export class ImportPanel {
  // options: say, ask, work.
  constructor(options) {
    Object.assign(this, options);
    this.root = node("section", { class: "ll-words-panel", hidden: true });
  }

  async look() {
    const answer = await this.ask("dictionary_list");
    this.root.hidden = !answer?.list;
    if (answer?.list) this.show(answer.list);
  }

  show(list) {
    const { say } = this;
    const drawn = JSON.stringify(list);
    if (drawn === this.drawn) return; // what is chosen, opened and focused stays
    const known = list.number === this.list?.number;
    Object.assign(this, { list, drawn });
    if (!known) {
      this.choice = "file";
      this.choices = {};
    }
    const counts = BROUGHT.filter((kind) => list.counts[kind]).map((kind) =>
      node(
        "li",
        {},
        node("strong", { text: list.counts[kind].toLocaleString() }),
        node("span", { text: ` ${say(`dictionary.brings.${kind}`)}` }),
        node("span", { class: "lla-note", text: ` ${(list.examples[kind] ?? []).join(" · ")}` }),
      ),
    );
    this.root.replaceChildren(
      node("h2", { text: say("dictionary.bring_title", { name: list.name, count: list.words.toLocaleString() }) }),
      node("ul", { class: "ll-words-brings" }, ...counts),
      ...this.notes(list),
      ...this.conflicts(list),
      node(
        "div",
        { class: "ll-words-row" },
        list.words ? wordButton(say("dictionary.import"), () => this.bring(), { class: "lla-button lla-primary" }) : null,
        wordButton(say("dictionary.drop"), () => this.drop()),
        list.refused ? wordButton(say("dictionary.refused_download", { count: list.refused.toLocaleString() }), () => this.refused()) : null,
      ),
    );
    if (!known) this.root.scrollIntoView({ block: "nearest" });
  }

  notes(list) {
    const { say } = this;
    const { touched } = list;
    const number = (value) => value.toLocaleString();
    const notes = [];
    if (list.types.length) notes.push(say("dictionary.list_types", { types: list.types.map(([name, count]) => `${name} ${number(count)}`).join(" · ") }));
    if (list.untyped) notes.push(say("dictionary.list_untyped", { count: number(list.untyped) }));
    if (touched.all) notes.push(say(touched.exact ? "dictionary.list_touches" : "dictionary.list_touches_about", { count: number(touched.documents), all: number(touched.all), read: number(touched.read) }));
    for (const name of ["repeated", "ambiguous", "case"]) if (list[name]) notes.push(say(`dictionary.list_${name}`, { count: number(list[name]) }));
    const lines = notes.map((text) => node("p", { class: "lla-note", text }));
    if (!list.refused) return lines;
    const shown = list.problems.map(([line, reason]) => node("li", { text: line ? say("dictionary.refused_line", { line, reason }) : reason }));
    return [
      ...lines,
      node("details", {}, node("summary", { text: say("dictionary.list_refused", { count: number(list.refused) }) }), node("ul", { class: "ll-words-problems" }, ...shown)),
    ];
  }

  conflicts(list) {
    if (!list.counts.conflict) return [];
    const { say } = this;
    const choices = ["file", "ours", "both"].map((name) => [name, say(`dictionary.choice.${name}`)]);
    const types = (all) => all.map((type) => type || say("dictionary.no_type")).join(" · ");
    const rows = list.conflicts.map((one) =>
      node(
        "tr",
        {},
        node("td", { class: "ll-words-text", text: one.word }),
        node("td", { text: types(one.ours) }),
        node("td", { text: types(one.theirs) }),
        node("td", {}, wordChoice("", [["", say("dictionary.choice.as_all")], ...choices], this.choices[one.word] ?? "", (value) => this.decide(one.word, value))),
      ),
    );
    const head = ["word", "ours", "theirs", "choice"].map((name) => node("th", { scope: "col", text: say(`dictionary.column.${name}`) }));
    const more = list.counts.conflict > rows.length ? node("p", { class: "lla-note", text: say("dictionary.conflicts_more", { count: (list.counts.conflict - rows.length).toLocaleString() }) }) : null;
    return [
      wordChoice(say("dictionary.conflict_choice"), choices, this.choice, (value) => (this.choice = value)),
      node("details", {}, node("summary", { text: say("dictionary.conflicts_one_by_one") }), node("div", { class: "ll-words-scroll" }, node("table", { class: "ll-words-table" }, node("thead", {}, node("tr", {}, ...head)), node("tbody", {}, ...rows))), more ?? ""),
    ];
  }

  decide(word, value) {
    if (value) this.choices[word] = value;
    else delete this.choices[word];
  }

  async bring() {
    const state = await this.ask("dictionary_bring", { list: this.list.number, choice: this.choice, choices: this.choices });
    if (state) this.work.follow(state);
  }

  async drop() {
    await this.ask("dictionary_drop");
    this.root.hidden = true;
  }

  async refused() {
    const answer = await this.ask("dictionary_refused");
    if (answer) saveFile("refused.txt", answer.text, "text/plain;charset=utf-8");
  }
}

// jieba's names as a starting dictionary: how many there are of each kind, and under which label they come.

export class NamesPanel {
  // options: say, ask, list, work (a WorkBar), close().
  constructor(options) {
    Object.assign(this, options);
    this.root = node("section", { class: "ll-words-panel", hidden: true });
  }

  async open() {
    const answer = await this.ask("dictionary_names");
    if (!answer) return;
    const { say } = this;
    this.fields = {};
    const lines = Object.entries(answer.kinds).map(([kind, found]) => {
      const label = labelOfKind(kind, answer.labels);
      const input = node("input", { type: "text", maxlength: 100, list: this.list, value: label || (kind === "other" ? "" : { person: "PER", place: "LOC", organisation: "ORG" }[kind]), "aria-label": say("dictionary.names_label", { kind: say(`dictionary.kind.${kind}`) }) });
      const box = node("input", { type: "checkbox", checked: kind !== "other" });
      this.fields[kind] = { box, input };
      return node(
        "li",
        {},
        node("label", {}, box, node("span", { text: `${say(`dictionary.kind.${kind}`)} · ${found.count.toLocaleString()}` })),
        input,
        node("span", { class: "lla-note", text: found.examples.join(" · ") }),
      );
    });
    this.choice = "ours";
    const choices = ["ours", "both", "file"].map((name) => [name, say(`dictionary.choice.${name}`)]);
    this.root.replaceChildren(
      node("h2", { text: say("dictionary.names") }),
      node("p", { class: "lla-note", text: say("dictionary.names_how") }),
      node("ul", { class: "ll-words-kinds" }, ...lines),
      node(
        "div",
        { class: "ll-words-row" },
        wordChoice(say("dictionary.conflict_choice"), choices, this.choice, (value) => (this.choice = value)),
        wordButton(say("dictionary.names_bring"), () => this.bring(), { class: "lla-button lla-primary" }),
        wordButton(say("dictionary.cancel"), () => (this.root.hidden = true)),
      ),
    );
    this.root.hidden = false;
    this.root.scrollIntoView({ block: "nearest" });
  }

  async bring() {
    const labels = {};
    for (const [kind, field] of Object.entries(this.fields)) if (field.box.checked) labels[kind] = field.input.value.trim();
    const state = await this.ask("dictionary_bring_names", { labels, choice: this.choice });
    if (!state) return;
    this.root.hidden = true;
    this.work.follow(state);
  }
}

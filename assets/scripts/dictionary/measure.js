// The Measure tab: coverage and precision of the dictionary, words to remove and to add.

import { node } from "../page/dom.js";
import { MESSAGES } from "./messages/measure.js";
import { DIRECTIONS, Panel, RULES } from "./panel.js";
import { percent, share } from "../text/percent.js";

const FIRST = 10; // words shown before somebody asks for more

class MeasurePanel extends Panel {
  asked() {
    return { direction: this.direction ?? "bidirectional" };
  }

  forget() {
    super.forget();
    this.rule = RULES[0];
    this.whole = new Set();
  }

  // The first rows of a list, and the others when asked for.
  listed(name, columns, rows) {
    const whole = this.whole.has(name) || rows.length <= FIRST;
    const more = whole ? null : this.button("more", () => { this.whole.add(name); this.draw(); }, { "data-action": `more_${name}` }, { count: this.count(rows.length - FIRST) });
    return [this.table(columns, whole ? rows : rows.slice(0, FIRST), { "data-table": name }), more];
  }

  async draw() {
    const { state } = this;
    const parts = [this.form(), this.message, this.bar, this.lastStep()];
    if (!state.documents) parts.push(this.empty(this.say("empty"), this.button("to_annotate", () => this.goTo("annotate"), { primary: true })));
    else if (!state.words && !state.result) parts.push(this.empty(this.say("no_words")));
    else if (state.result) parts.push(...this.result());
    this.body.replaceChildren(...parts.filter(Boolean));
    this.trigger("drawn", {});
  }

  form() {
    const { documents, of, words, work } = this.state;
    const rule = this.select(RULES.map((name) => [name, this.say(`rule.${name}`)]), this.rule ?? RULES[0], (chosen) => { this.rule = chosen; }, "rule");
    const start = this.button("start", () => this.act("start", { ambiguous: this.rule }), { primary: true, "data-action": "start", disabled: !documents || Boolean(work?.running) });
    return node("div", { class: "ll-words-form" }, node("div", { class: "ll-words-row" }, start, this.field("rule", rule)),
      this.note("over", { documents: this.count(documents), of: this.count(of), words: this.count(words) }));
  }

  result() {
    const { result } = this.state;
    const direction = this.direction ?? "bidirectional";
    const choose = this.select(DIRECTIONS.map((name) => [name, this.say(`direction.${name}`)]), direction, (chosen) => {
      this.direction = chosen;
      this.refresh();
    }, "direction");
    return [
      node("p", { text: this.say("measured", { documents: this.count(result.documents), of: this.count(result.of), words: this.count(result.words) }) }),
      this.made(result),
      result.stale ? node("p", { class: "ll-words-stale", text: this.say(`stale.${result.stale}`) }) : null,
      this.section("by_direction"),
      this.table(["column.direction", "column.precision", "column.recall", "column.f1"], DIRECTIONS.map((name) => [this.say(`direction.${name}`), ...this.ratios(result.micro[name])]), { "data-table": "micro" }),
      node("div", { class: "ll-words-row" }, this.field("direction", choose)),
      this.section("by_label"),
      this.table(["column.label", "column.covered", "column.surfaces", "column.matches", "column.precision", "column.recall", "column.f1"], result.rows.map((row) => this.labelRow(row)), { "data-table": "labels" }),
      this.note("by_label_how"),
      ...this.worst(result),
      ...this.missing(result),
    ];
  }

  labelRow(row) {
    const covered = row.coverage ? `${share(row.coverage[1], row.coverage[0])} (${this.count(row.coverage[1])} / ${this.count(row.coverage[0])})` : "–";
    const surfaces = row.coverage ? `${share(row.coverage[3], row.coverage[2])} (${this.count(row.coverage[3])} / ${this.count(row.coverage[2])})` : "–";
    const matches = row.matches ? this.count(row.matches[0] + row.matches[1] + row.matches[2]) : "0";
    return [this.chip(row.name, this.state.colours[row.name]), covered, surfaces, matches, ...this.ratios(row.matches ? row.score : row.score && [null, row.score[1], row.score[2]])];
  }

  ratios(score) {
    return score ? score.map(percent) : ["–", "–", "–"];
  }

  worst(result) {
    if (!result.worst.length) return [];
    const rows = result.worst.map(([surface, type, right, otherwise, unlabelled]) => [
      node("span", { class: "ll-words-surface", dir: "auto", text: surface }), this.chip(type, this.state.colours[type]), this.count(right), this.count(otherwise), this.count(unlabelled),
      this.state.may_change ? this.button("remove", () => this.act("remove", { words: [surface] }), { "data-action": "remove", "aria-label": this.say("remove_word", { word: surface }) }) : "",
    ]);
    return [this.section("worst"), this.note("worst_how"), ...this.listed("worst", ["column.word", "column.type", "column.right", "column.otherwise", "column.unlabelled", "column.decision"], rows)];
  }

  missing(result) {
    if (!result.missing.length) return [];
    const rows = result.missing.map(([surface, type, times]) => [
      node("span", { class: "ll-words-surface", dir: "auto", text: surface }), this.chip(type, this.state.colours[type]), this.count(times),
      this.state.may_change ? this.button("add", () => this.act("add", { word: surface, type }), { "data-action": "add", "aria-label": this.say("add_word", { word: surface, type }) }) : "",
    ]);
    return [this.section("missing", { count: this.count(result.missing_total) }), this.note("missing_how"), ...this.listed("missing", ["column.word", "column.type", "column.times", "column.decision"], rows)];
  }
}

export const mount = (widget) => new MeasurePanel(widget, "measure", MESSAGES);

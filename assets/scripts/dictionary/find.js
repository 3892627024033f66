// The Find words tab: sources, candidates one by one or all above a confidence, undo.

import { node } from "../page/dom.js";
import { Panel } from "./panel.js";
import { MESSAGES } from "./messages/find.js";
import { share } from "../text/percent.js";

const SOURCES = ["text", "labels", "tagger", "segments"];
const ORDERS = { text: ["score", "count", "documents", "cohesion", "freedom"], labels: ["count", "share", "documents"], tagger: ["count", "share", "documents"], segments: ["count", "documents"] };
const COLUMNS = { text: ["count", "cohesion", "freedom"], labels: ["count", "share"], tagger: ["count", "share"], segments: ["count"] };
const PAGE = 30;

class FindPanel extends Panel {
  forget() {
    super.forget();
    Object.assign(this, { source: "text", order: { text: "score", labels: "count", tagger: "count", segments: "count" }, rows: [], total: 0, search: "", above: null, types: new Map() });
  }

  async draw(ended) {
    const { result } = this.state;
    if (ended && result) this.tell(this.say("found", { count: this.count(result.found.text), documents: this.count(result.documents), characters: this.count(result.characters) }));
    if (result && !result.open[this.source]) this.source = SOURCES.find((one) => result.open[one]) ?? this.source;
    if (!result || (await this.load(0))) this.show();
  }

  show() {
    const { state } = this;
    const parts = [this.form(), this.message, this.bar, this.lastStep()];
    if (!state.documents) parts.push(this.noDocuments());
    else if (state.result) parts.push(this.list());
    else if (!state.work?.running) parts.push(node("p", { class: "lla-note", text: this.say("how") }));
    this.body.replaceChildren(...parts.filter(Boolean));
  }

  form() {
    const { thresholds, documents, work } = this.state;
    const fields = {
      count: this.number(thresholds.count, { min: 2, max: 100000, name: "count" }),
      cohesion: this.number(thresholds.cohesion, { min: -50, max: 50, step: 0.5, name: "cohesion" }),
      freedom: this.number(thresholds.freedom, { min: 0, max: 30, step: 0.25, name: "freedom" }),
      longest: this.number(thresholds.longest, { min: 2, max: 12, name: "longest" }),
    };
    const beyond = node("input", { type: "checkbox", checked: this.inBase !== true });
    const start = this.button("start", () => {
      const asked = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.valueAsNumber]));
      if (Object.values(asked).some(Number.isNaN)) return this.tell(this.say("numbers"), true);
      this.inBase = !beyond.checked;
      this.above = null;
      this.act("start", { ...asked, beyond_base: beyond.checked });
    }, { primary: true, "data-action": "start", disabled: !documents || Boolean(work?.running) });
    const more = node("details", { class: "ll-words-more" }, node("summary", { text: this.say("thresholds") }),
      node("div", { class: "ll-words-fields" }, ...Object.entries(fields).map(([name, field]) => this.field(`field.${name}`, field))),
      node("label", { class: "ll-words-check" }, beyond, node("span", { text: this.say("beyond_base") })),
      this.note("thresholds_how"));
    more.open = this.moreOpen ?? false;
    more.addEventListener("toggle", () => { this.moreOpen = more.open; });
    return node("div", { class: "ll-words-form" }, node("div", { class: "ll-words-row" }, start, node("span", { class: "lla-note", text: this.say("over", { count: this.count(documents) }) })), more);
  }

  // False where another list was asked for meanwhile: that one is shown when it comes.
  async load(offset) {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    const answer = await this.ask("list", { source: this.source, order: this.order[this.source], offset, search: this.search });
    if (turn !== this.turn) return false;
    if (answer) {
      this.rows = offset ? [...this.rows, ...answer.rows] : answer.rows;
      this.total = answer.total;
    }
    return true;
  }

  async again() {
    if (await this.load(0)) this.show();
  }

  list() {
    const { result } = this.state;
    const tabs = SOURCES.map((source) =>
      node("button", {
        type: "button", role: "tab", class: `lla-button ll-words-source${source === this.source ? " ll-words-on" : ""}`, "aria-selected": String(source === this.source), "data-source": source,
        text: this.say(`source.${source}`, { count: this.count(result.open[source]) }),
        onclick: () => { this.source = source; this.above = null; this.again(); },
      }));
    const order = this.select(ORDERS[this.source].map((name) => [name, this.say(`order.${name}`)]), this.order[this.source], (chosen) => {
      this.order[this.source] = chosen;
      this.above = null;
      this.again();
    }, "order");
    const search = node("input", { type: "search", value: this.search, name: "search", placeholder: this.say("search"), onchange: (event) => { this.search = event.target.value; this.again(); } });
    const left = this.total - this.rows.length;
    const found = result.found[this.source];
    return node("div", { class: "ll-words-list" },
      this.made(result),
      result.stale ? node("p", { class: "ll-words-stale", text: this.say("stale", { then: this.count(result.documents), now: this.count(this.state.documents) }) }) : null,
      node("div", { class: "ll-words-row", role: "tablist", "aria-label": this.say("sources") }, ...tabs),
      node("p", { class: "lla-note", text: this.say(`source_how.${this.source}`) }),
      node("div", { class: "ll-words-row" }, this.field("sorted", order), this.field("containing", search)),
      this.state.may_change && this.rows.length ? this.aboveForm() : null,
      this.rows.length ? this.rowsTable() : this.empty(this.say(this.nothing())),
      left > 0 ? this.button("more", async () => { if (await this.load(this.rows.length)) this.show(); }, { "data-action": "more" }, { count: this.count(Math.min(left, PAGE)), left: this.count(left) }) : null,
      found > 2000 ? this.note("kept", { found: this.count(found) }) : null);
  }

  nothing() {
    if (this.search) return "nothing.search";
    if (this.source === "tagger" && !this.state.active_run) return "nothing.no_tagger";
    if (this.source === "segments" && !this.state.result.cut) return "nothing.no_segments";
    return `nothing.${this.source}`;
  }

  // Accept everything from a value of the order on: first how many, and which.
  aboveForm() {
    const by = this.order[this.source];
    const middle = this.rows[Math.min(this.rows.length, 10) - 1][by] ?? 0;
    const least = this.number(this.above?.least ?? Math.floor(10 * middle) / 10, { step: "any", name: "least" });
    const types = this.select(this.typeChoices(), this.above?.type ?? "", null, "type");
    const ask = (apply) => this.preview(least.valueAsNumber, types.value, apply);
    const shown = this.above?.answer;
    return node("details", { class: "ll-words-more", open: Boolean(this.above), ontoggle: (event) => { if (!event.target.open) this.above = null; } },
      node("summary", { text: this.say("above") }),
      node("div", { class: "ll-words-row" }, node("span", { text: this.say("above_at_least", { order: this.say(`order.${by}`) }) }), least, this.field("above_type", types), this.button("above_preview", () => ask(false), { "data-action": "preview" })),
      shown ? node("div", { class: "ll-words-preview" },
        node("p", { text: this.say("above_count", { count: this.count(shown.count), untyped: this.count(shown.untyped) }) }),
        node("p", { class: "ll-words-sample" }, ...shown.sample.map(([word, type]) => node("span", { class: "ll-words-word" }, word, type ? node("small", { text: ` ${type}` }) : null))),
        shown.count ? this.button("above_apply", () => ask(true), { primary: true, "data-action": "apply" }, { count: this.count(shown.count) }) : null) : null);
  }

  async preview(least, type, apply) {
    if (Number.isNaN(least)) return this.tell(this.say("numbers"), true);
    const asked = { source: this.source, order: this.order[this.source], least, type };
    if (apply) {
      this.above = null;
      return this.act("above", { ...asked, apply: true });
    }
    const answer = await this.ask("above", asked);
    if (!answer) return;
    this.tell("");
    this.above = { least, type, answer };
    this.show();
    this.body.querySelector("[data-action=apply], [data-action=preview]")?.focus();
  }

  typeChoices() {
    return [["", this.say("no_type")], ...this.state.labels.map(([name]) => [name, name])];
  }

  rowsTable() {
    const own = COLUMNS[this.source];
    const told = {
      count: (row) => this.count(row.count),
      cohesion: (row) => row.cohesion.toFixed(1),
      freedom: (row) => row.freedom.toFixed(1),
      share: (row) => `${share(row.share)}${row.others ? " *" : ""}`,
    };
    const rows = this.rows.map((row) => [this.word(row), ...own.map((name) => told[name](row)), this.acts(row)]);
    return this.table(["column.word", ...own.map((name) => `column.${name}`), "column.decision"], rows, { "aria-label": this.say("candidates") });
  }

  word(row) {
    const contexts = row.contexts.map(([before, after, name]) =>
      node("li", { dir: "auto", title: name }, before, node("b", { text: row.surface }), after));
    return node("div", { class: "ll-words-candidate" }, node("span", { class: "ll-words-surface", dir: "auto", text: row.surface }),
      node("small", { class: "lla-note", text: this.say("in_documents", { count: this.count(row.documents) }) }), node("ul", { class: "ll-words-contexts" }, ...contexts));
  }

  acts(row) {
    if (!this.state.may_change) return row.type;
    const choices = this.typeChoices();
    if (row.type && !choices.some(([value]) => value === row.type)) choices.push([row.type, row.type]);
    const type = this.select(choices, this.types.get(row.surface) ?? row.type, (chosen) => this.types.set(row.surface, chosen));
    type.setAttribute("aria-label", this.say("type_of", { word: row.surface }));
    const accept = this.button("accept", () => this.decide(row, "accept", { words: [{ word: row.surface, type: type.value }] }), { "data-action": "accept", "aria-label": this.say("accept_word", { word: row.surface }) });
    const reject = this.button("reject", () => this.decide(row, "reject", { words: [row.surface] }), { "data-action": "reject", "aria-label": this.say("reject_word", { word: row.surface }) });
    return node("div", { class: "ll-words-acts" }, type, accept, reject);
  }

  // The row is removed immediately and the next one is focused; the list is not reloaded.
  async decide(row, name, payload) {
    if (this.busy) return;
    this.busy = true;
    const at = this.rows.indexOf(row);
    const answer = await this.ask(name, payload);
    this.busy = false;
    if (!answer) return;
    this.tell("");
    this.state = answer;
    this.rows = this.rows.filter((one) => one !== row);
    this.total -= 1;
    if (!this.rows.length && this.total > 0 && !(await this.load(0))) return;
    this.show();
    const next = this.body.querySelectorAll(`tbody [data-action=${name}]`);
    next[Math.min(at, next.length - 1)]?.focus();
  }
}

export const mount = (widget) => new FindPanel(widget, "find", MESSAGES);

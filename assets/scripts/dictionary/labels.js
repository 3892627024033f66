// The Label text tab: settings, preview with ten examples, and batches with undo.

import { node } from "../page/dom.js";
import { moment } from "../page/messages.js";
import { MESSAGES } from "./messages/labels.js";
import { DIRECTIONS, Panel, RULES } from "./panel.js";

const MODES = ["suggest", "in_progress", "done"];

class LabelsPanel extends Panel {
  forget() {
    super.forget();
    Object.assign(this, { direction: DIRECTIONS[0], rule: RULES[0], mode: MODES[0], types: null, opened: null });
  }

  async draw(ended) {
    const { state } = this;
    this.types ??= new Set((state.types.some(([, , known]) => known) ? state.types.filter(([, , known]) => known) : state.types).map(([name]) => name));
    const made = state.batches.find((one) => one.id === state.made);
    if (ended && made && !made.undone) this.tell(this.say("labelled", { documents: this.count(made.documents), spans: this.count(made.spans) }));
    this.sentences.close();
    this.body.replaceChildren(...this.parts().filter(Boolean));
    this.sentences.draw();
  }

  parts() {
    const { state } = this;
    const batches = this.batches();
    if (!state.documents) return [this.message, this.noDocuments()];
    if (!state.types.length) return [this.message, this.empty(this.say("no_words")), batches];
    return [this.form(), this.message, this.bar, state.raw ? this.preview() : this.empty(this.say("no_raw")), batches];
  }

  asked() {
    return { direction: this.direction ?? DIRECTIONS[0], ambiguous: this.rule ?? RULES[0], types: [...(this.types ?? [])] };
  }

  form() {
    const { state } = this;
    const direction = this.select(DIRECTIONS.map((name) => [name, this.say(`direction.${name}`)]), this.direction, (chosen) => { this.direction = chosen; this.changed(); }, "direction");
    const rule = this.select(RULES.map((name) => [name, this.say(`rule.${name}`)]), this.rule, (chosen) => { this.rule = chosen; this.changed(); }, "rule");
    const types = state.types.map(([name, words, known]) => {
      const box = node("input", { type: "checkbox", value: name, checked: this.types.has(name), onchange: () => { this.types[box.checked ? "add" : "delete"](name); this.changed(); } });
      return node("label", { class: "ll-words-check" }, box, this.chip(name, state.colours[name]), node("small", { class: "lla-note", text: this.say(known ? "type_words" : "type_new", { count: this.count(words) }) }));
    });
    const look = this.button("preview", () => this.act("preview"), { primary: !this.current(), "data-action": "preview", disabled: !state.raw || Boolean(state.work?.running) });
    return node("div", { class: "ll-words-form" },
      node("div", { class: "ll-words-row" }, this.field("direction", direction), this.field("rule", rule)),
      node("fieldset", { class: "ll-words-types" }, node("legend", { text: this.say("types") }), ...types),
      node("div", { class: "ll-words-row" }, look, node("span", { class: "lla-note", text: this.say("over", { raw: this.count(state.raw), documents: this.count(state.documents) }) })));
  }

  // Whether the preview matches the current settings.
  current() {
    const { preview } = this.state;
    return Boolean(preview) && preview.direction === this.direction && preview.ambiguous === this.rule && preview.types.join("\n") === [...this.types].sort().join("\n");
  }

  changed() {
    this.draw();
    this.showWork();
  }

  preview() {
    const { preview, work, colours, may_change } = this.state;
    if (!preview || work?.running) return null;
    if (!this.current()) return this.note("preview_old");
    const examples = preview.examples.map((one) => this.sentence(one, colours));
    const modes = MODES.map((name) => {
      const radio = node("input", { type: "radio", name: "ll-words-mode", value: name, checked: name === this.mode, onchange: () => { this.mode = name; } });
      return node("label", { class: "ll-words-mode" }, radio, node("span", {}, node("b", { text: this.say(`mode.${name}`) }), node("small", { class: "lla-note", text: this.say(`mode_how.${name}`) })));
    });
    const apply = this.button("apply", () => this.act("apply", { mode: this.mode }), { primary: true, "data-action": "apply" }, { documents: this.count(preview.documents) });
    return node("div", { class: "ll-words-preview", "data-part": "preview" },
      this.section("would"),
      node("p", { text: this.say("would_do", { documents: this.count(preview.documents), raw: this.count(preview.raw), spans: this.count(preview.spans) }) }),
      node("p", { class: "ll-words-sample" }, ...preview.by_label.map(([name, count]) => node("span", { class: "ll-words-word" }, this.chip(name, colours[name]), ` ${this.count(count)}`))),
      preview.skipped ? this.note("skipped", { count: this.count(preview.skipped) }) : null,
      examples.length ? node("p", { class: "lla-note", text: this.say("examples", { count: examples.length }) }) : null,
      node("ul", { class: "ll-words-sentences" }, ...examples),
      preview.documents && may_change ? node("fieldset", { class: "ll-words-modes" }, node("legend", { text: this.say("modes") }), ...modes) : null,
      preview.documents && may_change ? apply : null,
      preview.documents ? null : this.note("nothing"));
  }

  batches() {
    const { batches, may_change } = this.state;
    if (!batches.length) return null;
    const rows = batches.map((one) => [
      moment(this.say, one.at, { dateStyle: "short", timeStyle: "short" }), one.user, this.say(`mode.${one.mode}`), one.labeller || this.say(`direction.${one.direction}`), one.labeller ? "–" : String(one.version), `${this.count(one.documents)} / ${this.count(one.spans)}`,
      one.undone ? node("span", { class: "lla-note", text: this.say("was_taken_back") }) : node("div", { class: "ll-words-acts" },
        this.button("show", () => this.open(one.id, 0), { "data-action": "show", "aria-expanded": String(this.opened?.batch === one.id) }),
        may_change ? this.button("take_back", () => this.takeBack(one), { "data-action": "take_back" }) : null),
    ]);
    return node("div", { class: "ll-words-batches" }, this.section("batches"),
      this.table(["column.at", "column.user", "column.mode", "column.direction", "column.version", "column.size", "column.decision"], rows, { "data-table": "batches" }),
      this.opened ? this.openedBatch() : null);
  }

  async open(batch, offset) {
    if (this.opened?.batch === batch && this.opened.offset === offset) this.opened = null;
    else this.opened = await this.ask("show", { batch, offset });
    this.changed();
  }

  openedBatch() {
    const { rows, total, batch, offset } = this.opened;
    const sentences = rows.map((one) => this.sentence(one, this.state.colours));
    const last = offset + rows.length;
    return node("div", { class: "ll-words-preview", "data-part": "opened" },
      node("p", { class: "lla-note", text: this.say("shown", { first: this.count(offset + (rows.length ? 1 : 0)), last: this.count(last), total: this.count(total) }) }),
      node("ul", { class: "ll-words-sentences" }, ...sentences),
      node("div", { class: "ll-words-row" },
        offset ? this.button("previous", () => this.open(batch, Math.max(0, offset - 20))) : null,
        last < total ? this.button("next", () => this.open(batch, last)) : null));
  }

  async takeBack(one) {
    const answer = await this.act("take_back", { batch: one.id });
    if (!answer) return;
    this.opened = null;
    this.tell(this.say("taken", { count: this.count(answer.taken) }));
    this.changed();
  }
}

export const mount = (widget) => new LabelsPanel(widget, "labels", MESSAGES);

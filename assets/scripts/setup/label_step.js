// The second step: labels, from a template or from the text, and whether spans may overlap.

import { node } from "../page/dom.js";
import { LabelTable } from "../labels/table.js";
import { rowsOf, templateOf } from "./draft.js";
import { choice, field } from "./field.js";

export class LabelStep {
  // options: say, draft, offer, changed, preview().
  constructor(options) {
    Object.assign(this, options);
    this.table = new LabelTable({ say: this.say, changed: () => {
      this.draft.labels[this.template] = this.table.rows;
      this.changed();
    } });
    this.top = node("div", { class: "ll-setup-split" });
    this.note = node("p", { class: "lla-note" });
    this.root = node("div", { class: "ll-setup-step" }, this.top, this.table.root, this.note);
  }

  show() {
    const { say, draft, offer } = this;
    const preview = this.preview();
    this.template = templateOf(draft, preview);
    const templates = [
      ...(preview?.labels.length ? [["found", say("setup.template.found")]] : []),
      ...offer.templates.map(({ name, title }) => [name, title]),
      ["none", say("setup.template.none")],
    ];
    const start = field(say("setup.start_from"), choice(templates, this.template, (template) => {
      draft.template = template;
      this.show();
      this.changed();
    }));
    const guess = say(`setup.nested.auto_${preview?.nested ? "nested" : "flat"}`);
    const chosen = draft.nested === null ? "auto" : draft.nested ? "nested" : "flat";
    const choices = [["auto", guess], ...["flat", "nested"].map((name) => [name, say(`setup.nested.${name}`)])];
    // Without spans there is nothing to guess from.
    const spans = field(say("setup.spans"), choice(preview?.labelled ? choices : choices.slice(1), preview?.labelled || chosen !== "auto" ? chosen : "flat", (value) => {
      draft.nested = value === "auto" ? null : value === "nested";
      this.changed();
    }));
    this.top.replaceChildren(start.root, spans.root);
    this.table.show(rowsOf(draft, preview, offer), offer);
    const others = this.template === "found" ? [] : preview?.labels ?? [];
    this.note.textContent = others.length ? say("setup.found_too", { labels: others.join(", ") }) : "";
  }

  focus() {
    this.top.querySelector("select").focus();
  }

  check() {
    return this.template === undefined || this.table.check();
  }

  tell({ row, field: name }, message) {
    const rows = this.table.rows.filter((label) => label.name.trim() || label.description.trim());
    const at = this.table.rows.indexOf(rows[row]);
    this.table.tell({ row: at, field: name }, message);
    this.table.focus(at, name);
  }
}

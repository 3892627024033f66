// Find and replace labels: replace or remove a label on chosen surfaces, here or everywhere, as one step.

import { node } from "../../page/dom.js";
import { surfaceRows } from "../../text/surfaces.js";
import { contextNode, radioGroup, tickRow } from "./parts.js";

const REMOVED = "\u0000"; // no label can have this name

export class Relabelling {
  // options: say, dialogs, ask(name, payload), labels(), colour(label), apply({label, next, surfaces, here, there})
  constructor(options) {
    this.options = options;
  }

  open(document, offsets, spans, label) {
    Object.assign(this, { document, offsets, spans, scope: "here", found: null, trouble: null, off: new Set() });
    const { say, dialogs } = this.options;
    const names = this.options.labels().map((other) => other.name);
    this.label = label ?? spans[0]?.label ?? names[0] ?? "";
    this.next = names.find((name) => name !== this.label) ?? REMOVED;
    this.from = this.choice("annotate_places.replace.from", names.map((name) => [name, name]), (value) => this.turn(value));
    this.to = node("select", { "aria-label": say("annotate_places.replace.to"), onchange: () => { this.next = this.to.value; this.count(); } });
    this.scopes = node("div");
    this.head = node("div", { class: "lla-ticks-head" });
    this.list = node("div", { class: "lla-ticks", role: "group", "aria-label": say("annotate_places.replace.surfaces") });
    this.button = node("button", { type: "button", class: "lla-button lla-primary", onclick: () => this.apply() });
    const fields = node("div", { class: "lla-fields" }, node("label", {}, node("span", { text: say("annotate_places.replace.from") }), this.from), node("label", {}, node("span", { text: say("annotate_places.replace.to") }), this.to));
    dialogs.open({ title: say("annotate_places.replace.title"), content: [fields, this.scopes, this.head, this.list], actions: [this.button], wide: true });
    this.from.value = this.label;
    this.draw();
    this.from.focus();
  }

  choice(name, values, change) {
    const select = node("select", { "aria-label": this.options.say(name), onchange: () => change(select.value) }, ...values.map(([value, text]) => node("option", { value, text })));
    return select;
  }

  // Another label to look for: nothing is known about it yet.
  async turn(label) {
    Object.assign(this, { label, found: null, off: new Set() });
    if (this.scope === "all") await this.look();
    this.draw();
  }

  async widen(scope) {
    this.scope = scope;
    if (scope === "all" && !this.found) await this.look();
    this.draw();
    this.scopes.querySelector(`[value=${this.scope}]`)?.focus();
  }

  async look() {
    const { label } = this;
    const answer = await this.options.ask("list_labelled", { label, but: this.document });
    if (label !== this.label) return;
    this.trouble = answer.ok ? null : (answer.message ?? this.options.say("annotate.unreachable"));
    if (answer.ok) this.found = answer.rows;
    else this.scope = "here";
  }

  get rows() {
    const here = this.spans.filter((span) => span.label === this.label);
    return surfaceRows(this.offsets, here, this.scope === "all" ? (this.found ?? []) : []);
  }

  draw() {
    const { say, labels, colour } = this.options;
    this.to.replaceChildren(
      ...labels().filter((other) => other.name !== this.label).map((other) => node("option", { value: other.name, text: other.name })),
      node("option", { value: REMOVED, text: say("annotate_places.replace.remove") }),
    );
    this.to.value = this.next === this.label ? (this.to.options[0]?.value ?? REMOVED) : this.next;
    this.next = this.to.value;
    this.scopes.replaceChildren(radioGroup("lla-scope", this.scope, [["here", say("annotate_places.replace.here")], ["all", say("annotate_places.replace.all")]], (scope) => this.widen(scope)));
    const { rows } = this;
    const drawn = rows.map((row) =>
      tickRow(
        {},
        !this.off.has(row.surface),
        (ticked) => { this.off[ticked ? "delete" : "add"](row.surface); this.count(); },
        contextNode(row.before, row.surface, row.after, colour(this.label)),
        node("span", { class: "lla-tick-note", text: say("annotate_places.replace.times", { count: row.here.length + row.there }) }),
      ),
    );
    if (!drawn.length) drawn.push(node("p", { class: "lla-note", text: say("annotate_places.replace.none", { label: this.label }) }));
    if (this.trouble) drawn.unshift(node("p", { class: "lla-note lla-refused", role: "alert", text: this.trouble }));
    this.list.replaceChildren(...drawn);
    const link = (name, off) => node("button", { type: "button", class: "lla-button lla-plain", "data-act": name, disabled: !rows.length, onclick: () => { this.off = new Set(off ? rows.map((row) => row.surface) : []); this.draw(); }, text: say(`annotate_places.tick.${name}`) });
    this.head.replaceChildren(link("all", false), link("none", true));
    this.count();
  }

  get chosen() {
    return this.rows.filter((row) => !this.off.has(row.surface));
  }

  count() {
    const { say } = this.options;
    const count = this.chosen.reduce((sum, row) => sum + row.here.length + row.there, 0);
    const gone = this.next === REMOVED;
    this.button.textContent = say(gone ? "annotate_places.replace.apply_remove" : "annotate_places.replace.apply", { count, label: this.label, next: this.next });
    this.button.disabled = !count;
  }

  apply() {
    const { chosen } = this;
    const here = chosen.flatMap((row) => row.here);
    const there = this.scope === "all" && chosen.some((row) => row.there);
    this.options.dialogs.close();
    this.options.apply({ label: this.label, next: this.next === REMOVED ? null : this.next, here, there, surfaces: chosen.filter((row) => row.there).map((row) => row.surface) });
  }
}

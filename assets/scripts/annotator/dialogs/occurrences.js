// "Label every other occurrence": lists the other occurrences of a surface with checkboxes, applied as one step.

import { node } from "../../page/dom.js";
import { overlap, samePlace } from "../../text/spans.js";
import { contextOf, isInsideWord, surfacePlaces } from "../../text/surfaces.js";
import { contextNode, radioGroup, tickRow } from "./parts.js";

const ROWS_AT_ONCE = 100;

export class Occurrences {
  // options: say, dialogs, ask(name, payload), colour(label), nested(), apply({here, there, label, surface})
  constructor(options) {
    this.options = options;
  }

  open(document, offsets, spans, span) {
    this.document = document;
    this.span = span;
    this.surface = offsets.slice(span.start, span.end);
    this.here = surfacePlaces(offsets, this.surface, span).map((place) => {
      const labels = spans.filter((other) => samePlace(other, place)).map((other) => other.label);
      const overlapping = spans.filter((other) => overlap(other, place) && !samePlace(other, place)).map((other) => `${offsets.slice(other.start, other.end)} ${other.label}`);
      return this.place({ ...place, ...contextOf(offsets, place), labels, overlapping, inside: isInsideWord(offsets, place), document: null });
    });
    this.there = [];
    this.then = [0, 0];
    this.found = null;
    this.scope = "here";
    this.shownHere = ROWS_AT_ONCE;
    this.build();
    this.draw();
  }

  // Ticked where nothing speaks against it: no label there yet, no part of a longer word, and in a flat project no overlap.
  place(place) {
    const locked = place.labels.includes(this.span.label);
    const contradicted = !this.options.nested() && place.overlapping.length > 0;
    return { ...place, locked, ticked: !locked && !place.labels.length && !place.inside && !contradicted };
  }

  build() {
    const { say, dialogs } = this.options;
    const { label } = this.span;
    this.list = node("div", { class: "lla-ticks", role: "group", "aria-label": say("annotate_places.others.places") });
    this.head = node("div", { class: "lla-ticks-head" });
    this.button = node("button", { type: "button", class: "lla-button lla-primary", onclick: () => this.apply() });
    this.scopes = node("div");
    dialogs.open({ title: say("annotate_places.others.title", { surface: this.surface, label }), content: [this.scopes, this.head, this.list], actions: [this.button], wide: true });
  }

  drawScopes() {
    const { say } = this.options;
    const choices = [["here", say("annotate_places.others.here", { count: this.here.length })]];
    choices.push(["all", this.found ? say("annotate_places.others.all_found", { places: this.here.length + this.found.total, count: this.found.documents }) : say("annotate_places.others.all")]);
    this.scopes.replaceChildren(radioGroup("lla-scope", this.scope, choices, (scope) => this.widen(scope)));
  }

  async widen(scope) {
    this.scope = scope;
    if (scope === "all" && !this.found) await this.more();
    this.draw();
    this.scopes.querySelector(`[value=${this.scope}]`)?.focus();
  }

  // The next page of the other documents.
  async more() {
    const [document, start] = this.then;
    const { surface } = this;
    const answer = await this.options.ask("find_occurrences", { surface, but: this.document, document, start });
    if (surface !== this.surface) return;
    if (!answer.ok) {
      this.scope = "here";
      this.trouble = answer.message ?? this.options.say("annotate.unreachable");
      return;
    }
    this.trouble = null;
    this.found = { total: answer.total, documents: answer.documents };
    this.there.push(...answer.rows.map((row) => this.place({ ...row, surface })));
    this.then = answer.then;
  }

  get rows() {
    return this.scope === "all" ? [...this.here, ...this.there] : this.here;
  }

  draw() {
    const { say } = this.options;
    this.drawScopes();
    const rows = this.here.slice(0, this.shownHere).map((row) => this.row(row));
    if (this.here.length > this.shownHere) rows.push(this.moreButton(() => { this.shownHere += ROWS_AT_ONCE; this.draw(); }));
    if (this.scope === "all") {
      rows.push(...this.there.map((row) => this.row(row)));
      if (this.then) rows.push(this.moreButton(async () => { await this.more(); this.draw(); }));
    }
    if (!rows.length) rows.push(node("p", { class: "lla-note", text: say(this.scope === "all" ? "annotate_places.others.none_anywhere" : "annotate_places.others.none") }));
    if (this.trouble) rows.unshift(node("p", { class: "lla-note lla-refused", role: "alert", text: this.trouble }));
    this.list.replaceChildren(...rows);
    const all = (ticked) => () => { for (const row of this.shownRows()) if (!row.locked) row.ticked = ticked; this.draw(); };
    const link = (name, act) => node("button", { type: "button", class: "lla-button lla-plain", "data-act": name, disabled: !this.rows.length, onclick: act, text: say(`annotate_places.tick.${name}`) });
    this.head.replaceChildren(link("all", all(true)), link("none", all(false)));
    this.count();
  }

  // "Select all" affects only occurrences that have been on the screen.
  shownRows() {
    return this.scope === "all" ? [...this.here.slice(0, this.shownHere), ...this.there] : this.here.slice(0, this.shownHere);
  }

  get chosen() {
    return this.shownRows().filter((row) => row.ticked && !row.locked);
  }

  moreButton(act) {
    return node("button", { type: "button", class: "lla-button lla-more", onclick: act, text: this.options.say("annotate_places.others.more") });
  }

  row(row) {
    const { say, colour } = this.options;
    const notes = [];
    if (row.locked) notes.push(say("annotate_places.others.already", { label: this.span.label }));
    else if (row.labels.length) notes.push(say("annotate_places.others.other", { labels: row.labels.join(", ") }));
    if (row.overlapping.length && !row.locked) notes.push(say("annotate_places.others.overlapping", { spans: row.overlapping.join(", ") }));
    if (row.inside && !row.locked) notes.push(say("annotate_places.others.inside"));
    return tickRow(
      { disabled: row.locked },
      row.ticked || row.locked,
      (ticked) => { row.ticked = ticked; this.count(); },
      contextNode(row.before, this.surface, row.after, colour(this.span.label)),
      node("span", { class: "lla-tick-note", text: [...notes, row.document === null ? "" : row.name].filter(Boolean).join(" · ") }),
    );
  }

  count() {
    const count = this.chosen.length;
    this.button.textContent = this.options.say("annotate_places.others.apply", { count, label: this.span.label });
    this.button.disabled = !count;
  }

  apply() {
    const { chosen } = this;
    const here = chosen.filter((row) => row.document === null).map(({ start, end }) => ({ start, end, label: this.span.label }));
    const there = chosen.filter((row) => row.document !== null).map(({ document, start, end }) => ({ document, start, end, surface: this.surface }));
    this.options.dialogs.close();
    this.options.apply({ here, there, label: this.span.label, surface: this.surface });
  }
}

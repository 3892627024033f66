// Which suggestions are shown: by source, and by confidence within each; the project remembers it.

import { node, pressable } from "../../page/dom.js";
import { shortScore } from "../../page/messages.js";
import { everySource, sourcesOf } from "../state/suggested.js";
import { PatternEditor } from "./pattern_editor.js";

const SAVE_VIEW_AFTER = 500; // ms

export class SuggestionPanel {
  // options: say, changed(), ask(name, payload), labels(), document(), dialogs(), stream(): one suggestion after another
  constructor(options) {
    this.options = options;
    this.root = node("section", { class: "lla-suggestions" });
    this.view = everySource();
    this.notes = { stopped: [], cut: [], more: 0 };
    this.measured = {}; // of others' taggers, by source: {taken, refused}
    this.lac = null; // the labels LAC would add, where it is offered
    this.editor = new PatternEditor({ ...options, edited: () => options.refresh?.() });
  }

  // What was chosen in another project is not for this one.
  forget() {
    clearTimeout(this.saving);
    this.saving = null;
  }

  // What the project has chosen, with a document. What was chosen here and is not sent yet stands.
  take(view) {
    if (!view || this.saving) return;
    if (JSON.stringify(view) === JSON.stringify(this.view)) return;
    this.view = view;
    this.build();
  }

  // Where nothing suggests anything yet, one click has LAC do it.
  offerLac(labels) {
    const before = JSON.stringify(this.lac);
    this.lac = labels ?? null;
    if (JSON.stringify(this.lac) !== before) this.build();
  }

  offer() {
    if (!this.lac) return "";
    const { say } = this.options;
    const adds = this.lac.length ? node("p", { text: say("annotate.lac.adds", { labels: this.lac.join(", ") }) }) : "";
    const go = pressable({ class: "lla-button lla-primary", "data-action": "lac", onclick: () => this.options.lac(), text: say("annotate.lac.go") });
    return node("div", { class: "lla-lac" }, node("p", { text: say("annotate.lac.offer") }), adds, go);
  }

  // How far people have agreed with others' taggers so far.
  async measure() {
    if (!sourcesOf(this.view).some((source) => this.view[source].name)) return;
    const answer = await this.options.ask("measure_sources", {});
    if (!answer.ok) return;
    this.measured = answer.sources;
    for (const row of this.root.querySelectorAll(".lla-source")) {
      const right = row.querySelector(".lla-right");
      if (right) right.textContent = this.rightSoFar(row.dataset.source);
    }
  }

  rightSoFar(source) {
    const { say } = this.options;
    const { taken = 0, refused = 0 } = this.measured[source] ?? {};
    const decided = taken + refused;
    return decided ? say("annotate.source.right", { percent: Math.round((100 * taken) / decided), decided: decided.toLocaleString(say.language) }) : say("annotate.source.undecided");
  }

  // Patterns that took too long on this document, or have more matches than are shown; and how many more earlier decisions
  // there are than are shown.
  tell(notes) {
    this.notes = { ...this.notes, ...notes };
    this.drawNotes();
  }

  build() {
    const { say } = this.options;
    this.told = node("div", { class: "lla-note lla-rule-notes", role: "status" });
    this.root.replaceChildren(
      node("div", { class: "lla-suggestions-head" }, node("h2", { text: say("annotate.suggestions") }), this.streamButton(say)),
      this.offer(),
      ...sourcesOf(this.view).map((source) => this.row(source)),
      this.told,
      node("p", { class: "lla-check lla-legend" }, node("i", { class: "lla-sample lla-person" }), node("span", { text: say("annotate.source.person") })),
      node("button", { type: "button", class: "lla-button lla-open-patterns", onclick: () => this.editor.open(), text: say("annotate_patterns.open") }),
    );
    this.drawNotes();
  }

  streamButton(say) {
    return pressable({ class: "lla-button lla-plain", "data-action": "stream", title: say("annotate_keys.stream"), "aria-keyshortcuts": "v", onclick: () => this.options.stream() }, node("span", { text: say("annotate.stream") }), node("kbd", { text: "v" }));
  }

  row(source) {
    const { say } = this.options;
    const chosen = this.view[source];
    const name = chosen.name ?? say(`annotate.source.${source}`);
    const right = chosen.name ? node("span", { class: "lla-note lla-right", text: this.rightSoFar(source) }) : null;
    const shown = node("output", { class: "lla-score", text: this.bound(chosen) });
    const box = node("input", {
      type: "checkbox",
      onchange: (event) => {
        this.choose(source, { on: event.target.checked });
        slider.disabled = !event.target.checked;
      },
    });
    box.checked = chosen.on;
    const slider = node("input", {
      type: "range",
      min: "0",
      max: "0.95",
      step: "0.05",
      disabled: !chosen.on,
      "aria-label": say("annotate.threshold_of", { source: name }),
      oninput: (event) => {
        this.choose(source, { threshold: Number(event.target.value) });
        shown.textContent = this.bound(this.view[source]);
      },
    });
    slider.value = String(chosen.threshold);
    return node(
      "div",
      { class: "lla-source", "data-source": source },
      node("label", { class: "lla-check" }, box, node("i", { class: `lla-sample lla-${source}` }), node("span", { text: name }), right),
      node("div", { class: "lla-slider" }, slider, shown),
    );
  }

  bound({ threshold }) {
    return `≥ ${shortScore(threshold)}`;
  }

  choose(source, change) {
    this.view = { ...this.view, [source]: { ...this.view[source], ...change } };
    this.options.changed();
    clearTimeout(this.saving);
    this.saving = setTimeout(async () => {
      const view = Object.fromEntries(Object.entries(this.view).map(([name, { on, threshold }]) => [name, { on, threshold }]));
      await this.options.ask("set_suggestion_view", { view });
      this.saving = null;
      if (source === "earlier") this.options.refresh(); // from another confidence on, others are the first ones
    }, SAVE_VIEW_AFTER);
  }

  drawNotes() {
    if (!this.told) return;
    const { say } = this.options;
    const { more } = this.notes;
    const line = (name) => {
      const patterns = this.notes[name];
      return patterns.length ? node("p", {}, node("span", { text: say(`annotate_patterns.${name}`, { count: patterns.length }) }), ...patterns.map((pattern) => node("code", { text: pattern }))) : "";
    };
    this.told.replaceChildren(line("stopped"), line("cut"));
    if (more) this.told.append(node("p", { text: say("annotate.more_suggestions", { count: more.toLocaleString(say.language) }) }));
  }
}

// Which suggestions are shown: by source, and by confidence within each; the project remembers it.

import { node, pressable } from "../../page/dom.js";
import { shortScore } from "../../page/messages.js";
import { SOURCES, everySource } from "../state/suggested.js";
import { PatternEditor } from "./pattern_editor.js";

const SAVE_VIEW_AFTER = 500; // ms

export class SuggestionPanel {
  // options: say, changed(), ask(name, payload), labels(), document(), dialogs(), stream(): one suggestion after another
  constructor(options) {
    this.options = options;
    this.root = node("section", { class: "lla-suggestions" });
    this.view = everySource();
    this.notes = { stopped: [], cut: [], more: 0 };
    this.editor = new PatternEditor({ ...options, edited: () => options.refresh?.() });
  }

  // What the project has chosen, with a document. What was chosen here and is not sent yet stands.
  take(view) {
    if (!view || this.saving) return;
    if (JSON.stringify(view) === JSON.stringify(this.view)) return;
    this.view = view;
    this.build();
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
      ...SOURCES.map((source) => this.row(source)),
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
    const name = say(`annotate.source.${source}`);
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
      node("label", { class: "lla-check" }, box, node("i", { class: `lla-sample lla-${source}` }), node("span", { text: name })),
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
      await this.options.ask("set_suggestion_view", { view: this.view });
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

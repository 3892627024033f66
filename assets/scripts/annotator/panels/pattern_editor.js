// The project's patterns in a dialog: tried on the document on the screen while they are typed, kept, switched, deleted.

import { node } from "../../page/dom.js";

const TRY_AFTER = 250; // ms without a key

export class PatternEditor {
  // options: say, ask(name, payload), labels(), document(), dialogs(), edited()
  constructor(options) {
    this.options = options;
    this.asked = 0;
    this.changed = false;
  }

  async open() {
    const answer = await this.options.ask("list_patterns");
    if (!answer.ok) return;
    this.changed = false;
    this.build();
    this.take(answer);
    const dialogs = this.options.dialogs();
    dialogs.show(this.options.say("annotate_patterns.title"), this.box);
    dialogs.box.addEventListener("close", () => this.changed && this.options.edited(), { once: true });
    this.input.focus();
  }

  build() {
    const { say, labels } = this.options;
    let pause = null;
    this.input = node("input", {
      type: "text",
      class: "lla-pattern-input",
      maxlength: "500",
      spellcheck: "false",
      autocomplete: "off",
      autocapitalize: "off",
      "aria-label": say("annotate_patterns.pattern"),
      placeholder: say("annotate_patterns.pattern.example"),
      oninput: () => {
        clearTimeout(pause);
        pause = setTimeout(() => this.try(), TRY_AFTER);
      },
    });
    this.label = node("select", { "aria-label": say("annotate.label") }, ...labels().map((label) => node("option", { value: label.name, text: label.name })));
    this.told = node("div", { class: "lla-pattern-told", role: "status", "aria-live": "polite" });
    this.list = node("div", { class: "lla-pattern-list" });
    const form = node(
      "form",
      {
        class: "lla-pattern-form",
        onsubmit: (event) => {
          event.preventDefault();
          this.add();
        },
      },
      this.input,
      this.label,
      node("button", { type: "submit", class: "lla-button lla-primary", text: say("annotate_patterns.pattern.add") }),
    );
    this.box = node("div", { class: "lla-patterns" }, node("p", { class: "lla-note", text: say("annotate_patterns.help") }), form, this.told, this.list);
  }

  async try() {
    const asked = (this.asked += 1);
    const pattern = this.input.value;
    if (!pattern) return this.told.replaceChildren();
    const answer = await this.options.ask("try_pattern", { document: this.options.document(), pattern });
    if (asked !== this.asked || !answer.ok) return;
    if (answer.problem) return this.complain(answer);
    const { say } = this.options;
    const name = answer.stopped ? "annotate_patterns.pattern.too_slow" : answer.cut ? "annotate_patterns.pattern.hits_cut" : answer.count ? "annotate_patterns.pattern.hits" : "annotate_patterns.pattern.no_hit";
    this.input.removeAttribute("aria-invalid");
    this.told.replaceChildren(
      node("p", { class: answer.stopped ? "lla-wrong" : "", text: say(name, { count: answer.count }) }),
      node("ul", { class: "lla-hits" }, ...answer.hits.map((hit) => node("li", {}, node("span", { class: "lla-note", text: hit.before }), node("mark", { text: hit.surface }), node("span", { class: "lla-note", text: hit.after })))),
    );
  }

  complain({ problem, position }) {
    this.input.setAttribute("aria-invalid", "true");
    const pattern = [...this.input.value];
    const parts = position === null || position === undefined ? [] : [node("code", {}, node("span", { text: pattern.slice(0, position).join("") }), node("mark", { text: pattern[position] ?? "␣" }), node("span", { text: pattern.slice(position + 1).join("") }))];
    this.told.replaceChildren(node("p", { class: "lla-wrong", text: problem }), ...parts);
  }

  async add() {
    const answer = await this.options.ask("add_pattern", { pattern: this.input.value, label: this.label.value });
    if (!answer.ok) return;
    if (answer.problem) return this.complain(answer);
    this.asked += 1; // a trial under way is about what is no longer there
    this.input.value = "";
    this.told.replaceChildren();
    this.changed = true;
    this.take(answer);
    this.input.focus();
  }

  async change(pattern, change) {
    const answer = await this.options.ask("change_pattern", { pattern: pattern.id, change });
    if (!answer.ok) return;
    this.changed = true;
    this.take(answer);
  }

  take({ patterns, deleted }) {
    const { say } = this.options;
    const kept = patterns.map((pattern) => this.row(pattern));
    const gone = deleted.map((pattern) =>
      node("li", {}, node("code", { text: pattern.pattern }), node("b", { text: pattern.label }), this.button("restore", pattern)),
    );
    this.list.replaceChildren(
      kept.length ? node("ul", {}, ...kept) : node("p", { class: "lla-note", text: say("annotate_patterns.none") }),
      ...(gone.length ? [node("details", {}, node("summary", { text: say("annotate_patterns.deleted", { count: gone.length }) }), node("ul", {}, ...gone))] : []),
    );
  }

  row(pattern) {
    const { say } = this.options;
    const box = node("input", { type: "checkbox", "aria-label": say("annotate_patterns.pattern.enabled", { pattern: pattern.pattern }), onchange: (event) => this.change(pattern, event.target.checked ? "enable" : "disable") });
    box.checked = pattern.enabled;
    const fill = node("button", {
      type: "button",
      class: "lla-button lla-plain",
      onclick: () => {
        this.input.value = pattern.pattern;
        this.label.value = pattern.label;
        this.input.focus();
        this.try();
      },
      text: say("annotate_patterns.pattern.try"),
    });
    return node("li", { class: pattern.enabled ? "" : "lla-off" }, box, node("code", { text: pattern.pattern }), node("b", { text: pattern.label }), fill, this.button("trash", pattern));
  }

  button(change, pattern) {
    const { say } = this.options;
    return node("button", { type: "button", class: "lla-button lla-plain", "aria-label": say(`annotate_patterns.pattern.${change}_this`, { pattern: pattern.pattern }), onclick: () => this.change(pattern, change), text: say(`annotate_patterns.pattern.${change}`) });
  }
}

// jieba's names as a starting dictionary: how many there are of each kind, and under which label they come.

import { node } from "../page/dom.js";
import { wordButton, wordChoice } from "./asking.js";

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
    const guess = { person: /^(per|name|nr)/i, place: /^(loc|gpe|place|ns)/i, organisation: /^(org|nt|com)/i, other: /^$/ };
    this.fields = {};
    const lines = Object.entries(answer.kinds).map(([kind, found]) => {
      const label = answer.labels.find((name) => guess[kind].test(name)) ?? "";
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
      node("h4", { text: say("dictionary.names") }),
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
    if (!state || state.error) return;
    this.root.hidden = true;
    this.work.follow(state);
  }
}

// The labels with their keys, and the guideline of the one under the cursor.

import { isDark, readable } from "../../page/colour.js";
import { node, pressable } from "../../page/dom.js";
import { markdownNodes } from "../../page/markdown.js";
import { goTo } from "../../page/session.js";

export class LabelPanel {
  // options: say, choose(label)
  constructor(options) {
    this.options = options;
    this.bar = node("div", { class: "lla-labels", role: "toolbar" });
    this.guideline = node("div", { class: "lla-guideline" });
    this.heading = node("h2", { class: "lla-live" });
    this.root = node("section", { class: "lla-label-panel" }, this.heading, this.bar, this.guideline);
    this.labels = [];
  }

  show(labels) {
    const { say } = this.options;
    this.labels = labels;
    const dark = isDark();
    this.heading.textContent = say("annotate.labels");
    this.bar.setAttribute("aria-label", say("annotate.labels"));
    if (!labels.length) return this.showNone();
    this.bar.replaceChildren(
      ...labels.map((label) => {
        const { ink, tint } = readable(label.colour, dark);
        const button = pressable(
          {
            class: "lla-label",
            "data-label": label.name,
            style: { "--ink": ink, "--tint": tint },
            "aria-keyshortcuts": label.hotkey || null,
            "aria-pressed": "false",
            title: label.hotkey ? say("annotate.hold_hint", { key: label.hotkey.toUpperCase(), label: label.name }) : label.name,
            onclick: () => this.options.choose(label.name),
            onpointerenter: () => this.guide(label.name),
          },
          node("kbd", { text: label.hotkey || "·" }),
          node("span", { class: "lla-label-name", text: label.name }),
        );
        return button;
      }),
    );
    this.guide(null);
  }

  guide(name) {
    const label = this.labels.find((other) => other.name === name);
    for (const button of this.bar.children) button.classList.toggle("lla-on", button.dataset.label === name);
    if (!label) {
      this.guideline.replaceChildren(node("p", { class: "lla-note", text: this.options.say("annotate.guideline_hint") }));
      return;
    }
    const parts = label.guideline.length ? label.guideline : [this.options.say("annotate.no_guideline")];
    this.guideline.replaceChildren(node("h3", { text: label.name }), ...markdownNodes(parts));
  }

  // The label that stays chosen, or null.
  hold(name) {
    for (const button of this.bar.children) {
      button.classList.toggle("lla-held", button.dataset.label === name);
      if (button.dataset.label) button.setAttribute("aria-pressed", String(button.dataset.label === name));
    }
  }

  showNone() {
    const { say } = this.options;
    this.bar.replaceChildren();
    const go = node("button", { type: "button", class: "lla-button lla-primary", onclick: () => goTo("settings", { section: "labels" }), text: say("annotate.no_labels_go") });
    this.guideline.replaceChildren(node("p", { class: "lla-note", text: say("annotate.no_labels") }), node("div", { class: "lla-row" }, go));
  }
}

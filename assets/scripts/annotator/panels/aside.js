// Documents set aside: ignored ones with a reason, and those flagged for somebody to check; and the way back.

import { node, pressable } from "../../page/dom.js";

export class Aside {
  constructor(bench) {
    this.bench = bench;
    this.drawn = "";
    this.root = node("div", { class: "lla-aside", hidden: true });
    this.buttons = node("span", { class: "lla-tool-actions" });
    bench.tools.strip.append(this.buttons);
  }

  drawButtons() {
    const { say, annotation } = this.bench;
    const { status } = annotation;
    const button = (name, key, more = {}) =>
      pressable({ class: "lla-button lla-plain", "data-action": name, title: say(`annotate_keys.${name}`), "aria-keyshortcuts": key, onclick: () => this.bench[name](), ...more }, node("span", { text: say(`annotate.${name}`) }), node("kbd", { text: key }));
    const focused = this.buttons.contains(document.activeElement) && document.activeElement.getAttribute("aria-keyshortcuts");
    this.buttons.replaceChildren(button("to_check", "f", { "aria-pressed": status === "to_check" ? "true" : "false", disabled: status === "ignored" }), button(status === "ignored" ? "restore" : "ignore", "i"));
    if (focused) this.buttons.querySelector(`[aria-keyshortcuts="${focused}"]`)?.focus();
  }

  draw() {
    const { say, annotation } = this.bench;
    const { id, status, reason } = annotation;
    const now = JSON.stringify([say.language, id, status, reason]);
    if (now === this.drawn) return; // somebody may be writing a reason
    this.drawn = now;
    this.drawButtons();
    this.root.hidden = status !== "ignored" && status !== "to_check";
    if (this.root.hidden) return this.root.replaceChildren();
    const back = (name, then) => pressable({ class: "lla-button", "data-act": name, onclick: then }, node("span", { text: say(`annotate.${name}`) }));
    if (status === "to_check") return this.root.replaceChildren(node("span", { text: say("annotate.aside.to_check") }), back("unflag", () => this.flag()));
    this.box = node("input", { type: "text", class: "lla-reason", maxlength: "500", value: reason, placeholder: say("annotate.aside.reason"), "aria-label": say("annotate.aside.reason"), onchange: () => this.explain(id) });
    this.root.replaceChildren(node("span", { text: say("annotate.aside.ignored") }), this.box, back("restore", () => this.restore()));
  }

  explain(id) {
    const { bench } = this;
    if (bench.annotation?.id === id && bench.annotation.status === "ignored") bench.stand("ignore", { status: "ignored", reason: this.box.value.trim() });
  }

  async ignore() {
    const { bench } = this;
    const { id, status } = bench.annotation;
    if (status === "ignored") return this.restore();
    this.leave(status);
    bench.stand("ignore", { status: "ignored" });
    const again = (name, then) => pressable({ class: "lla-button", "data-act": name, onclick: () => this.back(id, then) }, node("span", { text: bench.say(`annotate.${name}`) }));
    bench.notices.tell(bench.say("annotate.did.ignore"), node("span", { class: "lla-row" }, again("give_reason", () => this.box.focus()), again("restore", () => this.restore())));
    await bench.next();
  }

  // Of the document that was ignored, from wherever the person is now.
  async back(id, then) {
    const { bench } = this;
    bench.notices.untell();
    if (bench.annotation?.id !== id) await bench.visit(id);
    if (bench.annotation?.id === id && bench.annotation.status === "ignored") then();
  }

  restore() {
    const { bench } = this;
    bench.stand("restore", { status: bench.annotation.returnsTo });
    bench.sentence.text.focus({ preventScroll: true });
  }

  flag() {
    const { bench } = this;
    const { status } = bench.annotation;
    if (status === "ignored") return;
    if (status === "to_check") return this.restore();
    this.leave(status);
    bench.stand("to_check", { status: "to_check" });
  }

  // Where it returns to.
  leave(status) {
    const { annotation } = this.bench;
    if (status !== "to_check" && status !== "ignored") annotation.returnsTo = status;
  }
}

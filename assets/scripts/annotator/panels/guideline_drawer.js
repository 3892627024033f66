// The guideline of the project beside the text, with that of each label under it. Whether it is open is remembered.

import { isDark, readable } from "../../page/colour.js";
import { node } from "../../page/dom.js";
import { moment, speaker } from "../../page/messages.js";
import { goTo } from "../../page/session.js";
import { store, stored } from "../../page/storage.js";
import { markdownNodes } from "../../page/markdown.js";
import { MESSAGES } from "../../guideline/messages.js";

const KEPT = "latticelens.guideline";
const BESIDE = 1240; // px; in a narrower window it lies over the text
const BOTH = "(min-width: 1800px)"; // this drawer and the one that answers why stand beside the text, as guideline.css has them

export class GuidelineDrawer {
  // bench: grid, labels, quietly(name), notify(event, data), whyPanel.
  constructor(bench) {
    this.bench = bench;
    this.say = speaker(MESSAGES);
    this.body = node("div", { class: "ll-markdown lla-guide-body", tabindex: 0 });
    this.close = node("button", { type: "button", class: "lla-button lla-plain", text: "✕", onclick: () => this.toggle(false) });
    this.title = node("h3", {});
    this.root = node("aside", { class: "lla-guide", hidden: true }, node("div", { class: "lla-guide-head" }, this.title, this.close), this.body);
    this.both = window.matchMedia(BOTH);
    this.both.addEventListener("change", () => (this.both.matches ? this.comeBack() : this.bench.whyPanel.open && this.makeRoom()));
    this.gaveWay = false; // to the drawer that answers why
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.toggle(false);
    });
  }

  get open() {
    return !this.root.hidden;
  }

  // Another project, language or visit: what is open is read again.
  begin(language) {
    this.say.use(language);
    const title = this.say("guideline.title");
    this.title.textContent = title;
    this.root.setAttribute("aria-label", title);
    this.close.setAttribute("aria-label", this.say("guideline.close"));
    this.close.title = this.say("guideline.close");
    this.show((this.open || stored(KEPT) === "open") && window.innerWidth >= BESIDE);
    if (this.bench.whyPanel.open) this.makeRoom();
  }

  toggle(open = !this.open) {
    store(KEPT, open ? "open" : null);
    this.gaveWay = false;
    if (open && !this.both.matches) this.bench.whyPanel.close();
    this.show(open);
    if (open) this.body.focus({ preventScroll: true });
    else this.bench.sentence.text.focus({ preventScroll: true });
  }

  show(open) {
    this.root.hidden = !open;
    this.bench.grid.classList.toggle("lla-guided", open);
    if (open) this.read();
  }

  // For the drawer that answers why: where there is room for one, the later one has it.
  makeRoom() {
    if (!this.open || this.both.matches) return;
    this.gaveWay = true;
    this.show(false);
  }

  // The other drawer has closed, or there is room for both.
  comeBack() {
    if (this.gaveWay && window.innerWidth >= BESIDE) this.show(true);
    this.gaveWay = false;
  }

  async read() {
    const answer = await this.bench.quietly("read_guideline");
    const { say } = this;
    if (!answer.ok) return this.body.replaceChildren(node("p", { class: "lla-wrong", text: answer.message ?? say("guideline.unreachable") }));
    const { parts, user, at, may_change } = answer;
    const time = at ? moment(say, at, { dateStyle: "medium", timeStyle: "short" }) : "";
    const edit = node("button", { type: "button", class: "lla-button", text: say(parts.length ? "guideline.edit" : "guideline.write"), onclick: () => goTo("settings", { section: "guideline" }) });
    this.body.replaceChildren(
      ...(parts.length ? markdownNodes(parts) : [node("p", { class: "lla-note", text: say("guideline.empty") })]),
      ...(at ? [node("p", { class: "lla-note", text: say("guideline.changed", { user, time }) })] : []),
      ...(may_change ? [node("div", { class: "lla-row" }, edit)] : []),
      ...this.labelParts(),
    );
  }

  labelParts() {
    const { labels } = this.bench;
    if (!labels.length) return [];
    const parts = labels.map(({ name, colour, guideline }) => {
      const { ink, tint } = readable(colour, isDark());
      const text = guideline.length ? markdownNodes(guideline) : [node("p", { class: "lla-note", text: this.say("guideline.no_description") })];
      return node("section", { class: "lla-guide-label" }, node("h5", { style: { "--ink": ink, "--tint": tint } }, node("span", { text: name })), ...text);
    });
    return [node("h4", { class: "lla-guide-labels", text: this.say("guideline.labels") }), ...parts];
  }
}

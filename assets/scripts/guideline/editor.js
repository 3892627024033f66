// The guideline on the Settings page: the text and what it looks like beside each other, and its earlier versions.

import { node } from "../page/dom.js";
import { moment, speaker } from "../page/messages.js";
import { askServer, beginWithPage } from "../page/session.js";
import { markdownNodes } from "../page/markdown.js";
import { MESSAGES } from "./messages.js";

const TYPING = 250; // milliseconds after the last key
const DAY = { dateStyle: "medium", timeStyle: "short" };

class GuidelineEditor {
  constructor(host, server) {
    Object.assign(this, { host, server });
    this.say = speaker(MESSAGES);
    this.saved = { revision: 0, text: "", versions: [] };
    this.field = node("textarea", { rows: 14, maxlength: 100_000, oninput: () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.drawPreview(), TYPING);
      this.tell(this.unsaved ? this.say("guideline.unsaved") : "");
    } });
    this.preview = node("div", { class: "ll-markdown", tabindex: 0 });
    this.save = node("button", { type: "button", class: "lla-button lla-primary", "data-act": "save", onclick: () => this.put() });
    this.message = node("p", { class: "lla-note", role: "status" });
    this.versions = node("details", { class: "ll-guideline-versions" });
  }

  get unsaved() {
    return this.field.value !== this.saved.text;
  }

  async ask(name, payload) {
    const { project } = this;
    const asked = await askServer(this.server, name, { project, ...payload });
    const answer = this.project === project ? asked : { ok: false, code: "moved" };
    if (!answer.ok && this.project === project) this.tell(answer.message ?? this.say("guideline.unreachable"), true);
    return answer;
  }

  // What is being written stays until another project is shown.
  async begin({ language, project, may_change }) {
    const { say } = this;
    say.use(language);
    const stays = this.project === project && this.unsaved && may_change;
    this.project = project;
    const answer = await askServer(this.server, "guideline_read", { project });
    if (this.project !== project) return;
    if (!answer.ok) return this.host.replaceChildren(node("p", { class: "lla-note", text: answer.message ?? say("guideline.unreachable") }));
    if (!stays) this.take(answer);
    this.field.placeholder = say("guideline.placeholder");
    this.save.textContent = say("guideline.save");
    this.preview.setAttribute("aria-label", say("guideline.preview"));
    const text = node("label", { class: "ll-guideline-text" }, node("span", { class: "lla-note", text: say("guideline.text") }), this.field);
    const shown = node("div", { class: "ll-guideline-shown" }, node("span", { class: "lla-note", text: say("guideline.preview"), hidden: !may_change }), this.preview);
    const parts = may_change ? [node("div", { class: "ll-guideline-pair" }, text, shown), node("p", { class: "lla-note", text: say("guideline.hint") }), node("div", { class: "ll-guideline-acts" }, this.save, this.message)] : [shown];
    this.host.replaceChildren(...parts, this.versions);
    this.mayChange = may_change;
    this.drawPreview();
    this.drawVersions();
  }

  take(answer) {
    this.saved = answer;
    this.field.value = answer.text;
    this.tell("");
  }

  tell(text, wrong = false) {
    this.message.textContent = text;
    this.message.classList.toggle("lla-wrong", wrong);
  }

  async drawPreview() {
    const text = this.field.value;
    const answer = await this.ask("guideline_preview", { text });
    if (!answer.ok || text !== this.field.value) return; // a later answer is on its way
    this.preview.replaceChildren(...(answer.parts.length ? markdownNodes(answer.parts) : [node("p", { class: "lla-note", text: this.say("guideline.empty") })]));
  }

  drawVersions() {
    const { say, saved } = this;
    this.versions.hidden = !saved.versions.length;
    const items = saved.versions.map(({ revision, user, at }) => {
      const time = moment(say, at, DAY);
      const current = revision === saved.revision;
      const show = node("button", { type: "button", class: "lla-button", text: say("guideline.restore"), onclick: () => this.restore(revision, time) });
      return node("li", {}, node("span", { text: say("guideline.version", { time, user }) }), current ? node("span", { class: "lla-note", text: say("guideline.current") }) : this.mayChange ? show : null);
    });
    this.versions.replaceChildren(node("summary", { text: say("guideline.history") }), node("ol", {}, ...items));
  }

  async restore(revision, time) {
    const answer = await this.ask("guideline_version", { revision });
    if (!answer.ok) return;
    this.field.value = answer.text;
    this.drawPreview();
    this.tell(this.say("guideline.restored", { time }));
    this.field.focus();
  }

  async put() {
    const answer = await this.ask("guideline_save", { text: this.field.value, base: this.saved.revision });
    // Theirs is among the versions, and the next save goes on top of it.
    if (answer.code === "conflict") this.saved = { ...this.saved, revision: answer.revision, text: answer.text, versions: [answer, ...this.saved.versions] };
    if (answer.code === "moved") return;
    if (!answer.ok) return this.drawVersions();
    this.saved = answer;
    this.tell(this.say("guideline.saved"));
    this.drawVersions();
  }
}

export const mount = (widget) => {
  const { element, server } = widget;
  const editor = new GuidelineEditor(element.querySelector(".ll-guideline-page"), server);
  beginWithPage(widget, (page) => editor.begin(page));
};

// The dialog "New project": three steps over one draft. Nothing is created before its last button.

import { node } from "../page/dom.js";
import { speaker } from "../page/messages.js";
import { askServer, onMoved, pageLanguage, turnTo } from "../page/session.js";
import { DictionaryStep } from "./dictionary_step.js";
import { dictionaryOf, emptyDraft, hasText, isBegun, keepDraft, keptDraft, projectOf, rowsOf } from "./draft.js";
import { LabelStep } from "./label_step.js";
import { MESSAGES } from "./messages.js";
import { TextStep } from "./text_step.js";
import { wholePercent } from "../text/percent.js";

const STEPS = ["text", "labels", "dictionary"];
const STEP_OF = { name: 0, text: 0, labels: 1, dictionary: 2 };
const PAUSE = 250; // milliseconds between two questions about work that goes on

class Wizard {
  constructor(host, { server, trigger, upload }) {
    Object.assign(this, { server, trigger, upload });
    this.say = speaker(MESSAGES);
    this.box = node("dialog", { class: "lla-dialog ll-setup" });
    this.box.addEventListener("cancel", (event) => this.busy && event.preventDefault());
    this.box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !this.busy) this.create();
    });
    host.append(this.box);
    window.addEventListener("latticelens:new-project", () => this.open());
    window.addEventListener("beforeunload", (event) => this.unkept && event.preventDefault());
  }

  async ask(name, payload) {
    const answer = await askServer(this.server, name, payload);
    return answer.ok ? answer : { ...answer, message: answer.message ?? this.say("setup.unreachable") };
  }

  // The end of some work, or null where a later question of the kind has taken its place. progress(state) while it goes on.
  async work(kind, name, payload, progress = () => {}) {
    const turn = (this.turns[kind] = (this.turns[kind] ?? 0) + 1);
    let state = await this.ask(name, payload);
    while (state.ok && state.running && turn === this.turns[kind]) {
      progress(state);
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      state = await this.ask("setup_state", { kind });
    }
    if (turn !== this.turns[kind]) return null;
    return state.ok && state.error ? { ...state, ok: false, message: state.error } : state;
  }

  async open() {
    if (this.box.open) return;
    this.turns = {};
    this.busy = false;
    this.say.use(pageLanguage());
    this.draft ??= keptDraft() ?? emptyDraft();
    const offer = await this.ask("setup_begin");
    if (offer.ok) this.say.use(offer.language); // that of the templates, if it has just been changed
    this.box.setAttribute("aria-label", this.say("setup.title"));
    this.box.lang = this.say.language === "zh" ? "zh-CN" : this.say.language;
    if (!this.box.open) this.box.showModal();
    if (!offer.ok) return this.box.replaceChildren(this.heading(), node("p", { class: "lla-wrong", role: "alert", text: offer.message }));
    this.offer = offer;
    this.build(isBegun(this.draft));
    if (offer.work.running) this.follow(this.work("create", "setup_state", { kind: "create" }, (state) => this.progress(state)));
  }

  // The steps over the draft as it is now. continued: it was begun before.
  build(continued = false) {
    const shared = { say: this.say, draft: this.draft, offer: this.offer, changed: () => this.changed(), upload: this.upload, ask: (...asked) => this.ask(...asked), work: (...asked) => this.work(...asked) };
    this.text = new TextStep(shared);
    this.steps = [this.text, new LabelStep({ ...shared, preview: () => this.text.preview }), new DictionaryStep({ ...shared, preview: () => this.text.preview })];
    this.tabs = STEPS.map((name, at) => node("button", { type: "button", class: "ll-setup-tab", "data-step": name, onclick: () => this.goTo(at) }, node("b", { text: at + 1 }), node("span", { text: this.say(`setup.step.${name}`) })));
    this.kept = node("p", { class: "ll-setup-kept", hidden: !continued }, node("span", { class: "lla-note", text: this.say("setup.continued") }), this.button("afresh", () => this.startOver()));
    this.body = node("div", { class: "ll-setup-body" });
    this.told = node("p", { class: "ll-setup-told", role: "alert" });
    this.summary = node("p", { class: "lla-note ll-setup-summary", role: "status" });
    this.foot = node("div", { class: "ll-setup-foot" });
    this.box.replaceChildren(this.heading(), this.kept, node("div", { class: "ll-setup-tabs", role: "group", "aria-label": this.say("setup.title") }, ...this.tabs), this.body, this.told, this.summary, this.foot);
    this.goTo(Math.min(this.draft.step, STEPS.length - 1));
    this.text.begin();
  }

  heading() {
    const close = node("button", { type: "button", class: "lla-button lla-plain ll-setup-close", "data-act": "close", "aria-label": this.say("setup.close"), title: this.say("setup.close"), text: "✕", onclick: () => !this.busy && this.box.close() });
    return node("div", { class: "ll-setup-head" }, node("h3", { text: this.say("setup.title") }), close);
  }

  button(name, onclick, more = {}) {
    return node("button", { type: "button", class: "lla-button", "data-act": name, text: this.say(`setup.${name}`), onclick, ...more });
  }

  goTo(at) {
    this.draft.step = at;
    this.told.textContent = "";
    this.tabs.forEach((tab, number) => (number === at ? tab.setAttribute("aria-current", "step") : tab.removeAttribute("aria-current")));
    this.body.replaceChildren(this.steps[at].root);
    this.steps[at].show();
    this.drawFoot();
    this.changed();
    this.body.scrollTop = 0;
    this.steps[at].focus();
  }

  drawFoot() {
    const at = this.draft.step;
    const last = at === STEPS.length - 1;
    const back = this.button("back", () => this.goTo(at - 1), { disabled: at === 0 });
    const now = this.button("create_now", () => this.create(), { title: this.say("setup.create_now_hint") });
    const next = this.button("next", () => this.goTo(at + 1), { class: "lla-button lla-primary" });
    const create = this.button("create", () => this.create(), { class: "lla-button lla-primary" });
    this.foot.replaceChildren(back, ...(last ? [create] : [now, next]));
  }

  // After every change: it is kept, and the line above the buttons says what would be made.
  changed() {
    const { say, draft, offer } = this;
    this.unkept = !keepDraft(draft) && hasText(draft);
    const { preview } = this.text;
    const labels = rowsOf(draft, preview, offer).map(({ name }) => name.trim()).filter(Boolean);
    const dictionary = dictionaryOf(draft, preview, labels);
    this.summary.textContent = say("setup.summary", {
      documents: (preview?.documents ?? 0).toLocaleString(),
      labels: labels.join(", ") || say("setup.summary.labels_none"),
      dictionary: dictionary === "file" ? draft.words?.name ?? say("setup.summary.none") : say(`setup.summary.${dictionary}`),
    });
  }

  startOver() {
    const { say } = this;
    const afresh = () => {
      this.draft = emptyDraft();
      this.build();
    };
    if (!isBegun(this.draft)) return afresh();
    const ask = node("span", { class: "lla-wrong", text: say("setup.afresh.ask") });
    const yes = this.button("afresh.yes", afresh);
    const no = this.button("afresh.no", () => this.build(true));
    this.kept.replaceChildren(ask, yes, no);
    no.focus();
  }

  // ------------------------------------------------------------------ making the project

  async create() {
    if (this.busy) return;
    await this.text.ready();
    const wrong = this.steps.findIndex((step) => !step.check());
    if (wrong >= 0) {
      if (wrong !== this.draft.step) this.goTo(wrong);
      return this.steps[wrong].check();
    }
    const asked = projectOf(this.draft, this.text.preview, this.offer);
    this.progress({ doing: "begin", fraction: 0 });
    await this.follow(this.work("create", "setup_create", asked, (state) => this.progress(state)));
  }

  progress({ doing, fraction }) {
    const told = this.say(`setup.doing.${doing || "begin"}`);
    if (!this.busy) {
      this.busy = true;
      this.bar = node("progress", { max: 100, value: 0 });
      this.doing = node("p", { role: "status" });
      const cancel = this.button("cancel", async () => {
        cancel.disabled = true;
        cancel.textContent = this.say("setup.cancelling");
        await this.ask("setup_stop", { kind: "create" });
      });
      this.box.classList.add("ll-setup-busy");
      this.body.replaceChildren(node("div", { class: "ll-setup-work" }, this.doing, this.bar, cancel));
      cancel.focus();
    }
    this.bar.value = wholePercent(fraction);
    this.bar.setAttribute("aria-label", told);
    this.doing.textContent = told;
  }

  async follow(working) {
    const end = await working;
    if (!end) return;
    this.busy = false;
    this.box.classList.remove("ll-setup-busy");
    if (end.ok && !end.stopped && end.result) return this.made(end.result);
    const field = end.field ?? { read: "text", import: "text", words: "dictionary" }[end.doing] ?? "name";
    if (end.stopped) {
      this.goTo(this.draft.step);
      this.told.textContent = this.say("setup.cancelled");
      return;
    }
    const at = end.row === undefined ? STEP_OF[field] : STEP_OF.labels;
    this.goTo(at);
    this.steps[at].tell({ field, row: end.row }, end.message);
  }

  made({ project, document: first }) {
    this.draft = emptyDraft();
    keepDraft(this.draft);
    this.unkept = false;
    this.box.close();
    const stop = onMoved(() => {
      stop();
      document.activeElement?.blur(); // a dialog gives the focus back to its button; the next key is about the text
      turnTo("annotate", first ? { document: first } : {});
    });
    this.trigger("created", { project });
  }
}

export const mount = (widget) => new Wizard(widget.element.querySelector(".ll-setup-root"), widget);

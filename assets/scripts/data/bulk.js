// What is done with many documents at once: chosen, previewed where that says more than a number, followed, undone.

import { node } from "../page/dom.js";
import { askServer } from "../page/session.js";
import { WorkBar } from "../page/work_bar.js";

const STATUSES = ["done", "in_progress", "to_check", "ignored", "restored"];
const SPLITS = ["train", "dev", "test", "none"];
const THRESHOLD = 0.9;

export class Bulk {
  // options: say, server, selection, value() -> what the table shows, ticked(): the ticks have changed, changed(): documents have.
  constructor(options) {
    Object.assign(this, options);
    this.offered = null;
    this.doing = "";
    this.count = node("span", { class: "ll-bulk-count", role: "status" });
    this.form = node("div", { class: "ll-bulk-form" });
    this.preview = node("div", { class: "ll-bulk-preview" });
    this.told = node("p", { class: "ll-bulk-told", role: "status" });
    this.work = new WorkBar({ say: this.say, ask: (name) => this.ask(name), state: "bulk_state", stop: "stop_bulk", ended: (state) => this.ended(state) });
    this.root = node("div", { class: "ll-bulk" }, this.form, this.preview, this.work.root, this.told);
  }

  async ask(name, payload = {}) {
    const answer = await askServer(this.server, name, { project: this.value().project, ...payload });
    if (answer.ok) return answer;
    if (answer.code === "moved") {
      this.work.leave(); // the table shows the project before until this page is seen again
      this.seen = ""; // which may be in that project: its work is followed again
    }
    this.tell(answer.message ?? this.say("unreachable"), null, true);
    return null;
  }

  // The table has other rows: people, runs and rights may be others too.
  async show() {
    const { project, language } = this.value();
    const seen = `${project} ${language}`;
    this.draw();
    if (seen === this.seen) return;
    this.seen = seen;
    this.work.leave();
    this.doing = "";
    this.tell("");
    this.offered = await this.ask("list_bulk");
    if (!this.offered) return;
    this.draw();
    this.offerUndo();
    this.work.follow();
  }

  get total() {
    return this.selection.count(this.value().total ?? 0);
  }

  draw() {
    const { say, selection } = this;
    const { total = 0, rows = [], trash } = this.value();
    const actions = this.offered?.actions ?? [];
    this.preview.replaceChildren();
    this.form.hidden = trash || !actions.length || !rows.length;
    if (this.form.hidden) return;
    const chosen = this.total;
    // Of a large project not all are counted: 10,000+.
    const many = (number, beyond) => number.toLocaleString(say.language) + (beyond ? "+" : "");
    const beyond = this.value().more && selection.all;
    const button = (text, onclick, more = {}) => node("button", { type: "button", class: "lla-button", onclick, text, ...more });
    this.count.textContent = say("selected", { count: many(chosen, beyond) });
    const whole = () => {
      selection.tickEverything();
      this.ticked();
      this.draw();
    };
    const none = () => {
      selection.clear();
      this.ticked();
      this.draw();
    };
    const parts = [this.count];
    if (!selection.all && chosen < total) parts.push(button(say("select_all", { count: many(total, this.value().more) }), whole, { "data-act": "all" }));
    if (chosen) parts.push(button(say("clear"), none, { "data-act": "clear" }));
    if (chosen) parts.push(...this.controls(actions, many(chosen, beyond)));
    const focused = this.form.contains(document.activeElement) ? document.activeElement.dataset : null;
    this.form.replaceChildren(...parts);
    const again = focused && (focused.act ? `[data-act="${focused.act}"]` : `[data-field="${focused.field}"]`);
    if (again) (this.form.querySelector(again) ?? this.form.querySelector("select, button"))?.focus();
  }

  controls(actions, chosen) {
    const { say } = this;
    const select = (field, label, options, onchange) => node("select", { "aria-label": label, "data-field": field, onchange }, ...options.map(([value, text]) => node("option", { value, text })));
    this.what = select("what", say("what"), [["", say("what.none")], ...actions.map((name) => [name, say(`what.${name}`)])], () => {
      this.doing = this.what.value;
      this.draw();
    });
    this.what.value = actions.includes(this.doing) ? this.doing : "";
    this.doing = this.what.value;
    if (!this.doing) return [this.what];
    const choices = {
      status: STATUSES.map((name) => [name, say(`status.${name}`)]),
      split: SPLITS.map((name) => [name, say(`split.${name}`)]),
      assign: this.offered.people.map((name) => [name, name]),
      tag: this.offered.runs.map(([title, name]) => [name, title]),
      accept: this.offered.runs.map(([title, name]) => [name, title]),
    }[this.doing];
    const parts = [this.what];
    this.to = this.reason = this.threshold = null;
    if (choices) {
      this.to = select("to", say(`to.${this.doing}`), choices, () => this.changedTo());
      const wished = this.wished?.[this.doing] ?? (this.doing === "tag" || this.doing === "accept" ? this.offered.active : null);
      if (choices.some(([value]) => value === wished)) this.to.value = wished;
      parts.push(this.to);
    }
    if (this.doing === "status" && this.to.value === "ignored") parts.push((this.reason = node("input", { type: "text", maxlength: "500", "data-field": "reason", placeholder: say("reason"), "aria-label": say("reason") })));
    if (this.doing === "accept") {
      this.threshold = node("input", { type: "number", min: "0", max: "1", step: "0.05", value: this.least ?? THRESHOLD, "data-field": "threshold", onchange: () => this.preview.replaceChildren() });
      parts.push(node("label", { class: "ll-bulk-threshold" }, node("span", { text: say("threshold") }), this.threshold));
    }
    const accept = this.doing === "accept";
    parts.push(node("button", {
      type: "button", class: "lla-button lla-primary", "data-act": "apply", text: accept ? say("preview") : say("apply", { count: chosen }),
      onclick: () => (accept ? this.showPreview() : this.start()),
    }));
    return parts;
  }

  changedTo() {
    this.wished = { ...this.wished, [this.doing]: this.to.value };
    this.draw();
  }

  // As the app is told: the ticked documents by id, or the filter they match.
  order() {
    const { selection } = this;
    const { filter, run } = this.value();
    const which = selection.all ? { filter, run: run ?? "" } : { ids: [...selection.ids] };
    const threshold = Number(this.threshold?.value ?? 0);
    return { ...which, change: this.doing, to: this.to?.value ?? "", reason: this.reason?.value ?? "", threshold: Math.min(1, Math.max(0, threshold || 0)) };
  }

  async showPreview() {
    const { say } = this;
    this.least = this.threshold.value;
    const order = this.order();
    const { project } = this.value();
    this.root.setAttribute("aria-busy", "true");
    const answer = await this.ask("preview_accept", order);
    this.root.removeAttribute("aria-busy");
    if (!answer || project !== this.value().project) return;
    const { spans, documents, examples } = answer;
    const rules = node("p", { class: "ll-bulk-note", text: say("preview.rules") });
    if (!spans) return this.preview.replaceChildren(node("p", { text: say("preview.none") }), rules);
    const example = (one) => node("li", {}, node("span", { class: "ll-bulk-example" }, one.before, node("mark", { text: one.surface }), one.after), node("span", { class: "ll-bulk-note", text: `${one.label} ${one.score.toFixed(2)} · ${one.name}` }));
    this.preview.replaceChildren(
      node("p", { text: say("preview.found", { spans, documents }) }),
      rules,
      node("p", { class: "ll-bulk-note", text: say("preview.examples", { count: examples.length }) }),
      node("ul", { class: "ll-bulk-examples" }, ...examples.map(example)),
      node("button", { type: "button", class: "lla-button lla-primary", "data-act": "accept", text: say("accept", { count: spans.toLocaleString(say.language) }), onclick: () => this.start(order) }),
    );
  }

  async start(order = this.order()) {
    this.tell("");
    const state = await this.ask("start_bulk", order);
    if (!state) return;
    this.preview.replaceChildren();
    this.work.follow(state);
  }

  async ended(state) {
    const { say } = this;
    const tagged = state.kind === "tag";
    if (state.error) this.tell(state.error, null, true);
    else if (state.stopped) this.tell(say(tagged ? "stopped.tag" : "stopped"));
    else if (tagged) this.tell(say("did.tag", { count: state.documents, to: state.to }));
    else if (state.kind === "undo") this.tell(say("did.undo", { count: state.documents }));
    else if (!state.documents) this.tell(say("did.nothing"));
    else this.tell(this.toldOf(state), state.step);
    if (state.documents) {
      this.selection.clear();
      this.doing = "";
      this.changed();
    }
  }

  toldOf({ change, to, documents }) {
    const { say } = this;
    const named = { status: () => say(`status.${to}`), split: () => say(`split.${to}`) }[change]?.() ?? to;
    return say("did", { count: documents.toLocaleString(say.language), what: say(`did.${change}`, { to: named }) });
  }

  // What this person did last and can take back, also after a reload.
  offerUndo() {
    const { undo } = this.offered;
    if (undo) this.tell(this.toldOf(undo), undo.step);
  }

  tell(text, step = null, wrong = false) {
    this.told.classList.toggle("ll-bulk-wrong", wrong);
    const undo = step && node("button", { type: "button", class: "lla-button", "data-act": "undo", text: this.say("undo"), onclick: () => this.undo(step) });
    this.told.replaceChildren(...[text && node("span", { text }), undo].filter(Boolean));
  }

  async undo(step) {
    this.tell("");
    const state = await this.ask("undo_bulk", { step });
    if (state) this.work.follow(state);
  }
}

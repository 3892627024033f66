// Shared by the tabs: requests, status messages, background work.

import { isDark, readable } from "../page/colour.js";
import { node } from "../page/dom.js";
import { moment, speaker } from "../page/messages.js";
import { askServer, whenSeen } from "../page/session.js";
import { StillSentences, coloured } from "../sentence/still.js";
import { MESSAGES } from "./messages/panel.js";
import { wholePercent } from "../text/percent.js";

const EVERY_MS = 700;
// Which way words are matched, and what is done where a word has several types.
export const DIRECTIONS = ["bidirectional", "forward", "backward"];
export const RULES = ["skip", "most frequent", "keep both"];

export class Panel {
  // names: of the server functions that begin with this, as `state`, `stop`.
  constructor({ element, server, trigger }, prefix, messages) {
    const host = element.querySelector(".ll-words");
    Object.assign(this, { host, server, trigger, prefix, busy: false, state: null, taken: 0 });
    this.say = speaker({ ...MESSAGES, ...messages });
    this.sentences = new StillSentences();
    this.message = node("p", { class: "ll-words-message", role: "status" });
    this.bar = node("div", { class: "ll-words-work", hidden: true });
    this.body = node("div", { class: "ll-words-body" });
    host.replaceChildren(this.body);
    whenSeen(host, () => this.refresh()); // shows how things stand now
  }

  forget() {
    this.state = null;
    this.tell("");
  }

  seen() {
    return this.host.getClientRects().length > 0;
  }

  async ask(name, payload = {}) {
    const answer = await askServer(this.server, `${this.prefix}_${name}`, payload);
    if (answer.ok) return answer;
    this.tell(answer.message ?? this.say("unreachable"), true);
    return null;
  }

  // Ask for something that changes the state, once at a time.
  async act(name, payload = {}, said = "") {
    if (this.busy) return null;
    this.busy = true;
    this.host.setAttribute("aria-busy", "true");
    const answer = await this.ask(name, { ...this.asked(), ...payload });
    this.busy = false;
    this.host.removeAttribute("aria-busy");
    if (answer) {
      this.tell(said);
      await this.take(answer);
    }
    return answer;
  }

  asked() {
    return {};
  }

  // An answer that comes after a later state, as of what was pressed meanwhile, is out of date.
  async refresh() {
    const taken = this.taken;
    const answer = await this.ask("state", this.asked());
    if (!answer) return;
    if (taken === this.taken) await this.take(answer);
    else await this.refresh();
  }

  async take(state) {
    this.taken += 1;
    const moved = state.project !== this.project || state.language !== this.say.language;
    if (moved) this.forget();
    const was = this.state?.work?.running;
    this.project = state.project;
    this.say.use(state.language);
    this.state = state;
    await this.draw(was && !state.work?.running);
    this.showWork();
    if (state.work?.running) this.wait();
  }

  wait() {
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      if (!this.seen()) return; // read again when the tab comes back
      const answer = await this.ask("state", this.asked());
      if (!answer) return;
      if (answer.work?.running) {
        this.state.work = answer.work;
        this.showWork();
        this.wait();
      } else await this.take(answer);
    }, EVERY_MS);
  }

  // The bar of what goes on, with its stop; where it ended early, why.
  showWork() {
    const { work } = this.state;
    const running = Boolean(work?.running);
    this.bar.hidden = !running;
    if (running) {
      const percent = wholePercent(work.fraction);
      const line = node("span", { text: `${this.say(`doing.${work.doing || "reading"}`)} ${percent}% ${work.left}`.trim() });
      const meter = node("progress", { max: "100", value: String(percent), "aria-label": line.textContent });
      const stop = this.button("stop", () => this.act("stop"), { "data-action": "stop" });
      const held = this.bar.querySelector("[data-action=stop]") === document.activeElement;
      this.bar.replaceChildren(line, meter, stop);
      if (held) stop.focus();
    } else if (work?.error) this.tell(work.error, true);
    else if (work?.stopped) this.tell(this.say("stopped"));
  }

  // When a result was made, and by which version of the word list; it outlasts the app.
  made(result) {
    return node("p", { class: "lla-note", "data-made": result.version, text: this.say("made", { time: moment(this.say, result.at), version: this.count(result.version) }) });
  }

  tell(text, wrong = false) {
    this.message.textContent = text;
    this.message.classList.toggle("ll-words-wrong", wrong);
  }

  button(key, press, attributes = {}, values = {}) {
    const { primary, ...rest } = attributes;
    return node("button", { type: "button", class: `lla-button${primary ? " lla-primary" : ""}`, text: this.say(key, values), onclick: press, ...rest });
  }

  field(key, control) {
    return node("label", { class: "ll-words-field" }, node("span", { text: this.say(key) }), control);
  }

  number(value, { min, max, step = 1, name }) {
    return node("input", { type: "number", value: String(value), min, max, step, name, autocomplete: "off" });
  }

  select(options, chosen, change = null, name = null) {
    const made = node("select", { name, ...(change ? { onchange: (event) => change(event.target.value) } : {}) });
    made.append(...options.map(([value, text]) => node("option", { value, text })));
    made.value = chosen;
    return made;
  }

  // rows: arrays of cells (text or nodes); a phone shows each row as a block, its cells with their column's name.
  table(columns, rows, attributes = {}) {
    const heads = columns.map((key) => (key ? this.say(key) : ""));
    const head = node("tr", {}, ...heads.map((text) => node("th", { scope: "col", text })));
    const lines = rows.map((cells) =>
      node("tr", {}, ...cells.map((cell, at) => {
        const made = node("td", { "data-name": heads[at] });
        if (cell instanceof Node) made.append(cell);
        else made.textContent = cell ?? "";
        return made;
      })),
    );
    return node("table", { class: "ll-words-table", ...attributes }, node("thead", {}, head), node("tbody", {}, ...lines));
  }

  // A label's name in its colour; colour never says anything alone.
  chip(name, colour) {
    const { ink, tint } = readable(colour ?? "#666666", isDark());
    return node("span", { class: "ll-words-chip", style: { color: ink, background: tint }, text: name });
  }

  count(value) {
    return Number(value).toLocaleString(this.say.language === "zh" ? "zh-CN" : "en");
  }

  // Of a project without documents: whoever may import is led to Data, the others are told who may.
  noDocuments() {
    const way = this.button("to_data", () => this.goTo("data"), { primary: true });
    way.classList.add("ll-needs-import");
    return this.empty(this.say("empty"), way, node("p", { class: "ll-without ll-without-import", text: this.say("who_may") }));
  }

  empty(text, ...ways) {
    return node("div", { class: "ll-words-empty" }, node("p", { text }), ...ways);
  }

  goTo(page) {
    this.trigger("open", { page });
  }

  openDocument(document) {
    this.trigger("open", { document });
  }

  section(key, values = {}) {
    return node("h2", { class: "ll-words-section", text: this.say(key, values) });
  }

  note(key, values = {}) {
    return node("p", { class: "lla-note", text: this.say(key, values) });
  }

  // The last action, with undo.
  lastStep() {
    const { last, may_change } = this.state;
    if (!last || !may_change) return null;
    const what = this.say(`did.${last.kind}`, { word: last.word, count: this.count(last.count), more: this.count(last.count - 1) });
    const text = last.count > 1 ? this.say(`did.${last.kind}_many`, { count: this.count(last.count) }) : what;
    const undo = this.button("undo", () => this.act("undo", {}, this.say("undone")), { "data-action": "undo" });
    return node("p", { class: "ll-words-last" }, node("span", { text }), undo);
  }

  // A text with its labels drawn under it, and the way to its document.
  sentence(item, colours) {
    const open = node("button", { type: "button", class: "lla-button lla-plain ll-words-open", text: item.name, title: this.say("open"), onclick: () => this.openDocument(item.document) });
    return node("li", { class: "ll-words-sentence" }, this.sentences.add(item.text, coloured(item.marks, colours)), open);
  }
}

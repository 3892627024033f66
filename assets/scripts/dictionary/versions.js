// The Versions tab: changes of each version, diffs, and revert.

import { node } from "../page/dom.js";
import { saveFile } from "../page/downloads.js";
import { moment, speaker } from "../page/messages.js";
import { whenSeen } from "../page/session.js";
import { WorkBar } from "../page/work_bar.js";
import { asker, wordButton, wordChoice } from "./asking.js";
import { MESSAGES } from "./messages/versions.js";

class VersionList {
  constructor(host, server) {
    this.host = host;
    this.say = speaker(MESSAGES);
    this.ask = asker(server, this.say, (text, wrong) => this.tell(text, wrong), "dictionary_versions");
  }

  // Told by the server each time: project and language may have moved since.
  async refresh() {
    const { offset = 0 } = this;
    const answer = await this.ask("version_page", { offset });
    if (!answer) return;
    const moved = answer.on.project !== this.page?.project || answer.on.language !== this.page?.language;
    this.page = answer.on;
    this.say.use(answer.on.language);
    if (moved) this.build();
    if (moved && offset) await this.load(); // that was the place in another list
    else this.draw(answer);
    this.work.follow();
  }

  build() {
    const { say, ask } = this;
    this.work?.leave();
    this.turn = (this.turn ?? 0) + 1; // what is compared in another project is not wanted any more
    this.message = node("p", { class: "ll-words-message", role: "status" });
    this.work = new WorkBar({ say: (key) => say(`dictionary_versions.${key}`), ask, state: "version_work", stop: "version_stop", ended: (state) => this.ended(state) });
    this.empty = node("p", { class: "ll-words-empty", hidden: true, text: say("dictionary_versions.empty") });
    this.body = node("tbody");
    const head = ["number", "when", "who", "what", "added", "removed", "changed", "act"].map((name) => node("th", { scope: "col", text: name === "act" ? "" : say(`dictionary_versions.column.${name}`), class: ["number", "added", "removed", "changed"].includes(name) ? "ll-words-number" : null }));
    this.table = node("div", { class: "ll-words-scroll" }, node("table", { class: "ll-words-table ll-words-versions" }, node("thead", {}, node("tr", {}, ...head)), this.body));
    this.pager = node("div", { class: "ll-words-row ll-words-pager" });
    this.diff = node("section", { class: "ll-words-panel", hidden: true });
    this.offset = 0;
    this.host.replaceChildren(this.message, this.work.root, this.empty, this.diff, this.table, this.pager);
  }

  tell(text, wrong = false) {
    if (!this.message) return;
    this.message.textContent = text;
    this.message.classList.toggle("ll-words-wrong", wrong);
  }

  async load() {
    const { offset } = this;
    const answer = await this.ask("version_page", { offset });
    if (answer && offset === this.offset) this.draw(answer);
  }

  draw(answer) {
    this.answer = answer;
    const none = answer.total === 0;
    this.empty.hidden = !none;
    this.table.hidden = this.pager.hidden = none;
    this.body.replaceChildren(...answer.rows.map((row, at) => this.row(row, answer.rows[at + 1]?.id ?? row.before)));
    const { say } = this;
    const go = (by) => {
      this.offset = Math.max(0, this.offset + by * answer.page);
      this.load();
    };
    this.pager.replaceChildren(
      wordButton("‹", () => go(-1), { disabled: this.offset === 0, "aria-label": say("dictionary_versions.newer"), title: say("dictionary_versions.newer") }),
      wordButton("›", () => go(1), { disabled: this.offset + answer.rows.length >= answer.total, "aria-label": say("dictionary_versions.older"), title: say("dictionary_versions.older") }),
      node("span", { class: "lla-note", text: say("dictionary_versions.found", { count: answer.total.toLocaleString() }) }),
    );
  }

  row(row, before) {
    const { say } = this;
    const number = (name, value) => node("td", { class: "ll-words-number", "data-name": say(`dictionary_versions.column.${name}`), text: value ? value.toLocaleString() : "" });
    const what = say(`dictionary_versions.kind.${row.kind}`, { target: row.target ?? 0 }) + (row.source ? ` · ${row.source}` : "") + (row.undone ? ` · ${say("dictionary_versions.undone", { by: row.undone })}` : "");
    const acts = [wordButton(say("dictionary_versions.look"), () => this.compare(before, row.id))];
    if (!row.latest) acts.push(wordButton(say("dictionary_versions.since"), () => this.compare(row.id, this.answer.latest)));
    if (this.page.may_change && !row.latest) acts.push(wordButton(say("dictionary_versions.back"), () => this.back(row.id)));
    if (this.page.may_change && row.undoable) acts.push(wordButton(say("dictionary_versions.undo"), () => this.start("version_undo", {})));
    return node(
      "tr",
      { "data-version": row.id },
      number("number", String(row.id)),
      node("td", { text: moment(say, row.at) }),
      node("td", { text: row.user }),
      node("td", { class: "ll-words-text", text: what }),
      number("added", row.added),
      number("removed", row.removed),
      number("changed", row.changed),
      node("td", {}, node("div", { class: "ll-words-row" }, ...acts)),
    );
  }

  async compare(from, to, kind = "", offset = 0) {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    const answer = await this.ask("version_diff", { from, to, kind, offset });
    if (!answer || turn !== this.turn) return; // another was asked for meanwhile
    const { say } = this;
    const tabs = ["", "added", "removed", "changed"].map((name) => [name, `${say(`dictionary_versions.diff.${name || "all"}`)} (${(name ? answer.counts[name] : answer.all).toLocaleString()})`]);
    const entry = (all) => all.map(([type, frequency, removed]) => (removed ? say("dictionary_versions.taken_out") : `${type || say("dictionary_versions.no_type")} ${frequency.toLocaleString()}`)).join(" · ");
    const rows = answer.rows.map((row) => node("tr", {}, node("td", { class: "ll-words-text", text: row.word }), node("td", { text: say(`dictionary_versions.diff.${row.change}`) }), node("td", { text: entry(row.gone) }), node("td", { text: entry(row.came) })));
    const head = ["word", "change", "gone", "came"].map((name) => node("th", { scope: "col", text: say(`dictionary_versions.column.${name}`) }));
    this.diff.replaceChildren(
      node("h2", { text: say("dictionary_versions.between", { from: from || say("dictionary_versions.beginning"), to }) }),
      node(
        "div",
        { class: "ll-words-row" },
        wordChoice(say("dictionary_versions.show"), tabs, kind, (value) => this.compare(from, to, value)),
        wordButton("‹", () => this.compare(from, to, kind, offset - answer.page), { disabled: offset === 0, "aria-label": say("dictionary_versions.before") }),
        wordButton("›", () => this.compare(from, to, kind, offset + answer.page), { disabled: offset + rows.length >= answer.total, "aria-label": say("dictionary_versions.after") }),
        wordButton(say("dictionary_versions.download"), () => this.download(from, to, kind)),
        wordButton(say("dictionary_versions.close"), () => (this.diff.hidden = true)),
      ),
      rows.length
        ? node("div", { class: "ll-words-scroll" }, node("table", { class: "ll-words-table" }, node("thead", {}, node("tr", {}, ...head)), node("tbody", {}, ...rows)))
        : node("p", { class: "lla-note", text: say("dictionary_versions.same") }),
    );
    this.diff.hidden = false;
    this.diff.scrollIntoView({ block: "nearest" });
  }

  // The words as they are in the later version; of those that left, as they were in the earlier one.
  async download(from, to, kind) {
    const parts = [];
    const { project } = this.page;
    let offset = 0;
    while (offset !== null) {
      const answer = await this.ask("version_words", { from, to, kind, offset, project });
      if (!answer) return;
      parts.push(answer.text);
      offset = answer.next;
    }
    saveFile(`words-${from}-${to}.txt`, new Blob(parts, { type: "text/plain;charset=utf-8" }));
  }

  back(version) {
    this.start("version_back", { version });
  }

  async start(name, payload) {
    const state = await this.ask(name, payload);
    if (state) this.work.follow(state);
  }

  ended(state) {
    if (state.error) this.tell(state.error, true);
    else if (state.stopped) this.tell(this.say("dictionary_versions.stopped"));
    else if (state.result?.batch) this.tell(this.say("dictionary_versions.made", { version: state.result.batch, added: state.result.added, removed: state.result.removed, changed: state.result.changed }));
    this.offset = 0;
    this.load();
  }
}

export const mount = ({ element, server }) => {
  const host = element.querySelector(".ll-words");
  const list = new VersionList(host, server);
  whenSeen(host, () => list.refresh());
};

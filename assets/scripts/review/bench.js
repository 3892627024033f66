// The bench of the reviewer: a document's versions, its differences one by one, and the keys that decide them.

import { Dialogs } from "../annotator/dialogs/dialogs.js";
import { Linking } from "../annotator/dialogs/linking.js";
import { isTyping, node } from "../page/dom.js";
import { speaker } from "../page/messages.js";
import { askServer, beginWithPage, goTo } from "../page/session.js";
import { plainSpan, spanKey } from "../text/spans.js";
import { DifferenceRow } from "./difference.js";
import { linkList } from "./links.js";
import { ReviewList } from "./list.js";
import { Versions } from "./versions.js";
import { MESSAGES } from "./messages.js";

const STRATEGIES = ["unanimous", "majority", "threshold"];

class ReviewBench {
  constructor(host, server) {
    Object.assign(this, { host, server });
    this.say = speaker(MESSAGES);
    this.options = { strategy: "majority", threshold: 2, unfinished: false, tagger_votes: false };
    this.list = new ReviewList({
      say: this.say,
      ask: (name, payload) => this.ask(name, payload),
      open: (id) => this.open(id),
      told: (text) => this.tell(text),
      changed: () => this.reload(),
    });
    this.versions = new Versions(this.say);
    this.message = node("p", { class: "ll-review-message", role: "status" });
    this.main = node("div", { class: "ll-review-main" });
    this.empty = node("div", { class: "ll-review-empty", hidden: true });
    this.grid = node("div", { class: "ll-review-grid" }, this.list.root, this.main);
    host.replaceChildren(this.message, this.empty, this.grid);
    this.linking = new Linking({
      say: this.say,
      dialogs: new Dialogs(host, this.say, () => this.focusRow(this.at, true, true)),
      ask: (name, payload) => askServer(server, name, payload),
      leave: (page) => goTo(page),
      apply: (span, link) => this.chooseLink(span, link),
    });
    this.at = 0;
    this.found = null;
    this.wanted = null; // the document to be shown; on a slow line `found` is still the one before
    this.asked = 0;
    this.lost = ""; // why a decision of another project is not kept
    this.line = Promise.resolve();
    host.addEventListener("keydown", (event) => this.key(event));
  }

  async ask(name, payload) {
    const { project } = this;
    const answer = await askServer(this.server, name, { project, ...payload });
    if (answer.ok) return project === this.project ? answer : null;
    if (answer.code === "moved") this.lost = answer.message;
    this.tell(answer.message ?? this.say("review.unreachable"), true);
    return null;
  }

  // One after the other, in the order they were asked: a decision never overtakes the one before it, and
  // nothing is finished before the last decision is kept. `wanted` says no where it is too late to ask.
  inLine(name, payload, wanted = () => true) {
    this.line = this.line.then(() => (wanted() ? this.ask(name, payload) : null));
    return this.line;
  }

  tell(text, wrong = false) {
    this.message.textContent = text;
    this.message.classList.toggle("ll-review-wrong", wrong);
  }

  async begin(page) {
    this.say.use(page.language);
    if (page.project !== this.project) {
      this.project = page.project;
      this.found = null;
      this.wanted = null;
      this.list.state = "ready";
    }
    this.tell(this.lost, Boolean(this.lost)); // a decision that came too late must be read
    this.lost = "";
    await this.reload();
  }

  async reload() {
    const answer = await this.list.load();
    if (!answer) return;
    this.categories = answer.categories;
    const handed = Object.values(answer.counts).reduce((sum, count) => sum + count, 0);
    this.empty.hidden = handed > 0;
    this.grid.hidden = handed === 0;
    if (!handed) return this.showEmpty(answer);
    const next = this.list.rows.some((row) => row.id === this.wanted) ? this.wanted : this.list.rows[0]?.id;
    if (next) await this.open(next);
    else this.showNothing();
  }

  // Nothing to review yet: explain what to do.
  showEmpty(answer) {
    const why = !answer.has_members ? "review.empty.members" : !answer.separate ? "review.empty.together" : "review.empty.handed";
    this.empty.replaceChildren(
      node("p", { text: this.say(why) }),
      node("button", { type: "button", class: "lla-button lla-primary", text: this.say("review.empty.go"), onclick: () => goTo("settings", { section: "people" }) }),
    );
  }

  showNothing() {
    this.found = null;
    this.wanted = null;
    this.asked += 1; // what is still on its way is not wanted any more
    this.versions.close();
    this.main.replaceChildren(node("p", { class: "lla-note", text: this.say("review.choose") }));
  }

  async open(id) {
    const asked = (this.asked += 1);
    const still = () => asked === this.asked;
    this.wanted = id;
    this.list.go(id);
    const found = await this.inLine("review_open", { document: id, ...this.options }, still);
    if (!still()) return;
    if (found) return this.show(found, true);
    this.wanted = this.found?.id ?? null; // it could not be opened: what is shown stays
    this.list.go(this.wanted);
  }

  show(found, toFirst = false) {
    this.found = found;
    const asked = found.differences.filter((one) => one.kind !== "unanimous");
    this.shown = this.withAgreed ? found.differences : asked;
    this.rows = this.shown.map((difference, at) => this.row(difference, at));
    this.main.replaceChildren(this.settings(), this.versions.root, this.differences(), this.links(), this.onlyTagger(), this.end(), node("p", { class: "lla-note ll-review-keys", text: this.say("review.keys") }));
    this.versions.show(found);
    const open = this.shown.findIndex((one) => !one.decided);
    if (toFirst) this.at = Math.max(0, open);
    this.focusRow(Math.min(this.at, this.rows.length - 1), toFirst, true);
  }

  row(difference, at) {
    return new DifferenceRow(difference, at, {
      say: this.say,
      letters: [...this.found.text],
      labels: this.found.labels,
      categories: this.categories,
      decide: (accept, refuse, category = "", note = "") => this.decide(accept, refuse, category, note, at),
      takeBack: (spans) => this.change("review_take_back", { spans }, at),
      link: this.found.linkable ? (span) => this.openLinking(span) : null,
      focus: (which) => this.look(which),
    });
  }

  settings() {
    const { say, options } = this;
    const again = () => this.open(this.wanted);
    const set = (name, value) => {
      this.options[name] = value;
      again();
    };
    const people = this.found.versions.length;
    const check = (name) => node("label", { class: "ll-review-check" }, node("input", { type: "checkbox", checked: options[name], onchange: (event) => set(name, event.target.checked) }), say(`review.${name}`));
    const strategy = node("select", { class: "ll-review-strategy", "aria-label": say("review.strategy"), onchange: (event) => set("strategy", event.target.value) }, ...STRATEGIES.map((name) => node("option", { value: name, text: say(`review.strategy.${name}`), selected: name === options.strategy })));
    const threshold = node("input", { type: "number", min: "1", max: String(Math.max(1, people)), value: String(options.threshold), "aria-label": say("review.threshold"), onchange: (event) => set("threshold", Math.max(1, Math.min(people || 1, Number(event.target.value) || 1))) });
    const agreed = node("label", { class: "ll-review-check" }, node("input", {
      type: "checkbox",
      checked: this.withAgreed,
      onchange: (event) => {
        this.withAgreed = event.target.checked;
        this.show(this.found);
      },
    }), say("review.with_agreed"));
    return node("div", { class: "ll-review-settings" }, node("label", {}, say("review.strategy"), " ", strategy), options.strategy === "threshold" ? node("label", {}, threshold, ` / ${people}`) : null, check("unfinished"), this.found.tagger.run ? check("tagger_votes") : null, agreed, this.askTagger());
  }

  askTagger() {
    const { tagger } = this.found;
    if (!tagger.run || tagger.answered) return null;
    return node("button", { type: "button", class: "lla-button", text: this.say("review.ask_tagger", tagger), onclick: () => this.change("review_ask_tagger", {}, this.at) });
  }

  differences() {
    const { say } = this;
    if (!this.found.versions.length) return node("p", { class: "lla-note", text: say("review.no_versions") });
    if (!this.rows.length) return node("p", { class: "lla-note", text: say("review.no_differences") });
    return node("div", {}, node("h2", { text: say("review.differences", { open: this.found.open, total: this.shown.length }) }), node("ol", { class: "ll-review-items" }, ...this.rows.map((row) => row.root)));
  }

  links() {
    return linkList(this.found, {
      say: this.say,
      choose: (span, link) => this.chooseLink(span, link),
      other: (span) => this.openLinking(span),
      drop: (span) => this.changeLink("review_drop_links", span),
    });
  }

  // Spans only the tagger predicts; shown after all decisions.
  onlyTagger() {
    const { only_tagger: spans, text } = this.found;
    if (!spans.length) return node("div");
    const letters = [...text];
    return node(
      "div",
      { class: "ll-review-only" },
      node("h2", { text: this.say("review.only_tagger") }),
      ...spans.map((span) => node("button", { type: "button", class: "lla-button", onclick: () => this.decide([plainSpan(span)], [], "", "", this.at) }, `${letters.slice(span.start, span.end).join("")} `, node("b", { text: span.label }), ` ${this.say("review.take")}`)),
    );
  }

  end() {
    const { open, left, merged, versions } = this.found;
    return node(
      "div",
      { class: "ll-review-end" },
      node("button", { type: "button", class: "lla-button lla-primary ll-review-finish", disabled: !versions.length, onclick: () => this.finish() }, this.say("review.finish"), " ", node("kbd", { text: "f" })),
      this.found.unseen ? node("span", { class: "lla-note ll-review-unseen", text: this.say("review.unseen", { percent: this.found.unseen }) }) : null,
      node("span", { class: "lla-note", text: this.say(open ? "review.finish_left" : "review.finish_all", { left, count: merged.length, strategy: this.say(`review.strategy.${this.options.strategy}`) }) }),
    );
  }

  // ------------------------------------------------------------------ deciding

  decide(accept, refuse, category, note, at) {
    const stays = category || note;
    return this.change("review_decide", { accept, refuse, category, note }, at, !stays);
  }

  openLinking(span) {
    this.linking.open(this.found.id, span, [...this.found.text].slice(span.start, span.end).join(""));
  }

  chooseLink(span, link) {
    return this.changeLink("review_choose_links", { ...span, link });
  }

  async changeLink(name, span) {
    await this.change(name, { spans: [plainSpan(span)] }, this.at);
    this.main.querySelector(`[data-linked="${CSS.escape(spanKey(span))}"] button`)?.focus({ preventScroll: true });
  }

  async change(name, payload, at, goOn = false) {
    const { asked } = this;
    const found = await this.inLine(name, { document: this.found.id, ...this.options, ...payload });
    if (!found || asked !== this.asked) return; // it is kept; another document is on its way
    this.tell("");
    this.at = at;
    this.show(found);
    const next = this.shown.findIndex((one, place) => place > at && !one.decided);
    this.focusRow(goOn && next >= 0 ? next : Math.min(at, this.rows.length - 1), true);
  }

  async finish() {
    if (this.finishing) return;
    this.finishing = true;
    const { asked, found } = this;
    const answer = await this.inLine("review_finish", { document: found.id, seen: found.seen, ...this.options });
    this.finishing = false;
    if (!answer) return;
    this.tell(this.say("review.finished", { count: answer.spans }));
    if (asked === this.asked) this.wanted = this.list.after(found.id);
    await this.reload();
  }

  // ------------------------------------------------------------------ moving

  look(at) {
    this.at = at;
    if (this.near === this.shown[at]) return;
    this.near = this.shown[at];
    this.versions.near(this.near);
  }

  // `still`: the page stays where it is, so that a document opens with its versions in view.
  focusRow(at, really = false, still = false) {
    const row = this.rows[at];
    if (!row) return;
    this.look(at);
    if (really) row.root.focus({ preventScroll: still });
  }

  key(event) {
    if (!this.found?.text || this.linking.options.dialogs.opened || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const row = this.rows[this.at];
    const to = (at) => this.focusRow(Math.max(0, Math.min(this.rows.length - 1, at)), true);
    const does = {
      j: () => to(this.at + 1),
      ArrowDown: () => to(this.at + 1),
      k: () => to(this.at - 1),
      ArrowUp: () => to(this.at - 1),
      0: () => row?.refuse(),
      e: () => row?.edit(),
      u: () => row?.takeBack(),
      l: () => row?.link(),
      c: () => row?.category?.focus(),
      f: () => this.finish(),
      n: () => this.list.after(this.wanted) && this.open(this.list.after(this.wanted)),
      Enter: event.target.tagName === "BUTTON" ? null : () => row && !row.difference.decided && row.acceptProposal(),
    }[event.key];
    const number = /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : -1;
    if (number >= 0) row?.accept(number);
    else if (does) does();
    else return;
    event.preventDefault();
  }
}

export const mount = (widget) => {
  const { element, server } = widget;
  const bench = new ReviewBench(element.querySelector(".ll-review"), server);
  beginWithPage(widget, (page) => bench.begin(page));
};

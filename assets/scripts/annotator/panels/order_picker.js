// The picker of queue orders: a grouped list with descriptions, and the state of the chosen one.

import { node } from "../../page/dom.js";
import { share, wholePercent } from "../../text/percent.js";

// As core/learning/active_learning/catalogue.py groups them; a test holds the two together.
const ORDER_GROUPS = [
  ["plain", ["position", "random"]],
  ["doubt", ["least_confident", "mnlp", "viterbi_gap", "boundary"]],
  ["disagreement", ["disagreement", "against_dictionary"]],
  ["coverage", ["rare_label", "textrank", "k_centre", "uncertainty_diversity"]],
  ["evaluation", ["apart"]],
];
export const isOrder = (name) => ORDER_GROUPS.some(([, names]) => names.includes(name));
const ORDER_LOOK_EVERY = 700; // ms between looks at a scoring that runs

// A score of an order as its texts take it: three digits at most, whole, as a share.
export const scoreValues = (score) => ({
  value: score.toFixed(score >= 10 ? 0 : score >= 1 ? 1 : 2),
  whole: String(Math.round(score)),
  share: share(score),
});

export class OrderPicker {
  // options: say, ask(name, payload), changed(): the queue is to be read again.
  constructor(options) {
    this.options = options;
    this.value = "position";
    this.standing = null;
    this.asked = 0;
    this.root = node("div", { class: "lla-orders" });
    this.list = node("div", { class: "lla-order-list", role: "listbox", tabindex: "-1", id: `lla-orders-${Math.random().toString(36).slice(2)}` });
    this.list.addEventListener("keydown", (event) => this.key(event));
    this.note = node("div", { class: "lla-order-note", "aria-live": "polite" });
    document.addEventListener("pointerdown", (event) => {
      if (this.open && !this.root.contains(event.target)) this.close();
    });
  }

  say(key, values) {
    return this.options.say(`annotate_orders.${key}`, values);
  }

  build() {
    this.button = node("button", {
      type: "button",
      class: "lla-button lla-order-button",
      "aria-haspopup": "listbox",
      "aria-expanded": "false",
      "aria-controls": this.list.id,
      onclick: () => (this.open ? this.close() : this.show()),
      onkeydown: (event) => {
        if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
        event.preventDefault();
        this.show();
      },
    });
    this.list.setAttribute("aria-label", this.say("list"));
    const groups = ORDER_GROUPS.map(([group, names]) => {
      const title = node("div", { class: "lla-order-group", id: `${this.list.id}-group-${group}`, text: this.say(`group.${group}`) });
      return node("div", { role: "group", "aria-labelledby": title.id }, title, ...names.map((name) => this.option(name)));
    });
    this.list.replaceChildren(...groups);
    this.list.hidden = true;
    this.root.replaceChildren(this.button, this.list, this.note);
    this.label();
    this.look();
  }

  option(name) {
    return node(
      "div",
      { class: "lla-order", role: "option", id: `${this.list.id}-${name}`, "data-order": name, "aria-selected": "false", onclick: () => this.choose(name) },
      node("span", { class: "lla-order-name", text: this.say(`name.${name}`) }),
      node("span", { class: "lla-order-about", text: this.say(`about.${name}`) }),
    );
  }

  get open() {
    return Boolean(this.list.parentNode) && !this.list.hidden;
  }

  get options_() {
    return [...this.list.querySelectorAll("[role=option]")];
  }

  label() {
    this.button.replaceChildren(node("span", { text: this.say("choose", { name: this.say(`name.${this.value}`) }) }));
    for (const option of this.options_) option.setAttribute("aria-selected", String(option.dataset.order === this.value));
  }

  show() {
    this.list.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    this.point(this.options_.find((option) => option.dataset.order === this.value));
    this.list.focus({ preventScroll: true });
  }

  close(back = false) {
    this.list.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    if (back) this.button.focus({ preventScroll: true });
  }

  // The option that the keys have reached; the focus itself stays with the list.
  point(option) {
    this.pointed = option;
    for (const other of this.options_) other.classList.toggle("lla-order-pointed", other === option);
    this.list.setAttribute("aria-activedescendant", option.id);
    const box = option.getBoundingClientRect();
    const frame = this.list.getBoundingClientRect();
    if (box.top < frame.top) this.list.scrollTop -= frame.top - box.top;
    if (box.bottom > frame.bottom) this.list.scrollTop += box.bottom - frame.bottom;
  }

  key(event) {
    const all = this.options_;
    const at = all.indexOf(this.pointed);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined) this.point(all[Math.min(Math.max(to, 0), all.length - 1)]);
    else if (event.key === "Enter" || event.key === " ") this.choose(this.pointed.dataset.order);
    else if (event.key === "Escape") this.close(true);
    else if (event.key === "Tab") return this.close();
    event.stopPropagation(); // these keys are not for the text
    if (event.key !== "Tab") event.preventDefault();
  }

  forget() {
    clearTimeout(this.timer);
    this.asked += 1;
    this.standing = null;
    this.value = "position";
  }

  choose(name) {
    this.close(true);
    if (name === this.value) return;
    this.value = name;
    this.standing = null;
    this.label();
    this.draw();
    this.options.changed();
    this.look();
  }

  // How the chosen order stands; while it is being scored, again and again.
  look() {
    return this.stand("read_order");
  }

  async stand(call, payload = {}) {
    const asked = (this.asked += 1);
    const name = this.value;
    clearTimeout(this.timer);
    const answer = await this.options.ask(call, { order: name, ...payload });
    if (asked !== this.asked || !answer?.ok) return;
    const before = this.standing?.state;
    this.standing = answer;
    this.draw();
    if (answer.state === "running") this.timer = setTimeout(() => this.look(), ORDER_LOOK_EVERY);
    else if (before === "running" || call === "set_apart" || call === "give_back_apart") this.options.changed();
  }

  act(key, call, payload) {
    return node("button", { type: "button", class: "lla-button", onclick: () => this.stand(call, payload), text: this.say(key, payload) });
  }

  draw() {
    const { standing } = this;
    if (!standing) return this.note.replaceChildren();
    const lines = standing.order === "apart" ? this.apart(standing) : this.scores(standing);
    const saves = this.saves(standing.saving);
    this.note.replaceChildren(...lines, ...saves);
  }

  scores(standing) {
    const line = (key, values) => node("span", { text: this.say(key, values) });
    if (standing.state === "running") {
      const percent = wholePercent(standing.fraction);
      return [node("progress", { max: "1", value: String(standing.fraction), "aria-label": this.say("running", { percent }) }), line("running", { percent }), node("span", { text: standing.left }), this.act("stop", "stop_scoring")];
    }
    if (standing.need) return [node("span", { text: standing.need })];
    const named = (made) => String(made ?? "").replace(/^texts/, this.say("texts"));
    const failed = standing.state === "failed" ? [line("failed", { error: standing.error })] : [];
    const plain = standing.order === "position" || standing.order === "random";
    if (plain) return failed;
    if (!standing.scored) return [...failed, ...(failed.length ? [] : [line("missing")]), this.act("score", "score_order")];
    if (standing.made_for !== standing.now) return [...failed, line("stale", { made_for: named(standing.made_for), now: named(standing.now) }), this.act("refresh", "score_order")];
    const waiting = standing.waiting ? [line("waiting", { waiting: standing.waiting }), this.act("refresh", "score_order")] : [line("scored", { made_for: named(standing.made_for) })];
    return [...failed, ...waiting];
  }

  apart(standing) {
    const { count, done } = standing.apart;
    const part = node("input", { type: "number", min: "1", max: "50", step: "1", value: "10", class: "lla-order-share", "aria-label": this.say("apart_share") });
    const set = this.act("apart_set", "set_apart", { percent: 10 });
    part.addEventListener("input", () => {
      const percent = Math.min(Math.max(Math.round(Number(part.value)) || 1, 1), 50);
      const fresh = this.act("apart_set", "set_apart", { percent });
      this.set.replaceWith(fresh);
      this.set = fresh;
    });
    this.set = set;
    const told = count ? this.say("apart_count", { count, done }) : this.say("apart_none");
    const back = count > done ? [this.act("apart_back", "give_back_apart")] : [];
    return [node("span", { text: told }), part, set, ...back];
  }

  saves(saving) {
    if (!saving) return [];
    const whole = (number) => String(Math.round(number));
    const values = { corpus: saving.corpus, share: share(saving.share), most: saving.most };
    if (saving.documents === null) return [node("span", { class: "lla-order-saves", text: this.say("saves_not", values) })];
    const text = this.say("saves", { ...values, documents: whole(saving.documents), random: whole(saving.random) });
    const honest = this.say("saves_characters", { characters: whole(saving.characters), random_characters: whole(saving.random_characters) });
    return [node("span", { class: "lla-order-saves", text: `${text} ${honest}` })];
  }

  // The score of a queue row, as shown and in words.
  shown(row) {
    if (typeof row.score !== "number") return null;
    const values = scoreValues(row.score);
    return { short: this.say(`row.${this.value}`, values), long: this.say(`said.${this.value}`, values) };
  }
}

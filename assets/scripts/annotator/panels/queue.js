// The queue of documents: order, filters, search, and where the person is in it.

import { node } from "../../page/dom.js";
import { moment, shortScore } from "../../page/messages.js";
import { OrderPicker } from "./order_picker.js";

const STATUS_MARKS = { new: "○", in_progress: "●", done: "✓" };

export class Queue {
  // options: say, fetch(query) -> {rows, total}, choose(id), labels(), ask(call, payload).
  constructor(options) {
    this.options = options;
    this.rows = [];
    this.total = null; // nothing is known of the list yet
    this.current = null;
    this.asked = 0;
    this.coming = null;
    this.picker = new OrderPicker({ say: options.say, ask: options.ask, changed: () => this.load() });
    this.list = node("div", { class: "lla-list", role: "list" });
    this.root = node("details", { class: "lla-queue", open: true });
    this.wide = matchMedia("(min-width: 860px)");
    const fold = () => this.root.toggleAttribute("open", this.wide.matches);
    this.wide.addEventListener("change", fold);
    fold();
  }

  // Drawn again in another language or after a visit to another page, what was asked stays asked.
  build() {
    const { say } = this.options;
    const asked = this.search && [this.status.value, this.label.value, this.batch.value, this.search.value];
    const choice = (name, values) =>
      node(
        "select",
        { "aria-label": say(`annotate.${name}`), onchange: () => this.load() },
        ...values.map(([value, text]) => node("option", { value, text })),
      );
    this.order = this.picker;
    this.order.build();
    this.status = choice("status", [["", say("annotate.any_status")], ...Object.keys(STATUS_MARKS).map((value) => [value, `${STATUS_MARKS[value]} ${say(`annotate.status.${value}`)}`])]);
    this.label = choice("label", [["", say("annotate.any_label")], ...this.options.labels().map((label) => [label.name, label.name])]);
    this.batch = choice("batch", []);
    this.batch.className = "lla-batch";
    this.offer(this.batches ?? []);
    let pause = null;
    this.search = node("input", {
      type: "search",
      placeholder: say("annotate.search"),
      "aria-label": say("annotate.search"),
      oninput: (event) => {
        clearTimeout(pause);
        if (!event.isComposing) pause = setTimeout(() => this.load(), 200);
      },
    });
    this.search.addEventListener("compositionend", () => this.load());
    if (asked) {
      [this.status.value, this.label.value, this.batch.value, this.search.value] = asked;
      if (this.batch.selectedIndex < 0) this.batch.value = "";
      if (this.label.selectedIndex < 0) this.label.value = "";
    }
    this.count = node("span", { class: "lla-note" });
    this.root.replaceChildren(
      node("summary", {}, node("span", { text: say("annotate.queue") }), this.count),
      node("div", { class: "lla-filters" }, this.order.root, this.status, this.label, this.batch, this.search),
      this.list,
    );
  }

  // Another project: nothing that was asked of the last one is asked of this one.
  forget() {
    this.search = null;
    this.batches = [];
    this.rows = [];
    this.total = null;
    this.picker.value = "position";
  }

  // The batches of dictionary labels that stand; where there are none there is nothing to choose.
  offer(batches) {
    const { say } = this.options;
    const chosen = this.batch.value;
    this.batches = batches;
    const options = batches.map((one) => node("option", { value: one.id, text: say("annotate.batch_of", { batch: one.id, time: moment(say, one.at), count: one.documents }) }));
    this.batch.replaceChildren(node("option", { value: "", text: say("annotate.any_batch") }), ...options);
    this.batch.value = chosen;
    this.batch.hidden = !batches.length;
    if (this.batch.selectedIndex >= 0) return false;
    this.batch.value = "";
    return true;
  }

  load(append = false) {
    this.coming = this.fetch(append);
    return this.coming;
  }

  async fetch(append) {
    const asked = (this.asked += 1);
    const answer = await this.options.fetch({
      order: this.order.value,
      status: this.status.value,
      label: this.label.value,
      search: this.search.value,
      batch: Number(this.batch.value),
      offset: append ? this.rows.length : 0,
    });
    if (asked !== this.asked || !answer?.ok) return; // a newer question is on its way
    // A batch that somebody took back meanwhile holds no document; what was asked of it is asked of all.
    if (this.offer(answer.batches ?? [])) return this.load();
    this.rows = append ? [...this.rows, ...answer.rows] : answer.rows;
    this.total = answer.total;
    this.own = answer.own;
    this.draw();
  }

  draw() {
    if (this.total === null) return this.list.replaceChildren();
    const { say } = this.options;
    const rows = this.rows.map((row) => this.row(row));
    if (!rows.length) rows.push(node("p", { class: "lla-note", text: say("annotate.nothing_found") }));
    if (this.rows.length < this.total) {
      rows.push(node("button", { type: "button", class: "lla-button lla-more", onclick: () => this.load(true), text: say("annotate.more") }));
    }
    const scroll = this.list.scrollTop;
    this.list.replaceChildren(...rows);
    this.list.scrollTop = scroll;
    this.count.textContent = this.own ? say("annotate.own", this.own) : say("annotate.of", { shown: this.rows.length, total: this.total });
  }

  row(row) {
    const { say } = this.options;
    return node(
      "div",
      { role: "listitem" },
      node(
        "button",
        {
          type: "button",
          class: "lla-document",
          "data-document": row.id,
          "aria-current": row.id === this.current ? "true" : null,
          onclick: () => {
            if (!this.wide.matches) this.root.open = false;
            this.options.choose(row.id);
          },
        },
        node("span", { class: `lla-status lla-is-${row.status in STATUS_MARKS ? row.status : "new"}`, title: say(`annotate.status.${row.status}`), role: "img", "aria-label": say(`annotate.status.${row.status}`), text: STATUS_MARKS[row.status] ?? "○" }),
        node("span", { class: "lla-excerpt", text: row.excerpt }),
        row.comments ? node("span", { class: "lla-row-comments", title: say("annotate_comments.count", { count: row.comments }) }, node("span", { "aria-hidden": "true", text: `✎${row.comments}` }), node("span", { class: "lla-live", text: say("annotate_comments.count", { count: row.comments }) })) : null,
        row.apart ? node("span", { class: "lla-apart", title: say("annotate_orders.apart_mark"), text: say("annotate_orders.apart_badge") }) : null,
        this.score(row),
      ),
    );
  }

  // What the chosen order says of the document; where it says nothing, how sure the tagger is.
  score(row) {
    const own = this.picker.shown(row);
    if (!own) return node("span", { class: "lla-score", text: shortScore(row.confidence) });
    return node("span", { class: "lla-score", title: own.long }, node("span", { "aria-hidden": "true", text: own.short }), node("span", { class: "lla-live", text: own.long }));
  }

  mark(id, changes) {
    const row = this.rows.find((other) => other.id === id);
    if (!row || Object.entries(changes).every(([name, value]) => row[name] === value)) return;
    if (this.own && changes.status) this.own.done += (changes.status === "done") - (row.status === "done");
    Object.assign(row, changes);
    this.draw();
  }

  go(id) {
    this.current = id;
    this.draw();
    const row = this.list.querySelector("[aria-current]");
    if (!row) return;
    // Not scrollIntoView: that would scroll the page too.
    const { top, bottom } = this.list.getBoundingClientRect();
    const box = row.getBoundingClientRect();
    if (box.top < top) this.list.scrollTop -= top - box.top;
    if (box.bottom > bottom) this.list.scrollTop += box.bottom - bottom;
  }

  // The neighbour in the queue, fetching more when the loaded part ends; null at the ends.
  async beside(step) {
    await this.coming; // somebody may be quicker than the list
    const at = this.rows.findIndex((row) => row.id === this.current);
    if (at + step >= this.rows.length && this.rows.length < this.total) await this.load(true);
    return this.rows[at + step]?.id ?? null;
  }
}

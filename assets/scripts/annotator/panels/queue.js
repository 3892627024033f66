// The queue of documents: order, filters, search, and where the person is in it.

import { node } from "../../page/dom.js";
import { moment, shortScore } from "../../page/messages.js";
import { QueueRows } from "../state/queue_rows.js";
import { readPlace, writePlace } from "../../page/session.js";
import { OrderPicker, isOrder } from "./order_picker.js";

const STATUS_MARKS = { new: "○", imported: "◇", in_progress: "●", done: "✓" };

export class Queue {
  // options: say, fetch(query) -> {rows, total}, choose(id), labels(), ask(call, payload).
  constructor(options) {
    this.options = options;
    this.loaded = new QueueRows((rows) => options.fetch({ ...this.query(), offset: this.still(rows) }));
    this.current = null;
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
    const place = this.search ? null : readPlace("annotate");
    const asked = place ? [place.status ?? "", place.label ?? "", "", place.search ?? ""] : [this.status.value, this.label.value, this.batch.value, this.search.value];
    if (place) this.picker.value = isOrder(place.order) ? place.order : "position";
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
    [this.status.value, this.label.value, this.batch.value, this.search.value] = asked;
    for (const select of [this.status, this.label, this.batch]) if (select.selectedIndex < 0) select.value = "";
    this.count = node("span", { class: "lla-note" });
    this.root.replaceChildren(
      node("summary", {}, node("h2", { text: say("annotate.queue") }), " ", this.count),
      node("div", { class: "lla-filters" }, this.order.root, this.status, this.label, this.batch, this.search),
      this.list,
    );
  }

  // Another project: reset the filters.
  forget() {
    this.search = null;
    this.batches = [];
    this.loaded.clear();
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

  // How many rows the app still lists: a document that was done here has left a list of new ones.
  still(rows) {
    const status = this.status.value;
    return status ? rows.filter((row) => row.status === status).length : rows.length;
  }

  query() {
    return {
      order: this.order.value,
      status: this.status.value,
      label: this.label.value,
      search: this.search.value,
      batch: Number(this.batch.value),
    };
  }

  // Its order and filters stand in the address.
  writePlace() {
    const { order, status, label, search } = this.query(0);
    writePlace("annotate", { order: order === "position" ? "" : order, status, label, search });
  }

  // Back or a link: the order and the filters of the address.
  followPlace() {
    this.search = null;
    this.picker.standing = null;
    this.build();
    this.load();
  }

  async load(append = false) {
    this.writePlace();
    let taken = false;
    // A batch undone in the meantime is dropped from the filter.
    const stands = (answer) => !(taken = this.offer(answer.batches ?? []));
    const before = append ? this.loaded.rows.length : 0;
    const now = await this.loaded.load(append, stands);
    if (taken) return this.load();
    if (now) this.draw(before);
  }

  // `fresh`: the first of the rows that have come, where the focus goes on from the button that asked for more.
  draw(fresh = 0) {
    const { rows: known, total, own, more } = this.loaded;
    if (total === null) return this.list.replaceChildren();
    const { say } = this.options;
    const rows = known.map((row) => this.row(row));
    const item = (child) => node("div", { role: "listitem" }, child);
    if (!rows.length) rows.push(item(node("p", { class: "lla-note", text: say("annotate.nothing_found") })));
    if (more) {
      rows.push(item(node("button", { type: "button", class: "lla-button lla-more", onclick: () => this.load(true), text: say("annotate.more") })));
    }
    const scroll = this.list.scrollTop;
    const focused = this.list.contains(document.activeElement) && document.activeElement.dataset.document;
    this.list.replaceChildren(...rows);
    this.list.scrollTop = scroll;
    this.count.textContent = own ? say("annotate.own", own) : say("annotate.of", { shown: known.length, total });
    if (focused === false) return;
    const next = focused ? this.list.querySelector(`[data-document="${focused}"]`) : this.list.children[fresh]?.firstChild;
    next?.focus({ preventScroll: true });
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

  // The document's score in the chosen order, else the tagger's confidence.
  score(row) {
    const own = this.picker.shown(row);
    if (!own) return node("span", { class: "lla-score", text: shortScore(row.confidence) });
    return node("span", { class: "lla-score", title: own.long }, node("span", { "aria-hidden": "true", text: own.short }), node("span", { class: "lla-live", text: own.long }));
  }

  mark(id, changes, before) {
    if (this.loaded.mark(id, changes, before)) this.draw();
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

  // The neighbour in the queue; null at its ends, and where the app did not answer.
  beside(step) {
    return this.loaded.beside(this.current, step, () => this.ask(step));
  }

  async ask(step) {
    const atEnd = this.loaded.rows.at(-1)?.id === this.current;
    const query = { ...this.query(), document: this.current, backwards: step < 0 };
    const [answer] = await Promise.all([this.options.ask("find_neighbour", query), atEnd ? this.load(true) : null]);
    return answer.document;
  }
}

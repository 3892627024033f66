// The queue of documents: order, filters, search, and where the person is in it.

import { node } from "../../page/dom.js";
import { shortScore } from "../../page/messages.js";
import { readPlace, writePlace } from "../../page/session.js";
import { filterOfPlace, placeOfFilter } from "../state/filters.js";
import { QueueRows } from "../state/queue_rows.js";
import { OrderPicker, isOrder } from "./order_picker.js";
import { QueueFilter, STATUS_MARKS } from "./queue_filter.js";

export class Queue {
  // options: say, fetch(query) -> {rows, total}, choose(id), labels(), ask(call, payload), dialogs(), narrowed(): other documents, or another order,
  // isSaving(id): an edit of the document is on its way.
  constructor(options) {
    this.options = options;
    this.filter = new QueueFilter({ ...options, changed: () => this.load() });
    this.loaded = new QueueRows((rows) => options.fetch({ ...this.query(), offset: this.still(rows) }), options.isSaving);
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
    if (!this.placed) {
      const place = readPlace("annotate");
      this.picker.value = isOrder(place.order) ? place.order : "position";
      this.filter.take(filterOfPlace(place));
      this.placed = true;
    }
    this.order = this.picker;
    this.order.build();
    this.filter.build();
    this.count = node("span", { class: "lla-note" });
    const { sets, status, label, batch, search, more, marks } = this.filter;
    this.root.replaceChildren(
      node("summary", {}, node("h2", { text: say("annotate.queue") }), " ", this.count),
      sets,
      node("div", { class: "lla-filters" }, this.order.root, status, label, batch, search),
      more,
      marks,
      this.list,
    );
  }

  // Another project: reset the filters.
  forget() {
    this.placed = false;
    this.filter.forget();
    this.loaded.clear();
    this.picker.forget();
  }

  // The documents of this filter alone, in their order, from the next `build` on.
  narrow(filter) {
    this.placed = true;
    this.filter.chosenBatch = "";
    this.filter.take(filter);
    this.picker.value = "position";
    this.picker.standing = null;
  }

  // How many rows the app still lists: a document that was done here has left a list of new ones.
  still(rows) {
    const { status } = this.filter.value;
    return status ? rows.filter((row) => row.status === status).length : rows.length;
  }

  query() {
    return { order: this.order.value, filter: this.filter.value, batch: Number(this.filter.chosenBatch), with_meta: Boolean(this.filter.showMeta?.checked) };
  }

  // Its order and filters stand in the address.
  writePlace() {
    const { order, filter } = this.query();
    writePlace("annotate", { order: order === "position" ? "" : order, ...placeOfFilter(filter) });
  }

  // Back or a link: the order and the filters of the address.
  followPlace() {
    this.placed = false;
    this.picker.standing = null;
    this.build();
    this.load();
  }

  async load(append = false) {
    if (this.options.isLeft()) return;
    this.writePlace();
    let taken = false;
    // A batch undone in the meantime is dropped from the filter.
    const stands = (answer) => !(taken = this.filter.offerBatches(answer.batches ?? []));
    const before = append ? this.loaded.rows.length : 0;
    const now = await this.loaded.load(append, stands);
    if (taken) return this.load();
    if (now) this.draw(before);
    if (!append) this.options.narrowed();
  }

  // `fresh`: the first of the rows that have come, where the focus goes on from the button that asked for more.
  draw(fresh = 0) {
    const { rows: known, total, uncounted, own, more } = this.loaded;
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
    this.count.textContent = own ? say("annotate.own", own) : say("annotate.of", { shown: known.length, total: uncounted ? `${total}+` : total });
    if (focused === false) return;
    const next = focused ? this.list.querySelector(`[data-document="${focused}"]`) : this.list.children[fresh]?.firstChild;
    next?.focus({ preventScroll: true });
  }

  row(row) {
    const { say } = this.options;
    const status = say(`annotate.status.${row.status}`) + (row.reason ? ` · ${row.reason}` : "");
    return node(
      "div",
      { role: "listitem" },
      node(
        "button",
        {
          type: "button",
          class: `lla-document${row.status === "ignored" ? " lla-ignored" : ""}${row.meta?.length ? " lla-with-meta" : ""}`,
          "data-document": row.id,
          "aria-current": row.id === this.current ? "true" : null,
          onclick: () => {
            if (!this.wide.matches) this.root.open = false;
            this.options.choose(row.id);
          },
        },
        node("span", { class: `lla-status lla-is-${row.status in STATUS_MARKS ? row.status : "new"}`, title: status, role: "img", "aria-label": status, text: STATUS_MARKS[row.status] ?? "○" }),
        node("span", { class: "lla-excerpt", dir: "auto", text: row.excerpt }),
        row.comments ? node("span", { class: "lla-row-comments", title: say("annotate_comments.count", { count: row.comments }) }, node("span", { "aria-hidden": "true", text: `✎${row.comments}` }), node("span", { class: "lla-live", text: say("annotate_comments.count", { count: row.comments }) })) : null,
        row.apart ? node("span", { class: "lla-apart", title: say("annotate_orders.apart_mark"), text: say("annotate_orders.apart_badge") }) : null,
        this.score(row),
        row.meta?.length ? node("span", { class: "lla-row-meta", text: row.meta.map(([field, value]) => `${field} ${value}`).join(" · ") }) : null,
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

  // The neighbour in the queue; null at its ends, and where the app did not answer. Ignored documents are passed over.
  beside(step) {
    const wanted = this.filter.value.status === "ignored" ? () => true : ({ status }) => status !== "ignored";
    return this.loaded.beside(this.current, step, () => this.ask(step), wanted);
  }

  async ask(step) {
    const atEnd = this.loaded.rows.at(-1)?.id === this.current;
    const query = { ...this.query(), document: this.current, backwards: step < 0 };
    const [answer] = await Promise.all([this.options.ask("find_neighbour", query), atEnd ? this.load(true) : null]);
    return answer.document;
  }
}

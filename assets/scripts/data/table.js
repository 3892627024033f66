// The table of documents: rows to tick and to show, and what is done with many of them.

import { node } from "../page/dom.js";
import { speaker } from "../page/messages.js";
import { drawValue } from "../page/session.js";
import { Bulk } from "./bulk.js";
import { MESSAGES } from "./messages.js";
import { Selection } from "./selection.js";

const FOR_MANY = "ll-needs-review"; // the least right that anything done with many documents asks for (app/data/bulk.py)
const COLUMNS = ["name", "text", "split", "status", "spans", "length"];

class DocumentTable {
  constructor({ element, server, trigger }) {
    this.trigger = trigger;
    this.say = speaker(MESSAGES);
    this.selection = new Selection();
    this.value = {};
    this.filter = "";
    this.range = false;
    this.bulk = new Bulk({
      say: this.say,
      server,
      selection: this.selection,
      value: () => this.value,
      ticked: () => this.drawTicks(),
      changed: () => this.trigger("changed"),
    });
    this.table = node("div", { class: "ll-documents-scroll" });
    element.querySelector(".ll-documents").replaceChildren(this.bulk.root, this.table);
  }

  // Another page keeps what is ticked, another filter does not.
  show(value) {
    this.value = value;
    this.say.use(value.language ?? "en");
    const filter = JSON.stringify([value.project, value.filter, value.run, value.trash]);
    if (filter !== this.filter) this.selection.clear();
    this.filter = filter;
    const rows = value.rows ?? [];
    this.table.hidden = !rows.length;
    this.table.replaceChildren(node("table", { class: "ll-documents-table", "aria-label": this.say("table") }, node("thead", {}, this.head()), node("tbody", {}, ...rows.map((row) => this.row(row)))));
    this.bulk.show();
    this.drawTicks();
  }

  get ids() {
    return (this.value.rows ?? []).map(({ id }) => id);
  }

  head() {
    const { say } = this;
    this.pageBox = node("input", { type: "checkbox", "aria-label": say("tick_page"), onchange: (event) => this.tick(() => this.selection.tickAll(this.ids, event.target.checked, this.ids)) });
    const cells = COLUMNS.map((name) => node("th", { scope: "col", class: `ll-documents-${name}`, text: say(`column.${name}`) }));
    return node("tr", {}, node("th", { class: `ll-documents-tick ${FOR_MANY}` }, this.tickable ? node("label", {}, this.pageBox, node("span", { "aria-hidden": "true", text: say("tick_page") })) : null), ...cells);
  }

  get tickable() {
    return !this.value.trash;
  }

  row(row) {
    const { say } = this;
    const box = node("input", {
      type: "checkbox", "data-id": row.id, "aria-label": say("tick", { name: row.name }),
      onclick: (event) => (this.range = event.shiftKey),
      onchange: (event) => this.tick(() => this.selection.tick(row.id, event.target.checked, this.ids, this.range)),
    });
    const open = () => this.trigger("open", { document: row.id });
    const cell = (name, ...children) => node("td", { class: `ll-documents-${name}` }, ...children);
    return node(
      "tr",
      { "data-document": row.id, class: row.state === "ignored" && this.value.filter?.status !== "ignored" ? "ll-documents-ignored" : null, onclick: (event) => !event.target.closest("label, input, button") && open() },
      cell(`tick ${FOR_MANY}`, this.tickable ? node("label", {}, box) : null),
      cell("name", node("button", { type: "button", class: "ll-documents-open", title: say("open", { name: row.name }), onclick: open, text: row.name })),
      cell("text", node("span", { text: row.text })),
      cell("split", row.split),
      cell("status", node("span", { title: row.reason || null, text: row.status })),
      cell("spans", String(row.spans)),
      cell("length", String(row.length)),
    );
  }

  tick(change) {
    change();
    this.drawTicks();
    this.bulk.draw();
  }

  drawTicks() {
    const boxes = [...this.table.querySelectorAll("input[data-id]")];
    for (const box of boxes) {
      box.checked = this.selection.has(Number(box.dataset.id));
      box.closest("tr").classList.toggle("ll-documents-ticked", box.checked);
    }
    const ticked = boxes.filter((box) => box.checked).length;
    this.pageBox.checked = boxes.length > 0 && ticked === boxes.length;
    this.pageBox.indeterminate = ticked > 0 && ticked < boxes.length;
  }
}

export const mount = (widget) => {
  const table = new DocumentTable(widget);
  drawValue(widget, (value) => table.show(value));
};

// The table of labels that a person edits: colour, name, key and guideline of each.

import { node } from "../page/dom.js";
import { ColourPicker } from "./colour_picker.js";
import { newRow, pressedKey, problemOf, withLabelStudioKeys } from "./rows.js";

const TALLEST = 400; // px of a guideline; a longer one scrolls by itself

export class LabelTable {
  // options: say; changed(): a person has edited something; readOnly.
  constructor({ say, changed, readOnly = false }) {
    Object.assign(this, { say, changed, readOnly });
    this.rows = [];
    this.choices = { colours: [], keys: "" };
    this.list = node("div", { class: "ll-labels", role: "table" });
    this.picker = new ColourPicker(say, () => this.choices.colours);
    this.add = node("button", { type: "button", class: "lla-button", "data-act": "add", onclick: () => this.addRow() });
    this.presets = node("button", { type: "button", class: "lla-button", "data-act": "label_studio", onclick: () => this.useLabelStudioKeys() });
    this.acts = node("div", { class: "ll-labels-acts" }, this.add, this.presets);
    this.root = node("div", { class: "ll-labels-editor" }, this.list, this.acts, this.picker.root);
    // In a narrower window a guideline has more lines.
    new ResizeObserver(() => {
      if (this.list.clientWidth === this.width) return;
      this.width = this.list.clientWidth;
      this.list.querySelectorAll("textarea").forEach(grow);
    }).observe(this.list);
  }

  show(rows, choices) {
    this.rows = rows.map((row) => ({ ...row }));
    this.choices = choices;
    this.draw();
  }

  draw() {
    const { say } = this;
    this.add.textContent = say("labels.add");
    this.presets.textContent = say("labels.label_studio");
    this.presets.title = say("labels.label_studio_hint");
    this.acts.hidden = this.readOnly;
    this.presets.hidden = !this.rows.length;
    this.add.classList.toggle("lla-primary", !this.rows.length);
    this.picker.close();
    const heads = ["colour", "name", "hotkey", "description"].map((name) => node("span", { role: "columnheader", text: say(`labels.${name}`) }));
    const head = node("div", { class: "ll-labels-row ll-labels-head", role: "row" }, ...heads, node("span"));
    if (this.rows.length) this.list.replaceChildren(head, ...this.rows.map((row, at) => this.rowNode(row, at)));
    else this.list.replaceChildren(node("p", { class: "lla-note", text: say("labels.none") }));
  }

  called(at) {
    return this.rows[at].name.trim() || this.say("labels.unnamed", { number: at + 1 });
  }

  rowNode(row, at) {
    const { say, readOnly } = this;
    const label = this.called(at);
    const edit = (field, value) => {
      row[field] = value;
      this.edited();
    };
    const swatch = node("button", { type: "button", class: "ll-labels-swatch", "data-field": "colour", "aria-haspopup": "dialog", disabled: readOnly, onclick: () => this.picker.open(swatch, row.colour, (colour) => {
      edit("colour", colour);
      this.paint(swatch, at);
    }) });
    const name = node("input", { type: "text", maxlength: 200, "data-field": "name", disabled: readOnly, "aria-label": say("labels.name_of", { number: at + 1 }), oninput: () => edit("name", name.value) });
    name.value = row.name;
    const hotkey = node("input", { type: "text", class: "ll-labels-key", autocomplete: "off", maxlength: 1, "data-field": "hotkey", disabled: readOnly, "aria-label": say("labels.hotkey_of", { label }) });
    hotkey.value = row.hotkey;
    const press = (key) => {
      hotkey.value = key;
      edit("hotkey", key);
    };
    hotkey.addEventListener("keydown", (event) => {
      const key = pressedKey(event, this.choices.keys);
      if (key === null) return;
      event.preventDefault();
      press(key);
    });
    // The keyboard of a phone sends no keys that could be read.
    hotkey.addEventListener("input", () => press(pressedKey({ key: hotkey.value || "Backspace" }, this.choices.keys) ?? ""));
    const description = node("textarea", { rows: 1, "data-field": "description", disabled: readOnly, "aria-label": say("labels.description_of", { label }), placeholder: readOnly ? "" : say("labels.description_hint"), oninput: () => {
      edit("description", description.value);
      grow(description);
    } });
    description.value = row.description;
    requestAnimationFrame(() => grow(description));
    const remove = node("button", { type: "button", class: "lla-button lla-plain ll-labels-remove", "aria-label": say("labels.remove", { label }), title: say("labels.remove", { label }), hidden: readOnly, text: "✕", onclick: () => this.removeRow(at) });
    this.paint(swatch, at);
    const told = node("p", { class: "ll-labels-wrong", role: "alert", hidden: true });
    return node("div", { class: "ll-labels-row", role: "row", "data-row": at }, ...[swatch, name, hotkey, description, remove].map((cell) => node("div", { role: "cell" }, cell)), told);
  }

  paint(swatch, at) {
    const { colour } = this.rows[at];
    swatch.style.setProperty("--swatch", colour);
    const told = this.say("labels.colour_of", { label: this.called(at), colour: this.picker.nameOf(colour) });
    swatch.setAttribute("aria-label", told);
    swatch.title = told;
  }

  edited() {
    this.tell(problemOf(this.rows));
    this.changed();
  }

  // The message of a wrong cell stands under its row; null: none is wrong. message: of the server, else of the problem.
  tell(wrong, message = null) {
    for (const cell of this.list.querySelectorAll("[aria-invalid]")) cell.removeAttribute("aria-invalid");
    for (const told of this.list.querySelectorAll(".ll-labels-wrong")) told.hidden = true;
    if (!wrong) return;
    const row = this.list.querySelector(`[data-row="${wrong.row}"]`);
    row?.querySelector(`[data-field="${wrong.field}"]`)?.setAttribute("aria-invalid", "true");
    const told = row?.querySelector(".ll-labels-wrong");
    if (!told) return;
    told.textContent = message ?? this.say(`labels.problem.${wrong.problem}`, { other: wrong.other });
    told.hidden = false;
  }

  // Whether every row can be saved; else the first wrong cell has the focus.
  check() {
    const wrong = problemOf(this.rows);
    this.tell(wrong);
    if (wrong) this.focus(wrong.row, wrong.field);
    return !wrong;
  }

  focus(row, field = "name") {
    this.list.querySelector(`[data-row="${row}"] [data-field="${field}"]`)?.focus();
  }

  addRow() {
    this.rows.push(newRow(this.rows, this.choices));
    this.draw();
    this.focus(this.rows.length - 1);
    this.edited();
  }

  removeRow(at) {
    this.rows.splice(at, 1);
    this.draw();
    if (this.rows.length) this.focus(Math.min(at, this.rows.length - 1));
    else this.add.focus();
    this.edited();
  }

  useLabelStudioKeys() {
    this.rows = withLabelStudioKeys(this.rows);
    this.draw();
    this.edited();
  }
}

const grow = (area) => {
  area.style.height = "auto";
  area.style.height = `${Math.min(area.scrollHeight + 2, TALLEST)}px`;
};

// Twelve colours that colour-blind readers can tell apart, and any other.

import { node, pxOf } from "../page/dom.js";
import { sameColour } from "./rows.js";

const COLUMNS = 6;

export class ColourPicker {
  constructor(say, colours) {
    this.say = say;
    this.colours = colours;
    this.root = node("div", { class: "ll-palette", role: "dialog", hidden: true });
    this.root.addEventListener("keydown", (event) => this.press(event));
    document.addEventListener("pointerdown", (event) => {
      if (!this.root.contains(event.target) && event.target !== this.button) this.close();
    });
  }

  nameOf(colour) {
    const key = `labels.colour.${colour.toLowerCase()}`;
    const told = this.say(key);
    return told === key ? colour : told;
  }

  // Under `button`; choose(colour) once one is chosen.
  open(button, chosen, choose) {
    if (this.button === button) return this.close(true);
    this.button = button;
    button.setAttribute("aria-expanded", "true");
    const pick = (colour) => {
      choose(colour);
      this.close(true);
    };
    const swatches = this.colours().map((colour) =>
      node("button", { type: "button", class: "ll-labels-swatch", style: { "--swatch": colour }, title: this.nameOf(colour), "aria-label": this.nameOf(colour), "aria-pressed": String(sameColour(colour, chosen)), onclick: () => pick(colour) }),
    );
    const other = node("input", { type: "color", value: chosen.toLowerCase(), onchange: () => pick(other.value) });
    this.root.setAttribute("aria-label", this.say("labels.palette"));
    this.root.replaceChildren(node("div", { class: "ll-palette-colours" }, ...swatches), node("label", { class: "ll-palette-other" }, other, node("span", { text: this.say("labels.other_colour") })));
    const place = button.getBoundingClientRect();
    const origin = this.root.parentElement.getBoundingClientRect();
    this.root.style.left = pxOf(place.left - origin.left);
    this.root.style.top = pxOf(place.bottom - origin.top + 4);
    this.root.hidden = false;
    this.root.scrollIntoView({ block: "nearest" });
    (swatches.find((swatch) => swatch.getAttribute("aria-pressed") === "true") ?? swatches[0])?.focus();
  }

  press(event) {
    const swatches = [...this.root.querySelectorAll(".ll-labels-swatch")];
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -COLUMNS, ArrowDown: COLUMNS }[event.key];
    const at = swatches.indexOf(document.activeElement);
    if (event.key === "Escape") this.close(true);
    else if (step && at >= 0) swatches[Math.min(Math.max(at + step, 0), swatches.length - 1)].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  close(back = false) {
    const { button } = this;
    if (!button) return;
    this.button = null;
    this.root.hidden = true;
    button.setAttribute("aria-expanded", "false");
    if (back) button.focus();
  }
}

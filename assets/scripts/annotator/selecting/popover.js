// The small menu at a mark or a selection: labels, boundaries, accept, reject, delete.

import { isDark, readable } from "../../page/colour.js";
import { node, pressable } from "../../page/dom.js";
import { namedSource } from "../state/suggested.js";

const GAP = 8; // px between the menu and its line
const STATUS = 48; // px of the window's foot that belong to the status bar

// Where the free part of the window ends: on a phone the labels lie above the status bar.
const footOf = () => {
  const bars = [...document.querySelectorAll(".lla-labels")].filter((bar) => bar.offsetHeight && getComputedStyle(bar).position === "fixed");
  return Math.min(window.innerHeight - STATUS, ...bars.map((bar) => bar.getBoundingClientRect().top));
};

export class Popover {
  // options: say, labels(), choose(label), act(name) with name one of accept, reject, remove, nudge names and of `acts`,
  // acts: what else can be done with a mark (why, others, link, comment, span_history) and with a selection (comment),
  // more(mark) -> what else belongs into the menu of a mark, or null; note(mark) -> a line above the labels, or null. Both may be absent.
  // makesRoom: what stands below the sentence moves down for the menu, so that it covers no control that somebody wants next.
  constructor(root, options) {
    this.options = options;
    this.box = node("div", { class: "lla-popover", role: "dialog", hidden: true });
    this.box.addEventListener("keydown", (event) => this.goRound(event));
    this.moveTo(root);
    // With the click and not before: what moves back up must not leave the pointer.
    document.addEventListener(options.makesRoom ? "click" : "pointerdown", (event) => {
      if (!this.box.hidden && !this.box.contains(event.target) && !event.target.closest?.(".lla-bar")) this.hide();
    });
  }

  // Into the sentence that its marks are of.
  moveTo(root) {
    this.giveRoomBack();
    this.root = root;
    root.append(this.box);
  }

  get open() {
    return !this.box.hidden;
  }

  // `mark` is null for a fresh selection. `place` is relative to the root: {left, bottom}, and `top` where the menu may stand above
  // the line as well.
  show(mark, surface, place) {
    const { say } = this.options;
    const parts = [node("p", { class: "lla-surface", text: surface })];
    if (mark?.sources) parts.push(sourceLine(say, mark));
    const note = this.options.note?.(mark);
    if (note) parts.push(node("p", { class: "lla-note", text: note }));
    parts.push(this.labelGrid(mark));
    if (mark) parts.push(this.boundaries(), this.actions(mark), this.options.more?.(mark) ?? "");
    else if (this.offers("comment")) parts.push(node("div", { class: "lla-row" }, this.button("comment", "c", "")));
    this.box.setAttribute("aria-label", mark ? say("annotate.popover", { surface, label: mark.label }) : say("annotate.popover_new", { surface }));
    this.box.replaceChildren(...parts);
    this.box.hidden = false;
    const left = Math.max(0, Math.min(place.left, this.root.clientWidth - this.box.offsetWidth));
    this.box.style.left = `${left}px`;
    this.box.style.top = `${place.bottom + GAP}px`;
    if (this.options.makesRoom) this.makeRoom();
    this.clear(this.options.makesRoom ? {} : place);
  }

  makeRoom() {
    this.giveRoomBack();
    const over = this.box.getBoundingClientRect().bottom + GAP - this.root.getBoundingClientRect().bottom;
    this.root.style.paddingBottom = over > 0 ? `${over}px` : "";
  }

  giveRoomBack() {
    if (this.options.makesRoom && this.root) this.root.style.paddingBottom = "";
  }

  // Below a line at the foot of the window the menu would be cut off.
  clear({ top }) {
    const { bottom, height } = this.box.getBoundingClientRect();
    const foot = footOf();
    if (bottom <= foot) return;
    const above = top - height - GAP; // NaN where it may not stand above the line
    if (this.root.getBoundingClientRect().top + above > GAP) this.box.style.top = `${above}px`;
    else if (top !== undefined || this.options.makesRoom) window.scrollBy({ top: bottom - foot });
  }

  labelGrid(mark) {
    const dark = isDark();
    return node(
      "div",
      { class: "lla-grid" },
      ...this.options.labels().map((label) => {
        const { ink, tint } = readable(label.colour, dark);
        return pressable(
          {
            class: "lla-label-chip",
            "aria-pressed": mark ? String(mark.label === label.name) : null,
            style: { "--ink": ink, "--tint": tint },
            onclick: () => this.options.choose(label.name),
          },
          label.hotkey ? node("kbd", { text: label.hotkey }) : null,
          node("span", { text: label.name }),
        );
      }),
    );
  }

  boundaries() {
    const { say, act } = this.options;
    const nudge = (name, sign) => pressable({ class: "lla-nudge", "aria-label": say(`annotate.${name}`), title: say(`annotate.${name}`), onclick: () => act(name), text: sign });
    return node(
      "div",
      { class: "lla-nudges" },
      node("span", { text: say("annotate.left") }),
      nudge("left_out", "⟵"),
      nudge("left_in", "⟶"),
      node("span", { text: say("annotate.right") }),
      nudge("right_in", "⟵"),
      nudge("right_out", "⟶"),
    );
  }

  button(name, key, kind) {
    const { say, act } = this.options;
    return pressable({ class: `lla-button ${kind}`, "data-act": name, onclick: () => act(name) }, node("span", { text: say(`annotate.${name}`) }), node("kbd", { text: key }));
  }

  offers(name) {
    return this.options.acts.includes(name);
  }

  actions(mark) {
    const button = (...parts) => this.button(...parts);
    const own = mark.source === "person";
    const answers = own ? [button("remove", "⌫", "")] : [button("accept", "⏎", "lla-primary"), button("reject", "x", "")];
    const others = [["why", "y"], ["others", "o"], ["link", "l"], ["comment", "c"]].filter(([name]) => this.offers(name) && (own || name !== "link"));
    const { say, act } = this.options;
    // The dictionary's suggestions have a history too: the batch and the word list they come from.
    const told = this.offers("span_history") && (own || mark.sources?.some((item) => item.source === "dictionary"));
    const past = told ? pressable({ class: "lla-button lla-plain", "data-act": "span_history", onclick: () => act("span_history"), text: say("annotate.span_history") }) : null;
    return node("div", { class: "lla-row" }, ...answers, ...others.map(([name, key]) => button(name, key, "")), past);
  }

  hide() {
    this.box.hidden = true;
    this.giveRoomBack();
  }

  // The focus goes into the menu, and Tab goes round in it.
  enter() {
    this.box.querySelector("button").focus();
    return true;
  }

  // Closes the menu where the focus is in it; whether it was.
  leave() {
    const held = this.open && this.box.contains(document.activeElement);
    if (held) this.hide();
    return held;
  }

  goRound(event) {
    if (event.key !== "Tab") return;
    const buttons = this.box.querySelectorAll("button");
    const [from, to] = event.shiftKey ? [buttons[0], buttons[buttons.length - 1]] : [buttons[buttons.length - 1], buttons[0]];
    if (event.target !== from) return;
    event.preventDefault();
    to.focus();
  }
}

// The line of a suggestion's menu that says who suggests it.
const sourceLine = (say, mark) =>
  node(
    "p",
    { class: "lla-sources" },
    ...mark.sources.map((item) =>
      node("span", {}, node("i", { class: `lla-sample lla-${item.source}` }), node("span", { text: namedSource(say, item) })),
    ),
  );

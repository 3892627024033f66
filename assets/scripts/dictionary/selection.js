// What can be done with the rows that are chosen, or with all that the table has found.

import { node } from "../page/dom.js";
import { wordButton } from "./asking.js";

export class WordSelection {
  // options: say, list (id of the labels' datalist), change(operation, more).
  constructor(options) {
    Object.assign(this, options);
    this.root = node("div", { class: "ll-words-selection", hidden: true });
  }

  show({ count, total, over, all, removed }) {
    this.root.hidden = count === 0;
    if (!count) return;
    const { say } = this;
    const number = all ? total : count;
    const type = node("input", { type: "text", maxlength: 100, list: this.list, placeholder: say("dictionary.type_hint"), "aria-label": say("dictionary.type") });
    const retype = () => this.change("retype", { type: type.value.trim() });
    type.addEventListener("keydown", (event) => event.key === "Enter" && !event.isComposing && retype());
    const shown = over && all ? say("dictionary.chosen_over", { count: (total - 1).toLocaleString() }) : say("dictionary.chosen", { count: number.toLocaleString() });
    const more = !all && total > count ? wordButton(over ? say("dictionary.choose_all_over") : say("dictionary.choose_all", { count: total.toLocaleString() }), this.every) : null;
    const acts = removed
      ? [wordButton(say("dictionary.forget"), () => this.change("forget"))]
      : [type, wordButton(say("dictionary.retype"), retype), wordButton(say("dictionary.remove"), () => this.change("remove"))];
    this.root.replaceChildren(node("strong", { text: shown }), ...[more].filter(Boolean), ...acts, wordButton(say("dictionary.none"), this.clear));
  }
}

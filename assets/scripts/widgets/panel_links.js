// Links to the panels of a long page.

import { node } from "../page/dom.js";
import { drawValue } from "../page/session.js";

const goTo = (target) => {
  document.getElementById(target)?.scrollIntoView({ behavior: "smooth", block: "start" });
};

export const mount = (widget) => {
  const row = widget.element.querySelector(".ll-panel-links");
  drawValue(widget, (links) => {
    if (!Array.isArray(links)) return row.replaceChildren();
    row.replaceChildren(...links.map(({ name, target }) => node("button", { type: "button", text: name, onclick: () => goTo(target) })));
  });
};

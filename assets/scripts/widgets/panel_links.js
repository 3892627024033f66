// Links to the panels of a long page.

import { node } from "../page/dom.js";
import { drawValue } from "../page/session.js";

const goTo = (target) => {
  const panel = document.getElementById(target);
  if (!panel) return;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  panel.scrollIntoView({ behavior: still ? "auto" : "smooth", block: "start" });
};

export const mount = (widget) => {
  const row = widget.element.querySelector(".ll-panel-links");
  drawValue(widget, (links) => {
    if (!Array.isArray(links)) return row.replaceChildren();
    row.replaceChildren(...links.map(({ name, target }) => node("button", { type: "button", text: name, onclick: () => goTo(target) })));
  });
};

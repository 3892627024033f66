// A row of tabs is one tab stop: the arrows move in it, Enter turns to the tab. Gradio makes every tab a stop.

import { rove } from "./roving.js";

const roved = new WeakSet();

// Rows of tabs come with their pages: they are looked for whenever the focus moves.
export const roveTabs = () => {
  const look = () => {
    for (const row of document.querySelectorAll("[role=tablist]")) {
      if (roved.has(row)) continue;
      roved.add(row);
      rove(row, "[role=tab]", { axis: "row", current: "[aria-selected=true]" });
    }
  };
  document.addEventListener("focusin", look);
  look();
};

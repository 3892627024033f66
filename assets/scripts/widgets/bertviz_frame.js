// The frame with BertViz's page, and the button that saves it.

import { saveFile } from "../page/downloads.js";
import { drawValue, pageLanguage } from "../page/session.js";

export const mount = ({ element, props, watch, strings }) => {
  const frame = element.querySelector("iframe");
  const save = element.querySelector("button");
  save.addEventListener("click", () => saveFile(`bertviz-${props.value.view || "view"}.html`, props.value.page, "text/html"));
  drawValue({ props, watch }, ({ page = "", height = 400 }) => {
    frame.hidden = save.hidden = !page;
    save.title = strings[pageLanguage()] ?? strings.en;
    save.setAttribute("aria-label", save.title);
    if (page && frame.srcdoc !== page) frame.srcdoc = page;
    frame.style.height = `${height}px`;
  });
};

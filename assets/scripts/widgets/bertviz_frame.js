// The frame with BertViz's page, and the button that saves it.

import { isDark } from "../page/colour.js";
import { saveFile } from "../page/downloads.js";
import { mark, speaker } from "../page/messages.js";
import { drawValue, pageLanguage } from "../page/session.js";

const MESSAGES = { save: mark("As a web page (HTML)") };

export const mount = ({ element, props, watch }) => {
  const say = speaker(MESSAGES);
  const frame = element.querySelector("iframe");
  const save = element.querySelector("button");
  // The frame cannot see the theme of the page around it.
  const dress = (page) => {
    const dressed = page && page.replace("<html>", `<html class="${isDark() ? "dark" : "light"}">`);
    if (dressed && frame.srcdoc !== dressed) frame.srcdoc = dressed;
  };
  save.addEventListener("click", () => saveFile(`bertviz-${props.value.view || "view"}.html`, props.value.page, "text/html"));
  drawValue({ props, watch }, ({ page = "", height = 400 }) => {
    frame.hidden = save.hidden = !page;
    say.use(pageLanguage());
    save.title = say("save");
    save.setAttribute("aria-label", save.title);
    dress(page);
    frame.style.height = `${height}px`;
  });
  window.addEventListener("latticelens:theme", () => frame.isConnected && dress(props.value.page));
};

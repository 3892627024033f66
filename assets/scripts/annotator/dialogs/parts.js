// Parts that dialogs share: a surface in its context, rows that can be ticked, one of a few.

import { isDark, readable } from "../../page/colour.js";
import { node } from "../../page/dom.js";

// One line: what stands before a surface, the surface in its label's colour, what stands after.
export const contextNode = (before, surface, after, colour = null) => {
  const ink = colour ? readable(colour, isDark()) : null;
  return node(
    "span",
    { class: "lla-context", dir: "auto", lang: "und" },
    node("span", { text: before.replace(/\s+/g, " ") }),
    node("b", { class: "lla-hit", style: ink ? { "--ink": ink.ink, "--tint": ink.tint } : {}, text: surface.replace(/\s+/g, " ") }),
    node("span", { text: after.replace(/\s+/g, " ") }),
  );
};

// A row that can be ticked. `box` is the check box.
export const tickRow = (attributes, ticked, change, ...children) => {
  const box = node("input", { type: "checkbox", ...attributes, onchange: () => change(box.checked) });
  box.checked = ticked;
  return node("label", { class: "lla-tick" }, box, ...children);
};

// One of a few, as radio buttons under each other.
export const radioGroup = (name, chosen, choices, change) =>
  node(
    "div",
    { class: "lla-radios", role: "radiogroup" },
    ...choices.map(([value, text]) => {
      const radio = node("input", { type: "radio", name, value, onchange: () => change(value) });
      radio.checked = value === chosen;
      return node("label", {}, radio, node("span", { text }));
    }),
  );

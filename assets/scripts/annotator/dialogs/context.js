// A surface in its context, as one line: what stands before it, the surface in its label's colour, what stands after.

import { isDark, readable } from "../../page/colour.js";
import { node } from "../../page/dom.js";

const CONTEXT = 24; // characters on either side

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

export const contextOf = (offsets, span) => ({
  before: offsets.slice(Math.max(0, span.start - CONTEXT), span.start),
  surface: offsets.slice(span.start, span.end),
  after: offsets.slice(span.end, Math.min(offsets.length, span.end + CONTEXT)),
});

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

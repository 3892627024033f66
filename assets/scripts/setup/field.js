// A field of the dialog with its name above it and what is wrong with it under it.

import { node } from "../page/dom.js";

export const field = (name, control, more = {}) => {
  const wrong = node("p", { class: "ll-setup-wrong", role: "alert", hidden: true });
  const root = node("label", { class: `ll-setup-field ${more.class ?? ""}` }, node("span", { text: name }), control);
  const tell = (message) => {
    wrong.textContent = message ?? "";
    wrong.hidden = !message;
    if (message) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  };
  return { root: node("div", { class: "ll-setup-block" }, root, wrong), control, tell };
};

export const choice = (options, chosen, onchange) => {
  const select = node("select", { onchange: () => onchange(select.value) }, ...options.map((option) => optionNode(option)));
  select.value = chosen;
  return select;
};

// [value, text], or {group, options}.
const optionNode = (option) =>
  option.group ? node("optgroup", { label: option.group }, ...option.options.map(optionNode)) : node("option", { value: option[0], text: option[1] });

// A button that lets a person choose files. take(files)
export const filePicker = (text, multiple, take) => {
  const input = node("input", { type: "file", multiple, class: "ll-setup-file", onchange: () => {
    const files = [...input.files];
    input.value = "";
    if (files.length) take(files);
  } });
  return node("label", { class: "lla-button" }, input, node("span", { text }));
};

// Rows that are left out, behind a line that counts them.
export const problemList = (summary, lines) =>
  lines.length ? node("details", { class: "ll-setup-problems" }, node("summary", { text: summary }), node("ul", {}, ...lines.map((text) => node("li", { text })))) : null;

// The index of the Settings page: links in a list beside the section, on a narrow page a choice above it. The section that the
// address names is shown, else the first. Gradio draws the sections when it likes, so a rule shows one, and not their elements.

import { node } from "../page/dom.js";
import { addressOf, drawValue, onMoved, onPlace, readPlace, writePlace } from "../page/session.js";

const PAGE = "settings";

// The name of the section to show; "" where there is none.
export const sectionAt = (groups, asked) => {
  const names = groups.flatMap(({ sections }) => sections.map(({ name }) => name));
  return names.includes(asked) ? asked : names[0] ?? "";
};

export const mount = (widget) => {
  const host = widget.element.firstElementChild;
  const rule = node("style");
  let value = { groups: [] };
  let links = [];
  let choice = null;

  const showSection = () => {
    const name = sectionAt(value.groups, readPlace(PAGE).section);
    const others = `.ll-settings-section:not(#settings-section-${name}) { display: none !important; }`;
    rule.textContent = name && `#settings-section-${name}.ll-settings-section.column { display: flex !important; } ${others}`;
    for (const link of links) {
      link.href = addressOf(PAGE, { section: link.dataset.section });
      if (link.dataset.section === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (choice) choice.value = name;
  };

  const linkTo = ({ name, title }) => node("a", { href: "#", "data-section": name, text: title });
  const choose = () => {
    writePlace(PAGE, { section: choice.value }, true);
    showSection();
  };

  drawValue(widget, (given) => {
    if (!Array.isArray(given.groups)) return;
    value = given;
    const lists = given.groups.map(({ title, sections }) => node("div", {}, node("p", { text: title }), node("ul", {}, ...sections.map((one) => node("li", {}, linkTo(one))))));
    const options = given.groups.map(({ title, sections }) => node("optgroup", { label: title }, ...sections.map((one) => node("option", { value: one.name, text: one.title }))));
    choice = node("select", { onchange: choose }, ...options);
    const list = node("nav", { class: "ll-index-list", "aria-label": given.title }, ...lists);
    host.replaceChildren(rule, list, node("label", { class: "ll-index-choice" }, node("span", { text: given.label }), choice));
    links = [...list.querySelectorAll("a")];
    showSection();
  });
  onPlace(PAGE, () => {
    showSection();
    scrollTo(0, 0);
  });
  onMoved(showSection);
};

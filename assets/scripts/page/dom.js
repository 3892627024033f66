// Builds DOM nodes from plain data. Corpus text is hostile: it only ever goes in as text nodes.

export const node = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") made.textContent = value;
    else if (name === "style") for (const [key, item] of Object.entries(value)) made.style.setProperty(key, item);
    else if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
};

// A button whose press leaves the selection in the text alone.
export const pressable = (attributes, ...children) => {
  const button = node("button", { type: "button", ...attributes }, ...children);
  button.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse") event.preventDefault();
  });
  return button;
};

// Whether letters belong to the control that has the focus.
export const isTyping = (target) => {
  if (!(target instanceof HTMLElement)) return false;
  if (target.tagName === "INPUT") return !/^(checkbox|radio|range|button)$/.test(target.type);
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName);
};

export const onApple = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform || "");

export const pxOf = (value) => `${value}px`;

// Builds DOM nodes from plain data. Corpus text is hostile: it only ever goes in as text nodes.

const node = (tag, attributes = {}, ...children) => {
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

const shortScore = (score) => {
  if (typeof score !== "number") return "";
  return score >= 0.995 ? "1.0" : score.toFixed(2).replace(/^0/, "");
};

// A date and a time as the page's language writes them; where the browser speaks that language, in its own way.
const moment = (say, at, options = {}) => {
  const own = navigator.language.toLowerCase().startsWith(say.language);
  return new Date(at).toLocaleString(own ? [] : say.language, { hour12: false, ...options });
};

const clock = (date) => date.toLocaleTimeString([], { hour12: false });

// A button whose press leaves the selection in the text alone.
const pressable = (attributes, ...children) => {
  const button = node("button", { type: "button", ...attributes }, ...children);
  button.addEventListener("pointerdown", (event) => {
    if (event.pointerType === "mouse") event.preventDefault();
  });
  return button;
};

// Whether letters belong to the control that has the focus.
const isTyping = (target) => {
  if (!(target instanceof HTMLElement)) return false;
  if (target.tagName === "INPUT") return !/^(checkbox|radio|range|button)$/.test(target.type);
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName);
};

const onApple = /Mac|iPhone|iPad/.test(navigator.platform || "");

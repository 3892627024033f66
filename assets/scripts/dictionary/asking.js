// How the widgets of the Dictionary page ask the server, and how they follow long work.

import { node } from "../page/dom.js";
import { askServer } from "../page/session.js";

// `area` is the beginning of the widget's keys.
export const asker = (server, say, tell, area) => async (name, payload = {}) => {
  const answer = await askServer(server, name, payload);
  if (answer.ok) return answer;
  tell(answer.message ?? say(`${area}.unreachable`), true);
  return null;
};

export const wordButton = (text, onclick, more = {}) => node("button", { type: "button", class: "lla-button", text, onclick, ...more });

export const wordChoice = (label, options, chosen, onchange) =>
  node(
    "label",
    { class: "ll-words-choice" },
    node("span", { text: label }),
    node(
      "select",
      { onchange: (event) => onchange(event.target.value) },
      ...options.map(([value, text]) => node("option", { value, text, selected: value === chosen })),
    ),
  );

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

// A bar for work that takes more than a moment; it looks again until the work has ended.
export class WorkBar {
  // options: say, ask, state, stop (names of server functions), ended(state).
  constructor(options) {
    Object.assign(this, options);
    this.root = node("div", { class: "ll-words-work", role: "status", hidden: true });
    this.seen = null; // the number of the work that was told last; what ended before the page opened is old
  }

  async follow(first) {
    let state = first ?? (await this.ask(this.state));
    if (!state || !("number" in state)) return;
    const fresh = first || (this.seen !== null && state.number > this.seen);
    const turn = (this.turn = (this.turn ?? 0) + 1);
    while (state?.running) {
      this.draw(state);
      await new Promise((resolve) => setTimeout(resolve, 250));
      if (turn !== this.turn) return;
      state = (await this.ask(this.state)) ?? state;
    }
    this.root.hidden = true;
    const told = fresh || this.shown === state.number;
    this.seen = state.number;
    this.shown = null;
    if (told) this.ended(state);
  }

  draw(state) {
    this.shown = state.number;
    this.root.hidden = false;
    const share = Math.round(100 * state.fraction);
    const doing = state.doing ? this.say(`dictionary.doing.${state.doing}`) : this.say("dictionary.doing.begin");
    if (!this.bar) {
      this.bar = node("progress", { max: 100, value: 0 });
      this.words = node("span");
      this.root.replaceChildren(this.words, this.bar, wordButton(this.say("dictionary.stop"), () => this.ask(this.stop)));
    }
    this.words.textContent = `${doing} ${share} % ${state.left}`.trim();
    this.bar.value = share;
    this.bar.setAttribute("aria-label", doing);
  }
}

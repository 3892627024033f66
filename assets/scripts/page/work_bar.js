// Long work of the app, followed until it ends.

import { node } from "./dom.js";
import { wholePercent } from "../text/percent.js";

// A bar for work that takes more than a moment; it looks again until the work has ended.
export class WorkBar {
  // options: say("stop" or "doing.…"), ask, state, stop (names of server functions), ended(state).
  constructor(options) {
    Object.assign(this, options);
    this.root = node("div", { class: "ll-work", role: "status", hidden: true });
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
      const next = await this.ask(this.state);
      if (turn !== this.turn) return;
      state = next ?? state;
    }
    this.root.hidden = true;
    const told = fresh || this.shown === state.number;
    this.seen = state.number;
    this.shown = null;
    if (told) this.ended(state);
  }

  // Another project is shown: what goes on in the one before is not followed here.
  leave() {
    this.turn = (this.turn ?? 0) + 1;
    this.root.hidden = true;
    this.seen = null;
    this.shown = null;
  }

  draw(state) {
    this.shown = state.number;
    this.root.hidden = false;
    const done = wholePercent(state.fraction);
    const doing = this.say(`doing.${state.doing || "begin"}`);
    if (!this.bar) {
      this.bar = node("progress", { max: 100, value: 0 });
      this.words = node("span");
      this.root.replaceChildren(this.words, this.bar, node("button", { type: "button", class: "lla-button", text: this.say("stop"), onclick: () => this.ask(this.stop) }));
    }
    this.words.textContent = `${doing} ${done}% ${state.left}`.trim();
    this.bar.value = done;
    this.bar.setAttribute("aria-label", doing);
  }
}

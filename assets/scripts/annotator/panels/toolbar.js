// The buttons above the text: what waits to be done, undo, the way through the queue.

import { node, onApple, pressable } from "../../page/dom.js";

export class Toolbar {
  constructor(bench) {
    this.bench = bench;
    this.root = node("div", { class: "lla-toolbar" });
    this.state = node("span", { class: "lla-state", role: "status" });
  }

  draw() {
    const { bench, root } = this;
    const { say } = bench;
    const waiting = bench.acceptableSuggestions().length;
    const button = (name, key, enabled, kind = "", sign = null) =>
      pressable(
        { class: `lla-button ${kind}${sign ? " lla-sign" : ""}`, "data-action": name, disabled: !enabled, title: say(`annotate_keys.${name}`) + (key ? ` (${key})` : ""), "aria-label": sign && say(`annotate.${name}`), onclick: () => bench[name]() },
        node("span", { text: sign ?? (name === "accept_all" && waiting ? say("annotate.accept_all_count", { count: waiting.toLocaleString(say.language) }) : say(`annotate.${name}`)) }),
        key ? node("kbd", { text: key }) : null,
      );
    const done = bench.annotation.status === "done";
    const toAsk = bench.activeRun && !bench.activeRun.answered;
    const ask = button("ask_tagger", "", bench.activeRun, toAsk ? "lla-primary" : "");
    if (!bench.activeRun) ask.title = say("annotate.no_active");
    // On a phone one row: what waits to be done, and the rest behind the dots.
    const accept = button("accept", "⏎", waiting, waiting ? "lla-primary" : "");
    (waiting ? ask : accept).classList.add("lla-seldom");
    const finish = button(done ? "reopen" : "done", "d", true, "lla-finish");
    finish.setAttribute("aria-label", say(`annotate.${done ? "reopen" : "done"}`));
    finish.dataset.sign = done ? "↺" : "✓";
    const more = button("seldom", "", true, "lla-dots", "⋯");
    more.setAttribute("aria-expanded", root.classList.contains("lla-open"));
    const focused = root.contains(document.activeElement) ? document.activeElement.dataset.action : null;
    root.replaceChildren(
      ask,
      accept,
      button("accept_all", "⇧⏎", waiting, "lla-seldom"),
      button("stream", "v", true, "lla-narrow lla-seldom"),
      button("undo", onApple ? "⌘Z" : "^Z", bench.annotation.past.length, "", "↶"),
      button("redo", "", bench.annotation.future.length, "lla-seldom", "↷"),
      button("previous", "k", true, "", "‹"),
      button("next", "j", true, "", "›"),
      finish,
      button("history", "", true, "lla-plain lla-seldom"),
      button("keys", "?", true, "lla-plain lla-seldom"),
      more,
      this.state,
    );
    if (!focused) return;
    const again = root.querySelector(`[data-action="${focused}"]:enabled`);
    if (again) again.focus();
    else bench.focusText(); // nothing is left to undo, for one
  }

  unfold() {
    this.root.classList.toggle("lla-open");
    this.draw();
  }
}

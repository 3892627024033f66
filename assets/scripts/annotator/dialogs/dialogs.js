// The dialogs: the list of keys, the history, and those of the tools. `<dialog>` keeps the focus inside and closes on
// Escape by itself.

import { node } from "../../page/dom.js";
import { moment } from "../../page/messages.js";
import { linkName } from "../../text/links.js";
import { KEY_GROUPS, shownKeys } from "../selecting/keys.js";

export class Dialogs {
  // lost(): the focus came back to nothing, because what opened the dialog is gone.
  constructor(root, say, lost) {
    this.say = say;
    this.closed = null;
    this.box = node("dialog", { class: "lla-dialog" });
    this.box.addEventListener("click", (event) => {
      if (event.target === this.box) this.box.close();
    });
    this.box.addEventListener("close", () => {
      if (this.box.open) return; // the next dialog was opened in the same moment
      this.leave();
      if (document.activeElement === document.body) lost();
    });
    root.append(this.box);
  }

  get opened() {
    return this.box.open;
  }

  // actions: the buttons beside the one that closes, whose text is `later`; closed(): however it went away.
  open({ title, content, actions = [], wide = false, later = this.say("annotate.close"), closed = null }) {
    this.leave();
    this.closed = closed;
    const close = node("button", { type: "button", class: "lla-button", "data-act": "close", onclick: () => this.box.close(), text: later });
    this.box.setAttribute("aria-label", title);
    this.box.classList.toggle("lla-wide", wide);
    // Focusable, and so named, because a long one is scrolled with the arrow keys.
    const body = node("div", { class: "lla-dialog-body", role: "region", "aria-label": title, tabIndex: 0 }, ...content);
    this.box.replaceChildren(node("h2", { text: title }), body, node("div", { class: "lla-row lla-dialog-acts" }, ...actions, close));
    if (!this.box.open) this.box.showModal();
    (actions.length ? this.box.querySelector("input:not(:disabled), select, button") : close)?.focus();
  }

  leave() {
    const { closed } = this;
    this.closed = null;
    closed?.();
  }

  show(title, ...content) {
    this.open({ title, content });
  }

  keys() {
    const { say } = this;
    const shown = (keys) => shownKeys(keys).replace("click", say("annotate.click")).replace("drag", say("annotate.drag"));
    const groups = KEY_GROUPS.map(([name, keys]) => {
      const rows = keys.filter(([key]) => key).map(([key, does]) => node("tr", {}, node("td", {}, node("kbd", { text: shown(key) })), node("td", { text: say(`annotate_keys.${does}`) })));
      return node("section", { class: "lla-key-group" }, node("h3", { text: say(`annotate_keys.group.${name}`) }), node("table", { class: "lla-keys" }, node("tbody", {}, ...rows)));
    });
    this.open({ title: say("annotate_keys.title"), content: [node("div", { class: "lla-key-groups" }, ...groups), node("p", { class: "lla-note", text: say("annotate_keys.note") })], wide: true });
  }

  // more: how many suggestions wait behind these.
  acceptAll(count, more, then) {
    const { say } = this;
    const number = (value) => value.toLocaleString(say.language);
    const accept = node("button", {
      type: "button", class: "lla-button lla-primary", "data-act": "accept_all", text: say("annotate.accept_all"),
      onclick: () => {
        this.box.close();
        then();
      },
    });
    const content = [node("p", { text: say("annotate.accept_all.undo") })];
    if (more) content.push(node("p", { text: say("annotate.more_suggestions", { count: number(more) }) }));
    this.open({ title: say("annotate.accept_all.ask", { count: number(count) }), content, actions: [accept], later: say("annotate.cancel") });
  }

  history(events, surface, restore) {
    const items = events.map((event) => {
      // The current name of a label, followed by its former name if different.
      const named = (label) => (event.called[label] ? `${label} (${event.called[label]})` : label);
      const spanText = (sign, span) => node("li", { text: `${sign} ${named(span.label)}  ${surface(span)}${span.link ? `  ↗ ${linkName(this.say, span.link)}` : ""}` });
      const changes = [
        ...event.added.map((span) => spanText("+", span)),
        ...event.removed.map((span) => spanText("−", span)),
        ...event.rejected.map((span) => spanText("✕", span)),
      ];
      const back = node("button", { type: "button", class: "lla-button", onclick: () => restore(event.revision), text: this.say("annotate.go_back") });
      return node(
        "li",
        { class: "lla-event" },
        node("p", { text: `${moment(this.say, event.at)} · ${event.user} · ${this.say(`annotate.action.${event.action}`)}${event.reason ? ` · ${event.reason}` : ""}` }),
        changes.length ? node("ul", {}, ...changes) : null,
        event.current ? node("p", { class: "lla-note", text: this.say("annotate.go_back_current") }) : back,
      );
    });
    const content = items.length ? node("ol", { class: "lla-history" }, ...items) : node("p", { text: this.say("annotate.history_empty") });
    this.show(this.say("annotate.history_title"), content);
  }

  close() {
    if (this.box.open) this.box.close();
  }
}

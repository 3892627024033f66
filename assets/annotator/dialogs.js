// The dialogs: the list of keys and the history. `<dialog>` keeps the focus inside and closes on Escape by itself.

const KEYS = [
  ["← → ↑ ↓", "move"],
  ["Shift + ← →", "extend"],
  ["Alt + ← →", "word"],
  ["1 2 3 … q w e", "label"],
  ["Enter", "accept"],
  ["Shift + Enter", "accept_all"],
  ["x", "reject"],
  ["Backspace, Delete", "remove"],
  ["Tab", "tab"],
  ["[", "left_out"],
  ["]", "right_out"],
  ["Shift + [", "left_in"],
  ["Shift + ]", "right_in"],
  ["Ctrl + Z", "undo"],
  ["Ctrl + Shift + Z", "redo"],
  ["j", "next"],
  ["k", "previous"],
  ["d", "done"],
  ["Esc", "escape"],
  ["?", "keys"],
];

class Dialogs {
  constructor(root, say) {
    this.say = say;
    this.box = node("dialog", { class: "lla-dialog" });
    this.box.addEventListener("click", (event) => {
      if (event.target === this.box) this.box.close();
    });
    root.append(this.box);
  }

  get open() {
    return this.box.open;
  }

  show(title, ...content) {
    const close = node("button", { type: "button", class: "lla-button", onclick: () => this.box.close(), text: this.say("annotate.close") });
    this.box.setAttribute("aria-label", title);
    this.box.replaceChildren(node("h3", { text: title }), ...content, node("div", { class: "lla-row" }, close));
    if (!this.box.open) this.box.showModal();
    close.focus();
  }

  keys() {
    const rows = KEYS.map(([keys, name]) => {
      const shown = onApple ? keys.replace("Ctrl", "⌘").replace("Alt", "⌥") : keys;
      return node("tr", {}, node("td", {}, node("kbd", { text: shown })), node("td", { text: this.say(`annotate.key.${name}`) }));
    });
    this.show(this.say("annotate.keys_title"), node("table", { class: "lla-keys" }, node("tbody", {}, ...rows)));
  }

  history(events, surface, restore) {
    const spanText = (sign, span) => node("li", { text: `${sign} ${span.label}  ${surface(span)}` });
    const items = events.map((event) => {
      const changes = [
        ...event.added.map((span) => spanText("+", span)),
        ...event.removed.map((span) => spanText("−", span)),
        ...event.rejected.map((span) => spanText("✕", span)),
      ];
      const back = node("button", { type: "button", class: "lla-button", onclick: () => restore(event.revision), text: this.say("annotate.restore") });
      return node(
        "li",
        { class: "lla-event" },
        node("p", { text: `${new Date(event.at).toLocaleString([], { hour12: false })} · ${event.user} · ${this.say(`annotate.action.${event.action}`)}` }),
        changes.length ? node("ul", {}, ...changes) : null,
        event.current ? node("p", { class: "lla-note", text: this.say("annotate.restore_current") }) : back,
      );
    });
    const content = items.length ? node("ol", { class: "lla-history" }, ...items) : node("p", { text: this.say("annotate.history_empty") });
    this.show(this.say("annotate.history_title"), content);
  }

  close() {
    if (this.box.open) this.box.close();
  }
}

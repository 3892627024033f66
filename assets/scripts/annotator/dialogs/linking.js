// The dialog that links a span to an entry of a knowledge base: a search box over a list, led by the keyboard.

import { node } from "../../page/dom.js";
import { NIL, linkName, sameLink } from "../../text/links.js";

const PAUSE = 150; // ms after the last key before the search goes out

export class Linking {
  // options: say, dialogs, ask(name, payload), leave(page), apply(mark, link or null)
  constructor(options) {
    this.options = options;
    this.asked = 0;
  }

  open(document, mark, surface) {
    const { say, dialogs } = this.options;
    Object.assign(this, { document, mark, entries: [], at: 0 });
    this.box = node("input", {
      type: "search", class: "lla-link-search", role: "combobox", autocomplete: "off", maxlength: "200", value: surface, "aria-label": say("annotate_link.search"), "aria-expanded": "true", "aria-controls": "lla-link-list",
      oninput: () => this.later(), onkeydown: (event) => this.key(event),
    });
    this.list = node("ul", { id: "lla-link-list", class: "lla-link-list", role: "listbox", "aria-label": say("annotate_link.entries") });
    this.told = node("p", { class: "lla-note", role: "status" });
    const now = mark.link ? node("p", { class: "lla-link-now", text: say("annotate_link.now", { name: linkName(say, mark.link) }) }) : null;
    const act = (name, link) => node("button", { type: "button", class: "lla-button", "data-act": `link_${name}`, onclick: () => this.choose(link), text: say(`annotate_link.${name}`) });
    const actions = [act("nil", { id: NIL }), ...(mark.link ? [act("clear", null)] : [])];
    const content = [...(now ? [now] : []), this.box, this.told, this.list];
    dialogs.open({ title: say("annotate_link.title", { surface, label: mark.label }), content, actions, wide: true });
    this.box.focus();
    this.box.select();
    this.search("");
  }

  later() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.search(this.box.value), PAUSE);
  }

  async search(text) {
    const asked = (this.asked += 1);
    const { start, end } = this.mark;
    const answer = await this.options.ask("find_entries", { document: this.document, start, end, text });
    if (asked !== this.asked || !answer.ok || !this.list.isConnected) return;
    const typed = text.trim();
    const own = typed && !answer.entries.some(({ id }) => id === typed) ? [{ id: typed, name: "", source: "", bare: true }] : [];
    this.entries = [...answer.entries, ...own];
    this.at = 0;
    this.draw(answer);
  }

  draw({ entries, bases }) {
    const { say } = this.options;
    const told = entries.length ? say("annotate_link.found", { count: entries.length }) : say(bases ? "annotate_link.none" : "annotate_link.no_base");
    this.told.replaceChildren(node("span", { text: told }));
    if (!bases) this.told.append(" ", node("button", { type: "button", class: "lla-button", "data-act": "to_data", onclick: () => this.options.leave("data"), text: say("annotate_link.to_data") }));
    this.list.replaceChildren(...this.entries.map((entry, at) => this.row(entry, at)));
    this.point();
  }

  row(entry, at) {
    const { say } = this.options;
    const share = (value) => value.toFixed(2);
    const is = this.mark.link && sameLink(this.mark.link, entry);
    const row = node("li", { id: `lla-link-${at}`, class: "lla-link-row", role: "option", "aria-selected": "false", onclick: () => this.choose(entry) });
    if (entry.bare) {
      row.append(node("b", { text: say("annotate_link.by_id", { id: entry.id }) }));
      return row;
    }
    const parts = { score: share(entry.score), name: share(entry.parts.name), context: share(entry.parts.context), earlier: share(entry.parts.earlier) };
    row.append(
      node("span", { class: "lla-link-head" }, node("b", { text: entry.name }), is ? node("span", { text: "✓" }) : null, node("code", { text: entry.id }), entry.type ? node("span", { text: entry.type }) : null, node("span", { class: "lla-link-score", title: say("annotate_link.score", parts), text: parts.score })),
      node("span", { class: "lla-link-more", text: [entry.alias, entry.description, entry.source].filter(Boolean).join(" · ") }),
    );
    return row;
  }

  point() {
    const rows = [...this.list.children];
    rows.forEach((row, at) => row.setAttribute("aria-selected", String(at === this.at)));
    const row = rows[this.at];
    if (row) this.box.setAttribute("aria-activedescendant", row.id);
    else this.box.removeAttribute("aria-activedescendant");
    row?.scrollIntoView({ block: "nearest" });
  }

  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.isComposing || (!step && event.key !== "Enter")) return;
    event.preventDefault();
    const { length } = this.entries;
    if (step && length) {
      this.at = (this.at + step + length) % length;
      this.point();
    } else if (event.key === "Enter" && length) this.choose(this.entries[this.at]);
  }

  choose(entry) {
    clearTimeout(this.waiting);
    this.asked += 1; // an answer on its way comes too late
    this.options.dialogs.close();
    this.options.apply(this.mark, entry && { id: entry.id, name: entry.name, source: entry.source });
  }
}

// The command palette: a field over a list of all that can be done and gone to. Ctrl+K or ⌘K opens it on every page.

import { node, onApple } from "../page/dom.js";
import { keepFocus } from "../page/focus.js";
import { speaker } from "../page/messages.js";
import { rove } from "../page/roving.js";
import { askServer, onMoved, pageLanguage } from "../page/session.js";
import { roveTabs } from "../page/tabs.js";
import { choiceGroups } from "./choices.js";
import { ranked } from "./matching.js";
import { MESSAGES } from "./messages.js";

const PAUSE = 150; // ms without a key after which the texts are searched
const MOST = 60; // choices of a group
const OPTION = "ll-palette-option";

class Palette {
  constructor(host, server) {
    this.server = server;
    this.say = speaker(MESSAGES);
    this.choices = [];
    this.at = 0;
    this.asked = 0;
    this.forget();
    this.button = node("button", { type: "button", class: "ll-palette-open", "aria-haspopup": "dialog", onclick: () => this.open() }, node("span", { "aria-hidden": "true", text: "⌕" }), node("kbd", { text: onApple ? "⌘K" : "Ctrl K" }));
    this.list = node("div", { id: "ll-palette-list", role: "listbox" });
    this.none = node("p", { class: "ll-palette-none" });
    this.told = node("p", { class: "ll-palette-told", role: "status" });
    this.field = node("input", {
      type: "text", role: "combobox", autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "go",
      "aria-autocomplete": "list", "aria-expanded": "true", "aria-controls": "ll-palette-list",
      oninput: (event) => this.type(event.isComposing),
    });
    this.field.addEventListener("compositionend", () => this.type(false));
    this.dialog = node("dialog", { class: "ll-palette-dialog" }, this.field, this.list, this.none, this.told);
    this.dialog.addEventListener("keydown", (event) => this.press(event));
    this.dialog.addEventListener("click", (event) => this.click(event));
    this.list.addEventListener("pointermove", ({ target }) => this.point(this.optionOf(target)));
    document.addEventListener("keydown", (event) => this.summon(event), { capture: true });
    host.append(this.button, this.dialog);
    onMoved(() => this.name());
    this.name();
  }

  forget() {
    this.places = { projects: [], runs: [] };
    this.documents = [];
  }

  name() {
    this.say.use(pageLanguage());
    const name = this.say("palette.open");
    this.button.setAttribute("aria-label", name);
    this.button.title = `${name} (${onApple ? "⌘K" : "Ctrl+K"})`;
    this.dialog.setAttribute("aria-label", name);
    this.list.setAttribute("aria-label", name);
    this.field.setAttribute("aria-label", this.say("palette.placeholder"));
    this.field.placeholder = this.say("palette.placeholder");
  }

  summon(event) {
    const chord = (onApple ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey) && !event.shiftKey && !event.altKey;
    if (!chord || event.code !== "KeyK" && event.key.toLowerCase() !== "k") return;
    if (!this.dialog.open && document.querySelector("dialog:modal")) return; // another dialog waits for its answer
    event.preventDefault();
    event.stopPropagation();
    if (this.dialog.open) this.dialog.close();
    else this.open();
  }

  async open() {
    this.forget();
    this.field.value = "";
    this.dialog.showModal();
    this.field.focus();
    this.draw();
    const places = await askServer(this.server, "list_places");
    if (!places.ok || !this.dialog.open) return;
    this.places = places;
    this.draw();
  }

  type(composing) {
    if (composing) return;
    this.at = 0;
    this.draw();
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.search(), PAUSE);
  }

  async search() {
    const asked = (this.asked += 1);
    const answer = await askServer(this.server, "find_documents", { search: this.field.value.slice(0, 200) });
    if (asked !== this.asked || !this.dialog.open) return;
    this.documents = answer.ok ? answer.documents : [];
    this.draw();
  }

  // The texts were searched by the app: they contain what is typed, wherever it stands.
  groups() {
    const typed = this.field.value.trim();
    const groups = choiceGroups(this.say, this.places, this.documents);
    const searched = groups.filter(({ name, choices }) => name === "documents" && choices.length);
    return [...ranked(typed, groups.filter(({ name }) => name !== "documents")), ...searched];
  }

  draw() {
    const groups = this.groups().map(({ name, choices }) => ({ name, choices: choices.slice(0, MOST) }));
    this.choices = groups.flatMap(({ choices }) => choices);
    this.at = Math.min(this.at, Math.max(0, this.choices.length - 1));
    let number = 0;
    this.list.replaceChildren(
      ...groups.map(({ name, choices }) =>
        node(
          "div",
          { role: "group", "aria-labelledby": `ll-palette-${name}` },
          node("div", { class: "ll-palette-group", id: `ll-palette-${name}`, text: this.say(`palette.group.${name}`) }),
          ...choices.map(({ text, note, key }) =>
            node("div", { role: "option", id: `${OPTION}-${number}`, "data-at": number++ }, node("span", { dir: "auto", text }), note ? node("small", { text: note }) : null, key ? node("kbd", { text: key }) : null),
          ),
        ),
      ),
    );
    const count = this.choices.length;
    this.list.hidden = !count;
    this.none.textContent = count ? "" : this.say("palette.none");
    this.told.textContent = count ? this.say("palette.results", { count }) : "";
    this.mark();
  }

  mark() {
    for (const option of this.list.querySelectorAll("[role=option]")) option.setAttribute("aria-selected", String(Number(option.dataset.at) === this.at));
    const chosen = document.getElementById(`${OPTION}-${this.at}`);
    if (!chosen) return this.field.removeAttribute("aria-activedescendant");
    this.field.setAttribute("aria-activedescendant", chosen.id);
    chosen.scrollIntoView({ block: "nearest" });
  }

  press(event) {
    if (event.isComposing) return;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    const count = this.choices.length;
    // The field is the one tab stop: from it the browser would lead out of the page.
    if (event.key === "Tab") return event.preventDefault();
    if (event.key === "Enter") this.choose(this.at);
    else if (event.key in steps && count) {
      const next = this.at + steps[event.key];
      this.at = Math.abs(steps[event.key]) === 1 ? (next + count) % count : Math.max(0, Math.min(count - 1, next));
      this.mark();
    } else return;
    event.preventDefault();
  }

  optionOf(target) {
    const option = target.closest("[role=option]");
    return option ? Number(option.dataset.at) : -1;
  }

  point(at) {
    if (at < 0 || at === this.at) return;
    this.at = at;
    for (const option of this.list.querySelectorAll("[role=option]")) option.setAttribute("aria-selected", String(Number(option.dataset.at) === at));
    this.field.setAttribute("aria-activedescendant", `${OPTION}-${at}`);
  }

  click(event) {
    if (event.target === this.dialog) return this.dialog.close();
    const at = this.optionOf(event.target);
    if (at >= 0) this.choose(at);
  }

  // Closing gives the focus back to where it was; what was chosen may take it on from there.
  choose(at) {
    const chosen = this.choices[at];
    if (!chosen) return;
    this.dialog.close();
    chosen.run();
  }
}

// The palette is on every page, and with it what the keyboard finds on every page.
export const mount = ({ element, server }) => {
  roveTabs();
  keepFocus();
  new Palette(element.querySelector(".ll-palette"), server);
  rove(document.getElementById("ll-top"), ".ll-palette-open, #ll-language, #ll-theme");
};

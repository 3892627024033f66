// Relations between spans: a list beside the text, and those of one span in its menu. Choosing a span shows those that touch
// it; the marks at their other ends light up. Read only.

import { isDark, readable } from "../../page/colour.js";
import { node, pressable } from "../../page/dom.js";
import { markKey } from "../../text/spans.js";
import { excerpt } from "../../text/surfaces.js";

const MOST_RELATIONS = 200; // rows drawn at once
const TOLD_RELATIONS = 3; // in the name of a mark for screen readers
const RELATION_EXCERPT = 40; // characters of an end

export class RelationPanel {
  // options: say, sentence, colour(label), go(end): shows a span or its place
  constructor(options) {
    this.options = options;
    this.heading = node("h2");
    this.list = node("ul", { class: "lla-relation-list", onkeydown: (event) => this.step(event), onfocusin: (event) => this.follow(event) });
    this.note = node("p", { class: "lla-note" });
    this.root = node("section", { class: "lla-relations", hidden: true }, this.heading, this.list, this.note);
    this.list.addEventListener("pointerover", (event) => this.follow(event));
    for (const left of ["pointerleave", "focusout"]) this.list.addEventListener(left, () => this.light(this.chosen));
    const { bars } = options.sentence;
    bars.addEventListener("pointerover", ({ target }) => this.light(target.closest(".lla-bar")?.dataset.key));
    bars.addEventListener("pointerout", () => this.light(this.chosen));
    this.show([]);
  }

  // relations: [{type, from, to}] as Attached.relationsAmong gives them.
  show(relations) {
    this.relations = relations;
    this.byKey = new Map();
    for (const relation of relations) {
      for (const key of new Set([markKey(relation.from), markKey(relation.to)])) {
        if (!this.byKey.has(key)) this.byKey.set(key, []);
        this.byKey.get(key).push(relation);
      }
    }
    this.root.hidden = !relations.length;
    this.draw();
  }

  of(mark) {
    return this.byKey.get(markKey(mark)) ?? [];
  }

  // The marks with the number of their relations, and the first of them in words.
  counted(marks) {
    if (!this.relations.length) return marks;
    return marks.map((mark) => {
      const own = this.of(mark);
      if (!own.length) return mark;
      const told = own.slice(0, TOLD_RELATIONS).map((relation) => this.told(relation, mark));
      return { ...mark, name: `${mark.name ?? mark.label} ⇄${own.length}`, relations: [own.length, ...told].join("\n") };
    });
  }

  // How the name of a mark goes on.
  describe(told, mark) {
    const [count, ...some] = mark.relations.split("\n");
    const list = some.join(this.options.say("annotate_relations.and")) + (Number(count) > some.length ? " …" : "");
    return this.options.say("annotate_relations.mark", { told, count, list });
  }

  told({ type, from, to }, mark) {
    const out = markKey(from) === markKey(mark);
    return `${type} ${out ? "→" : "←"} ${this.excerpt(out ? to : from)}`.replace(/\s+/g, " ");
  }

  excerpt(end) {
    return excerpt(this.options.sentence.surface(end), RELATION_EXCERPT);
  }

  // ------------------------------------------------------------------ the list

  // Of a long document: what touches the screen. Nothing is drawn again that would look the same.
  draw() {
    if (this.root.hidden) return this.list.replaceChildren();
    const { say, sentence } = this.options;
    const [start, end] = sentence.onScreen();
    const near = (place) => place.start < end && start < place.end;
    const here = sentence.alone ? this.relations : this.relations.filter(({ from, to }) => near(from) || near(to));
    this.rows = here.slice(0, MOST_RELATIONS);
    const drawn = JSON.stringify([say.language, isDark(), here.length, this.relations.length, this.rows]);
    if (drawn === this.drawn && this.list.firstChild) return;
    this.drawn = drawn;
    const focused = [...this.list.querySelectorAll("button")].indexOf(document.activeElement);
    const { length } = this.relations;
    this.root.setAttribute("aria-label", say("annotate_relations.title"));
    this.heading.textContent = here.length === length ? say("annotate_relations.count", { count: length }) : say("annotate_relations.here", { here: here.length, count: length });
    this.list.replaceChildren(...this.rows.map((relation) => this.row(relation)));
    this.note.textContent = here.length > MOST_RELATIONS ? say("annotate_relations.more", { count: here.length - MOST_RELATIONS }) : "";
    this.rove(this.list.querySelectorAll("button")[Math.max(0, focused)], focused >= 0);
    this.choose(this.chosen);
  }

  row(relation) {
    return node("li", { class: "lla-relation" }, this.end(relation.from), this.type(relation.type, "→"), this.end(relation.to));
  }

  type(type, arrow) {
    return node("span", { class: "lla-relation-type" }, node("bdi", { text: type, title: type }), node("span", { text: arrow }));
  }

  end(end) {
    const { say, colour, go } = this.options;
    const { ink } = readable(colour(end.label), isDark());
    return pressable(
      { class: `lla-relation-end${end.stands ? "" : " lla-fallen"}`, tabindex: "-1", title: say(end.stands ? "annotate_relations.go" : "annotate_relations.fallen_hint", { label: end.label }), style: { "--ink": ink }, onclick: () => go(end) },
      node("bdi", { text: this.excerpt(end) }),
      node("b", { text: end.stands ? end.label : say("annotate_relations.fallen", { label: end.label }) }),
    );
  }

  // One stop for Tab; the arrows go from end to end.
  step(event) {
    const ahead = { ArrowRight: 1, ArrowDown: 2, ArrowLeft: -1, ArrowUp: -2 }[event.key];
    if (!ahead || event.altKey || event.ctrlKey || event.metaKey) return;
    const ends = [...this.list.querySelectorAll("button")];
    this.rove(ends[ends.indexOf(event.target) + ahead], true);
    event.preventDefault();
  }

  rove(end, focus) {
    if (!end) return;
    for (const other of this.list.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    end.tabIndex = 0;
    if (focus) end.focus();
  }

  // ------------------------------------------------------------------ the chosen span

  // key: of the chosen mark, or null. Rows that do not touch it fade; the first that does comes into the list's view.
  choose(key) {
    this.chosen = key ?? null;
    const touches = ({ from, to }) => markKey(from) === this.chosen || markKey(to) === this.chosen;
    const faded = this.byKey.has(this.chosen);
    const rows = [...this.list.children];
    rows.forEach((row, at) => row.classList.toggle("lla-faded", faded && !touches(this.rows[at])));
    const first = faded ? rows.find((row) => !row.classList.contains("lla-faded")) : null;
    if (first && !this.list.contains(document.activeElement)) this.list.scrollTop = first.offsetTop - this.list.offsetTop;
    this.light(this.chosen);
  }

  // The row under the pointer or with the focus lights both its ends.
  follow({ target }) {
    const row = this.rows[[...this.list.children].indexOf(target.closest("li"))];
    if (row) this.lightAll([row]);
  }

  light(key) {
    this.lightAll(this.byKey.get(key) ?? [], key);
  }

  lightAll(relations, but = null) {
    const keys = new Set(relations.flatMap(({ from, to }) => [markKey(from), markKey(to)]));
    keys.delete(but);
    if (!keys.size && !this.lit) return;
    this.lit = keys.size > 0;
    for (const bar of this.options.sentence.bars.querySelectorAll(".lla-bar")) bar.classList.toggle("lla-related", keys.has(bar.dataset.key));
  }

  // ------------------------------------------------------------------ in the menu of a span

  menu(mark) {
    const own = this.of(mark);
    if (!own.length) return null;
    const { say } = this.options;
    const rows = own.slice(0, MOST_RELATIONS).map(({ type, from, to }) => {
      const out = markKey(from) === markKey(mark);
      const line = node("li", { class: "lla-relation" }, this.type(type, out ? "→" : "←"), this.end(out ? to : from));
      line.lastChild.tabIndex = 0;
      return line;
    });
    const rest = own.length > rows.length ? node("p", { class: "lla-note", text: say("annotate_relations.more", { count: own.length - rows.length }) }) : null;
    return node("div", { class: "lla-relation-menu", role: "group", "aria-label": say("annotate_relations.title") }, node("ul", {}, ...rows), rest);
  }
}

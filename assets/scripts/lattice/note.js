// Description of a node, and the legend.

import { node } from "../page/dom.js";

const NAMED = 6;

export const weightText = (weight) => (weight ? weight.toFixed(weight >= 0.0995 ? 2 : 3) : "0");

export class Note {
  constructor(root, say) {
    this.root = root;
    this.say = say;
  }

  // E.g. `教授 · head 5 · tail 6 · frequency 120 · touches TITLE 教授级高工`.
  facts(value, at) {
    const { say } = this;
    const parts = [value.nodes[at], say("head", { at: value.head[at] }), say("tail", { at: value.tail[at] })];
    const times = value.frequency?.[at - value.characters];
    if (times !== undefined) parts.push(say("frequency", { times }));
    const touched = value.touches[at].map((order) => {
      const span = value.spans[order];
      return `${span.label} ${[...value.text].slice(span.start, span.end).join("")}`;
    });
    parts.push(touched.length ? say("touches", { entities: touched.join(", ") }) : say("touches_nothing"));
    return parts.join(" · ");
  }

  hint(key) {
    this.root.replaceChildren(node("p", { text: key ? this.say(key) : "" }));
  }

  problem(sentence) {
    this.root.replaceChildren(node("p", { class: "ll-lattice-problem", text: sentence }));
  }

  // rows: [["out" or "into", sentence]].
  tell(value, at, rows, held) {
    const first = node("p", {}, node("b", { text: this.facts(value, at) }), held ? ` ${this.say("held")}` : null);
    const swatch = () => node("span", { class: "ll-lattice-swatch", "aria-hidden": "true" });
    const row = ([name, said]) => node("p", { class: `ll-lattice-row ll-lattice-${name}` }, swatch(), node("span", { text: said }));
    this.root.replaceChildren(first, ...rows.map(row));
  }

  // E.g. `looks at: 高工 0.21 · 级 0.14 and 3 more`; best: the strongest of all, named where none reaches `least`.
  sentence(value, key, links, { silent, best, least }) {
    const named = (link) =>
      [value.nodes[link.node], link.kind && this.say(`kind.${link.kind}`), weightText(link.weight)].filter(Boolean).join(" ");
    const more = links.length > NAMED ? ` ${this.say("more", { count: links.length - NAMED })}` : "";
    const none = () => (best ? this.say("none", { least: weightText(least), best: named(best) }) : this.say("none_at_all"));
    const said = links.length ? links.slice(0, NAMED).map(named).join(" · ") + more : silent ? this.say(silent) : none();
    return this.say("row", { name: this.say(key), said });
  }
}

// The legend under the board: every mark that is drawn, and no other.
export const legendOf = (value, source, say) => {
  const entry = (kind, text, colour) =>
    node(
      "li",
      {},
      node("span", { class: `ll-lattice-key ll-lattice-key-${kind}`, "aria-hidden": "true", style: colour ? { "--key": colour } : {} }),
      node("span", { text }),
    );
  const entries = new Map(value.spans.map((span) => [span.label, span.colour]));
  const marks = [...entries].map(([label, colour]) => entry("entity", say("legend.entity", { label }), colour));
  if (value.nodes.length > value.characters) marks.push(entry("plain", say("legend.plain")));
  const focus = value.spans.find((span) => span.focus);
  if (focus) marks.push(entry("focus", say("legend.focus"), focus.colour));
  if (source) {
    marks.push(entry("out", say(`legend.out.${source}`)), entry("into", say(`legend.into.${source}`)));
    if (source !== "attention") marks.push(entry("gauge", say(`legend.gauge.${source}`)));
  }
  return marks;
};

// What is said of a node in words, and what the colours mean. Uses dom.js of the annotator (node, speaker).

const NAMED = 6;

const weightText = (weight) => weight.toFixed(weight >= 0.0995 ? 2 : 3);

class Note {
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

  // ties: {out, into} as drawn; mute: {out, into} keys that say why a direction has none.
  tell(value, at, { ties, mute, source, direction, held, least }) {
    const rows = [node("p", {}, node("b", { text: this.facts(value, at) }), held ? ` ${this.say("held")}` : null)];
    for (const name of ["out", "into"]) {
      if (direction !== "both" && direction !== name) continue;
      const said = this.sentence(value, name, ties[name], { empty: mute[name], source, least });
      rows.push(
        node(
          "p",
          { class: `ll-lattice-row ll-lattice-${name}` },
          node("span", { class: "ll-lattice-swatch", "aria-hidden": "true" }),
          node("span", { text: said }),
        ),
      );
    }
    this.root.replaceChildren(...rows);
  }

  // E.g. `looks at: 高工 0.21 · 级 0.14 and 3 more`.
  sentence(value, name, links, { empty, source, least }) {
    const said = links
      .slice(0, NAMED)
      .map((link) => [value.nodes[link.node], link.kind && this.say(`kind.${link.kind}`), weightText(link.weight)])
      .map((parts) => parts.filter(Boolean).join(" "))
      .join(" · ");
    const more = links.length > NAMED ? ` ${this.say("more", { count: links.length - NAMED })}` : "";
    const none = this.say(empty || "none", { least: weightText(least) });
    return this.say("row", { name: this.say(`${name}.${source}`), said: said ? said + more : none });
  }
}

// The legend under the board: every mark that is drawn, and no other.
const legendOf = (value, source, say) => {
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

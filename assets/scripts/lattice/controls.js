// Controls of the viewer: kind of link, layer and head, direction, and three lower limits.

import { node } from "../page/dom.js";
import { weightText } from "./note.js";

const MEAN_OF_HEADS = -1;
const DIRECTIONS = ["both", "out", "into"];
const SMALLEST_WEIGHT = 0.0005; // the slider's first step above zero

// Weights differ by orders of magnitude, so their slider, from 0 to 100, runs over the logarithm; its left end is 0.
export const weightScale = (largest) => {
  const reach = Math.max(Math.log(largest / SMALLEST_WEIGHT), 0.1);
  return {
    position: (weight) => (weight < SMALLEST_WEIGHT ? 0 : Math.round(Math.min(100, 1 + (99 * Math.log(weight / SMALLEST_WEIGHT)) / reach))),
    weight: (position) => (position ? SMALLEST_WEIGHT * Math.exp(((position - 1) / 99) * reach) : 0),
  };
};

export class Controls {
  // changed(what): "matrix", "words" (which are drawn) or "ties".
  constructor(root, say, changed) {
    Object.assign(this, { root, say, changed });
    this.chosen = { source: "", layer: 0, head: MEAN_OF_HEADS, direction: "both", length: 2, frequency: 0, weight: 0 };
  }

  // Makes the choices fit another sentence; those that still exist stay.
  fit(value, { fresh, larger }) {
    const { chosen } = this;
    this.value = value;
    this.asks = larger;
    const lengths = value.nodes.map((_, at) => value.tail[at] - value.head[at] + 1).slice(value.characters);
    this.lengths = [...new Set(lengths)].sort((a, b) => a - b);
    this.frequencies = [...new Set(value.frequency ?? [])].sort((a, b) => a - b);
    this.sources = [value.attention ? "attention" : "", value.kind].filter(Boolean);
    if (!this.sources.includes(chosen.source)) chosen.source = this.sources[0] ?? "";
    if (fresh) {
      chosen.layer = value.attention?.layer ?? 0;
      chosen.head = value.attention?.head ?? MEAN_OF_HEADS;
      chosen.length = this.lengths[0] ?? 2;
      chosen.frequency = this.frequencies[0] ?? 0;
    }
  }

  shows(at) {
    const { value, chosen } = this;
    if (at < value.characters) return true;
    const times = value.frequency?.[at - value.characters] ?? Infinity;
    return value.tail[at] - value.head[at] + 1 >= chosen.length && times >= chosen.frequency;
  }

  // links: the ties in view; its largest weight ends the slider.
  draw(links) {
    const { value, chosen, say } = this;
    const fields = [];
    if (this.sources.length > 1) {
      fields.push(this.choice("source", say("show"), this.sources.map((name) => [name, say(`show.${name}`)]), "matrix"));
    }
    if (chosen.source === "attention" && this.asks) {
      const layers = value.heads.map((_, layer) => [layer, String(layer)]);
      const heads = Array.from({ length: value.heads[chosen.layer] ?? 0 }, (_, head) => [head, String(head)]);
      fields.push(this.choice("layer", say("layer"), layers, "matrix"));
      fields.push(this.choice("head", say("head_choice"), [[MEAN_OF_HEADS, say("mean")], ...heads], "matrix"));
    }
    if (chosen.source) {
      const ways = DIRECTIONS.map((way) => [way, say(way === "both" ? "both" : `${way}.${chosen.source}`)]);
      fields.push(this.choice("direction", say("direction"), ways, "ties"));
    }
    if (this.lengths.length > 1) fields.push(this.limit("length", this.lengths, "words"));
    if (this.frequencies.length > 1) fields.push(this.limit("frequency", this.frequencies, "words"));
    if (links?.largest) fields.push(this.weightLimit(links.largest));
    this.root.replaceChildren(...fields);
    this.root.hidden = !fields.length;
  }

  choice(name, label, options, what) {
    const select = node(
      "select",
      { "data-choice": name },
      ...options.map(([item, text]) => node("option", { value: item, selected: item === this.chosen[name], text })),
    );
    select.addEventListener("change", () => {
      [this.chosen[name]] = options[select.selectedIndex];
      this.changed(what);
    });
    return node("label", { class: "ll-lattice-field" }, node("span", { text: label }), select);
  }

  // A slider over the values that occur.
  limit(name, steps, what) {
    const at = Math.max(steps.indexOf(this.chosen[name]), 0);
    return this.slider(name, { max: steps.length - 1, step: 1, value: at }, (position) => steps[position], String, what);
  }

  weightLimit(largest) {
    const scale = weightScale(largest);
    const range = { max: 100, step: 1, value: scale.position(this.chosen.weight) };
    return this.slider("weight", range, scale.weight, weightText, "ties");
  }

  slider(name, range, read, write, what) {
    const shown = node("output", { text: write(this.chosen[name]) });
    const input = node("input", { type: "range", min: 0, ...range, "data-choice": name, "aria-label": this.say(`least.${name}`) });
    input.addEventListener("input", () => {
      this.chosen[name] = read(Number(input.value));
      shown.textContent = write(this.chosen[name]);
      this.changed(what);
    });
    return node("label", { class: "ll-lattice-field" }, node("span", {}, `${this.say(`least.${name}`)} `, shown), input);
  }
}

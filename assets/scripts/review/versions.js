// The versions of a document side by side, and the merged result.

import { node } from "../page/dom.js";
import { patches } from "../sentence/bars.js";
import { Sentence } from "../sentence/sentence.js";
import { gapsBetween } from "../text/regions.js";
import { spanKey } from "../text/spans.js";

const MOST_SHOWN = 1500; // characters of a text that are drawn whole; of a longer one the surroundings of the difference
const AROUND = 200;

export class Versions {
  constructor(say) {
    this.say = say;
    this.root = node("div", { class: "ll-review-versions" });
    this.sentences = [];
  }

  close() {
    for (const { sentence } of this.sentences) sentence.close();
    this.sentences = [];
  }

  show(found) {
    this.close();
    this.found = found;
    this.letters = [...found.text];
    this.colours = Object.fromEntries(found.labels.map((label) => [label.name, label.colour]));
    this.differing = new Set(found.differences.filter((one) => one.kind !== "unanimous").flatMap((one) => one.candidates.map(spanKey)));
    const panels = found.versions.map((version) => this.panel(version.user, version.spans, this.standing(version), "", version.annotated));
    panels.push(this.panel(this.say("review.merged"), found.merged, "", "ll-review-merged"));
    this.root.replaceChildren(...panels);
    this.near(null);
  }

  // How far a version is that is not done.
  standing({ status, annotated, seen }) {
    if (status === "done") return "";
    return this.say(annotated ? "review.not_done_seen" : "review.not_done", { percent: seen });
  }

  // `annotated`: the stretches this person annotated, null for all of them; the rest is drawn paler.
  panel(name, spans, note, extra = "", annotated = null) {
    const sentence = new Sentence({
      still: true,
      describe: (mark, surface) => `${mark.label} ${surface}`,
      drawn: () => {
        this.tint(sentence);
        this.veil(sentence, veils, annotated);
      },
    });
    const veils = node("div", { class: "ll-review-veils", "aria-hidden": "true" });
    sentence.root.append(veils);
    this.sentences.push({ sentence, spans });
    return node("section", { class: `ll-review-version ${extra}`, "aria-label": name }, node("h2", {}, name, note ? node("span", { class: "lla-note", text: ` ${note}` }) : null), sentence.root);
  }

  // Marks that not everybody has stand on a tint, besides being listed below.
  tint(sentence) {
    for (const bar of sentence.root.querySelectorAll(".lla-bar")) {
      bar.classList.toggle("ll-review-differs", this.differing.has(bar.dataset.differs ?? this.keyOf(bar.dataset.key)));
    }
  }

  // Dims text outside the annotated regions.
  veil(sentence, veils, annotated) {
    if (!annotated) return;
    const { length } = sentence.offsets;
    const gaps = gapsBetween(annotated.map(([start, end]) => [start - this.shift, end - this.shift]), 0, length);
    const origin = sentence.root.getBoundingClientRect();
    const boxes = gaps.flatMap(([from, to]) => sentence.boxes(from, to, origin));
    veils.replaceChildren(...patches(boxes));
  }

  keyOf(markKeyText) {
    const [, start, end, ...label] = markKeyText.split(":");
    return `${Number(start) + this.shift}:${Number(end) + this.shift}:${label.join(":")}`;
  }

  // Of a long text, the part around the current difference.
  near(difference) {
    const whole = this.letters.length <= MOST_SHOWN;
    const spans = difference?.candidates ?? [];
    const from = whole ? 0 : Math.max(0, Math.min(...spans.map((one) => one.start), this.letters.length) - AROUND) % this.letters.length;
    const to = whole ? this.letters.length : Math.min(this.letters.length, Math.max(from, ...spans.map((one) => one.end)) + AROUND);
    const chosen = new Set(spans.map(spanKey));
    const lead = from ? "…" : "";
    this.shift = from - lead.length;
    const text = lead + this.letters.slice(from, to).join("") + (to < this.letters.length ? "…" : "");
    for (const { sentence, spans: all } of this.sentences) {
      if (sentence.reviewed !== text) sentence.show(text);
      sentence.reviewed = text;
      const inside = all.filter((span) => span.start >= from && span.end <= to);
      sentence.setMarks(
        inside.map((span) => ({
          start: span.start - this.shift,
          end: span.end - this.shift,
          label: span.label,
          source: "person",
          colour: this.colours[span.label],
          current: chosen.has(spanKey(span)),
        })),
      );
    }
  }
}

// Annotated regions of a document that is not done, as a line in the margin.

import { node, pressable, pxOf } from "../../page/dom.js";
import { wholePercent } from "../../text/percent.js";
import { annotatedBack, annotatedChange, lengthOf } from "../../text/regions.js";

const READ_REGIONS_AFTER = 400; // ms after a save

// Top and bottom of regions in the text, of the part that is drawn.
export const stretchesOf = (sentence, regions) => {
  const origin = sentence.root.getBoundingClientRect();
  const stretches = [];
  for (const block of sentence.blocks.filter((other) => other.drawn || sentence.alone)) {
    for (const [start, end] of regions) {
      if (start >= block.end || end <= block.start) continue;
      const whole = start <= block.start && block.end <= end;
      const boxes = whole && !sentence.alone ? [block.element.getBoundingClientRect()].map(({ top, bottom }) => ({ top: top - origin.top, bottom: bottom - origin.top })) : sentence.boxes(Math.max(start, block.start), Math.min(end, block.end), origin);
      if (boxes.length) stretches.push([boxes[0].top, boxes[boxes.length - 1].bottom]);
    }
  }
  return stretches;
};

export class AnnotatedRegions {
  // options: say, ask(name, payload), place() -> {start, end}: the selection, or the caret in both; announce(text),
  // taken(): drawn anew, did() -> { back, again }: a step for undo, filled in once it is known, forget(step).
  constructor(sentence, options) {
    this.sentence = sentence;
    this.options = options;
    this.document = null;
    this.annotated = null;
    this.lines = node("div", { class: "lla-annotated-lines", "aria-hidden": "true" });
    sentence.root.append(this.lines);
    this.root = node("div", { class: "lla-annotated", hidden: true });
  }

  // Of a document that has just been opened. `own`: the annotator's own version.
  take(document, annotated) {
    clearTimeout(this.timer);
    this.document = document;
    this.annotated = annotated ?? null;
    this.build();
    this.draw();
    this.options.taken?.();
  }

  build() {
    const { say } = this.options;
    this.root.hidden = !this.annotated;
    if (!this.annotated) return;
    const { whole, marked, own } = this.annotated;
    const text = whole ? say("annotate.annotated.whole") : say(own ? "annotate.annotated.own" : "annotate.annotated.share", { percent: this.percent() });
    const button = pressable(
      { class: "lla-button lla-plain", "data-action": "annotated_until", title: say("annotate_keys.annotated_until"), onclick: () => this.toggle() },
      node("span", { text: say("annotate.annotated_until") }),
      node("kbd", { text: "u" }),
    );
    this.root.replaceChildren(node("span", { class: "lla-note", text }), ...(whole && !marked.length ? [] : [button]));
  }

  percent() {
    return wholePercent(lengthOf(this.annotated.regions), this.sentence.offsets.length);
  }

  // Beside the lines of the text that is drawn: a document with nothing left to look at needs none.
  draw() {
    const { annotated } = this;
    const stretches = stretchesOf(this.sentence, annotated && (!annotated.whole || annotated.marked.length) ? annotated.regions : []);
    this.lines.replaceChildren(...stretches.map(([top, bottom]) => node("i", { style: { top: pxOf(top), height: pxOf(bottom - top) } })));
  }

  // Marks the selection, or everything up to the caret. Repeated at the same place it unmarks; inside a mark it shortens it.
  async toggle() {
    if (!this.annotated) return;
    const place = this.options.place();
    if (place.start >= place.end && !place.end) return this.options.announce(this.options.say("annotate.annotated.put_caret"));
    if (await this.mark((marked) => annotatedChange(marked, place))) this.options.announce(this.root.firstChild?.textContent ?? "");
  }

  // A stretch is marked, or no longer, as one step that undo takes back; resolves to whether it was. `changeOf`: the change,
  // by what is marked. The step stands where the key was pressed: labels may be set before the server answers.
  mark(changeOf) {
    const step = this.options.did();
    return this.inTurn(async () => {
      const { marked } = this.annotated;
      const change = changeOf(marked);
      const sent = await this.send([change], "mark");
      if (sent) Object.assign(step, { back: annotatedBack(marked, change), again: [change] });
      if (!step.back.length) this.options.forget(step);
      return sent;
    });
  }

  // Serialised, so that a second press is interpreted after the response to the first.
  inTurn(act) {
    const { document } = this;
    this.turning = (this.turning ?? Promise.resolve()).then(() => document === this.document && act());
    return this.turning;
  }

  // Sends a step, its undo or redo; resolves to whether it succeeded. way: "mark", "undo", "redo".
  async send(changes, way) {
    const { document } = this;
    const answer = await this.options.ask("set_annotated_regions", { document, changes, way, project: undefined });
    if (!answer.ok || this.document !== document) return false;
    this.take(document, answer.annotated);
    return true;
  }

  // Edits annotate their sentence: reload after saving, debounced.
  later(document) {
    if (!this.annotated || document !== this.document) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      const answer = await this.options.ask("read_annotated_regions", { document });
      if (answer.ok && document === this.document) this.take(document, answer.annotated);
    }, READ_REGIONS_AFTER);
  }
}

// The two ends of the focused mark as handles: a mouse or a finger pulls a boundary, and sees where it would be.

import { node } from "../../page/dom.js";
import { patches } from "../../sentence/bars.js";

export class Handles {
  // options: move(mark, span), widened(span) -> span, told(span), tagged(): whether the mark may be pulled
  constructor(sentence, options) {
    this.sentence = sentence;
    this.options = options;
    this.mark = null;
    this.pulled = null;
    this.preview = node("div", { class: "lla-preview", "aria-hidden": "true" });
    this.knobs = Object.fromEntries(
      ["start", "end"].map((side) => [
        side,
        node("i", { class: `lla-knob lla-knob-${side}`, "aria-hidden": "true", hidden: true, onpointerdown: (event) => this.take(event, side) }),
      ]),
    );
    sentence.root.append(this.preview, this.knobs.start, this.knobs.end);
    document.addEventListener("pointermove", (event) => this.pull(event));
    document.addEventListener("pointerup", (event) => this.drop(event));
    document.addEventListener("pointercancel", () => this.cancel());
  }

  get pulling() {
    return this.pulled !== null;
  }

  // The mark whose ends can be pulled now, or null.
  follow(mark) {
    if (this.pulling) return;
    this.mark = mark && !mark.parts ? mark : null;
    this.place();
  }

  place() {
    const boxes = this.mark ? this.sentence.boxes(this.mark.start, this.mark.end) : [];
    const first = boxes[0];
    const last = boxes[boxes.length - 1];
    const put = (knob, box, atLeft) => {
      knob.hidden = !box;
      if (!box) return;
      knob.classList.toggle("lla-knob-left", atLeft); // its area lies within the mark: letters beside it are the text's
      knob.style.left = `${atLeft ? box.left : box.right}px`;
      knob.style.top = `${box.top}px`;
      knob.style.height = `${box.bottom - box.top}px`;
    };
    const leftward = this.mark ? this.sentence.offsets.rightToLeft(this.mark.start) : false;
    put(this.knobs.start, first, !leftward);
    put(this.knobs.end, last, leftward);
  }

  take(event, side) {
    if (!this.mark || event.button > 0) return;
    event.preventDefault();
    event.stopPropagation();
    const { start, end, label } = this.mark;
    // A finger below the line still means the line it took hold of.
    const box = this.knobs[side].getBoundingClientRect();
    this.pulled = { side, id: event.pointerId, rise: event.clientY - (box.top + box.bottom) / 2, span: { start, end, label } };
    this.sentence.root.classList.add("lla-pulling");
  }

  pull(event) {
    const { pulled } = this;
    if (!pulled || event.pointerId !== pulled.id) return;
    const point = this.sentence.pointUnder(event.clientX, event.clientY - pulled.rise);
    if (point === null) return;
    const span = this.pulledTo(point);
    if (!span || (span.start === pulled.span.start && span.end === pulled.span.end)) return;
    pulled.span = span;
    this.show(span);
    this.options.told(span);
  }

  // The mark with one end at a code point, in whole pieces; null where nothing would be left.
  pulledTo(point) {
    const { start, end, label } = this.mark;
    const { side } = this.pulled;
    const raw = side === "start" ? { start: this.sentence.offsets.whole(point), end } : { start, end: this.sentence.offsets.whole(point, true) };
    if (raw.start >= raw.end) return null;
    const wide = this.options.widened(raw);
    return side === "start" ? { start: wide.start, end, label } : { start, end: wide.end, label };
  }

  show(span) {
    const boxes = span ? this.sentence.boxes(span.start, span.end) : [];
    this.preview.replaceChildren(...patches(boxes));
  }

  drop(event) {
    const { pulled, mark } = this;
    if (!pulled || event.pointerId !== pulled.id) return;
    this.cancel();
    if (pulled.span.start !== mark.start || pulled.span.end !== mark.end) this.options.move(mark, pulled.span);
  }

  cancel() {
    if (!this.pulled) return false;
    this.pulled = null;
    this.show(null);
    this.sentence.root.classList.remove("lla-pulling");
    return true;
  }
}

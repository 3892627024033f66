// A labelled sentence to be looked at: its text and marks as everywhere, with some stretches of it shaded.

class ShownSentence {
  constructor({ text, spans, shaded }, colour) {
    this.shaded = shaded;
    this.sentence = new Sentence({ still: true, describe: () => "", drawn: () => this.shade() });
    this.shades = node("div", { class: "lla-shades", "aria-hidden": "true" });
    this.sentence.root.prepend(this.shades);
    this.root = this.sentence.root;
    this.text = text;
    this.marks = spans.map((span) => ({ ...span, source: "person", score: null, colour: colour(span.label) }));
  }

  // Once it is in the page: marks are placed by what the letters measure.
  draw() {
    this.sentence.show(this.text);
    this.sentence.setMarks(this.marks);
  }

  shade() {
    const origin = this.root.getBoundingClientRect();
    const boxes = this.shaded.flatMap(([start, end]) => this.sentence.boxes(start, end, origin));
    this.shades.replaceChildren(
      ...boxes.map(({ left, right, top, bottom }) => node("i", { style: { left: pxOf(left), width: pxOf(right - left), top: pxOf(top), height: pxOf(bottom - top) } })),
    );
  }

  close() {
    this.sentence.close();
  }
}

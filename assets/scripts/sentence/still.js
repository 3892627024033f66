// Sentences with their marks that are looked at and not edited. Marks are placed by measuring, so they are drawn once the
// sentences stand in the page.

import { node } from "../page/dom.js";
import { patches } from "./bars.js";
import { Sentence } from "./sentence.js";

export class StillSentences {
  constructor() {
    this.all = [];
  }

  // The element of one more sentence. marks with their colours; shaded: stretches on a darker ground.
  add(text, marks, shaded = []) {
    const shades = node("div", { class: "lla-shades", "aria-hidden": "true" });
    const shade = () => shades.replaceChildren(...patches(shaded.flatMap(([start, end]) => sentence.boxes(start, end))));
    const sentence = new Sentence({ still: true, drawn: shaded.length ? shade : null });
    if (shaded.length) sentence.root.prepend(shades);
    sentence.show(text);
    this.all.push({ sentence, marks });
    return sentence.root;
  }

  draw() {
    for (const { sentence, marks } of this.all) sentence.setMarks(marks);
  }

  close() {
    for (const { sentence } of this.all) sentence.close();
    this.all = [];
  }
}

// Marks in the colours of their labels.
export const coloured = (marks, colours) => marks.map((mark) => ({ ...mark, colour: colours[mark.label] }));

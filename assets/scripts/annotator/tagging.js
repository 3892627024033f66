// Tagging a long document in parts, with progress and stop; and the lattice words of the visible part.

import { node } from "../page/dom.js";

const WORDS_AFTER = 200; // ms without scrolling before the words of another place are asked for
const DRAWING = 5; // spans are drawn for one part in so many of the time: it takes longer the more there are

export class Tagging {
  constructor(bench) {
    this.bench = bench;
    this.running = 0;
    this.known = [0, 0];
    this.meter = node("progress", { max: "1" });
    this.told = node("span", {});
    this.stopper = node("button", { type: "button", class: "lla-button", onclick: () => this.stop() });
    this.root = node("div", { class: "lla-progress", role: "status", hidden: true }, this.meter, this.told, this.stopper);
  }

  // Another document: discard pending work.
  reset() {
    this.running += 1;
    this.root.hidden = true;
    this.known = [0, 0];
    clearTimeout(this.pause);
  }

  stop() {
    const { bench } = this;
    this.reset();
    bench.draw();
    bench.announce(bench.say("annotate.tagging.stopped"));
    bench.sentence.text.focus({ preventScroll: true });
  }

  progress(until, length) {
    const { say } = this.bench;
    const count = (number) => number.toLocaleString(this.bench.host.lang || undefined);
    this.meter.setAttribute("aria-label", say("annotate.tagging.meter"));
    this.meter.value = length ? until / length : 0;
    this.told.textContent = say("annotate.tagging.progress", { until: count(until), length: count(length) });
    this.stopper.textContent = say("annotate.tagging.stop");
    this.root.hidden = false;
  }

  // Returns the predicted spans, or null if stopped or failed. Results are drawn as they arrive.
  async run(id, length) {
    const { bench } = this;
    this.reset();
    const run = this.running;
    this.drawn = { at: 0, took: 0 };
    const before = bench.annotation.suggestions;
    const found = [];
    for (let until = 0; until < length; ) {
      this.progress(until, length);
      const answer = await bench.ask("tag_from", { document: id, start: until, without: [] });
      if (run !== this.running) return null;
      if (!answer.ok) {
        this.root.hidden = true;
        bench.draw();
        return null;
      }
      found.push(...answer.spans);
      until = answer.until;
      // What an earlier answer said of the part ahead stands until this one gets there.
      const rest = before.filter((span) => span.source !== "tagger" || (span.start >= until && until < length));
      bench.annotation.suggestions = [...found, ...rest];
      if (answer.active_run) bench.activeRun = answer.active_run;
      this.drawNowAndThen();
    }
    this.root.hidden = true;
    bench.draw();
    return found;
  }

  drawNowAndThen() {
    const begun = performance.now();
    if (begun - this.drawn.at < (DRAWING - 1) * this.drawn.took) return;
    this.bench.draw();
    this.drawn = { at: performance.now(), took: performance.now() - begun };
  }

  // Predictions of the visible part without some words, compared with those with them.
  async without(id, words) {
    const { bench } = this;
    const [start, end] = bench.sentence.onScreen();
    const ask = async (dropped) => {
      const spans = [];
      for (let until = start; until < end; ) {
        const answer = await bench.ask("tag_from", { document: id, start: until, without: dropped });
        if (!answer.ok) return null;
        ({ until } = answer);
        spans.push(...answer.spans);
      }
      return spans.filter((span) => span.end > start && span.start < end);
    };
    const now = await ask(words);
    return now && { before: await ask([]), now };
  }

  // ------------------------------------------------------------------ the words of what is on the screen

  scrolled() {
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.readWords(), WORDS_AFTER);
  }

  async readWords() {
    const { bench } = this;
    const { id } = bench.annotation ?? {};
    if (id === undefined || !bench.sentence.width) return;
    const [start, end] = bench.sentence.onScreen();
    if (this.known[0] <= start && end <= this.known[1]) return;
    this.known = [start, end];
    const answer = await bench.quietly("list_words_between", { document: id, start, end });
    if (!answer.ok || bench.annotation?.id !== id || this.known[0] !== start || this.known[1] !== end) return;
    bench.showWords(answer);
  }
}

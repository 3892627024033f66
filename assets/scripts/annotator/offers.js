// Suggestions by source, and annotated regions.

import { AnnotatedRegions } from "./panels/annotated_regions.js";
import { SuggestionPanel } from "./panels/suggestion_panel.js";

export class Offers {
  constructor(bench) {
    this.bench = bench;
    const shared = { say: bench.say, ask: (name, payload) => bench.ask(name, payload) };
    this.panel = new SuggestionPanel({
      ...shared,
      labels: () => bench.labels,
      document: () => bench.annotation?.id,
      dialogs: () => bench.dialogs,
      changed: () => bench.draw(),
      stream: () => bench.stream(),
      refresh: () => this.readRules(bench.annotation.id),
      lac: () => this.askLac(),
    });
    this.annotated = new AnnotatedRegions(bench.sentence, { ...shared, place: () => this.readUntil(), announce: (text) => bench.announce(text), taken: () => bench.keySentences?.draw(), ...bench.markingSteps() });
  }

  show(answer) {
    const { id } = answer.document;
    this.panel.take(answer.view);
    this.panel.tell({ stopped: [], cut: [], more: answer.more ?? 0 });
    this.panel.offerLac(answer.lac);
    this.panel.measure();
    this.annotated.take(id, answer.annotated);
    if (answer.pending) this.readRules(id);
  }

  // LAC suggests for this document at once, and for the others in the background.
  async askLac() {
    const { bench } = this;
    const { id } = bench.annotation;
    const answer = await bench.ask("suggest_with_lac", { document: id });
    if (!answer.ok || bench.annotation?.id !== id) return;
    bench.unbuilt = true; // the labels may be new
    await bench.open(id);
  }

  // Suggestions of dictionary, patterns and earlier decisions that were not ready when the document was opened.
  async readRules(id) {
    const { bench } = this;
    const answer = await bench.quietly("find_suggestions", { document: id });
    if (!answer.ok || bench.annotation?.id !== id) return;
    bench.annotation.suggestions = [...bench.annotation.suggestions.filter(({ source }) => source === "tagger"), ...answer.suggestions];
    const { stopped = [], cut = [], more = 0 } = answer;
    this.panel.tell({ stopped, cut, more });
    bench.draw();
  }

  // Of many earlier decisions the next ones come once the last of those shown is accepted or rejected, and saved.
  goOn() {
    const { annotation } = this.bench;
    if (!annotation || !this.panel.notes.more || this.bench.openSuggestions().some(({ source }) => source === "earlier")) return;
    this.readRules(annotation.id);
  }

  // The selection, else up to the caret or to the end of the focused mark.
  readUntil() {
    const { caret, current } = this.bench;
    if (!caret.empty) return { start: caret.start, end: caret.end };
    const end = current?.end ?? caret.head;
    return { start: end, end };
  }
}

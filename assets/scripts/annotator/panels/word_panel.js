// The dictionary words of the sentence. A word that the active tagger reads can be left out, to predict again; others are
// offered for labelling.

import { node, pressable } from "../../page/dom.js";
import { shortScore } from "../../page/messages.js";
import { sameSpan } from "../../text/spans.js";

export class WordPanel {
  // options: say, drop(words) -> asks the tagger again without these words, select(word) -> selects it in the text
  constructor(options) {
    this.options = options;
    this.dropped = [];
    this.known = [];
    this.list = node("span", { class: "lla-words-list" });
    this.effect = node("div", { class: "lla-effect", "aria-live": "polite" });
    this.title = node("span", { class: "lla-note" });
    this.root = node("section", { class: "lla-words" }, node("p", {}, this.title, this.list), this.effect);
  }

  // read: whether the active tagger has read them.
  show(words, read) {
    const { say } = this.options;
    if (!this.dropped.length) this.known = [...new Set(words)]; // a dropped word keeps its place
    const surfaces = this.known;
    this.title.textContent = say(!surfaces.length ? "annotate.no_words" : read ? "annotate.words" : "annotate.dictionary_words");
    this.list.replaceChildren(...surfaces.map((word) => (read ? this.switchOf(word) : this.offerOf(word))));
  }

  switchOf(word) {
    const off = this.dropped.includes(word);
    const title = this.options.say(off ? "annotate.word_back" : "annotate.word_drop", { word });
    return pressable({ class: "lla-word", "aria-pressed": String(!off), title, onclick: () => this.toggle(word), text: word });
  }

  offerOf(word) {
    return pressable({ class: "lla-word", title: this.options.say("annotate.word_select", { word }), onclick: () => this.options.select(word), text: word });
  }

  toggle(word) {
    this.dropped = this.dropped.includes(word) ? this.dropped.filter((other) => other !== word) : [...this.dropped, word];
    this.options.drop(this.dropped);
  }

  // Until the words of a new document are known nothing is claimed about them.
  reset() {
    this.dropped = [];
    this.known = [];
    this.title.textContent = "";
    this.list.replaceChildren();
    this.effect.replaceChildren();
  }

  // Predictions without the dropped words, compared with those with them.
  compare(before, after, surface) {
    const { say } = this.options;
    this.effect.replaceChildren();
    if (!this.dropped.length) return;
    const lines = [];
    const named = (span) => ({ label: span.label, surface: surface(span), score: shortScore(span.score) });
    for (const old of before) {
      const now = after.find((span) => sameSpan(span, old));
      if (!now) lines.push(say("annotate.effect.lost", named(old)));
      else if (shortScore(now.score) !== shortScore(old.score)) lines.push(say("annotate.effect.moved", { ...named(old), now: shortScore(now.score) }));
    }
    for (const span of after) if (!before.some((old) => sameSpan(old, span))) lines.push(say("annotate.effect.new", named(span)));
    if (!lines.length) lines.push(say("annotate.effect.none"));
    const title = say("annotate.effect", { words: this.dropped.join("、") });
    const back = node("button", { type: "button", class: "lla-button", onclick: () => { this.dropped = []; this.options.drop([]); }, text: say("annotate.words_back") });
    this.effect.replaceChildren(node("p", { text: title }), node("ul", {}, ...lines.map((text) => node("li", { text }))), back);
  }
}

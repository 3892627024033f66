// The panels around the sentence: labels with their guideline, suggestion settings, lattice words.

class LabelPanel {
  // options: say, choose(label)
  constructor(options) {
    this.options = options;
    this.bar = node("div", { class: "lla-labels", role: "toolbar" });
    this.guideline = node("div", { class: "lla-guideline" });
    this.root = node("section", { class: "lla-label-panel" }, this.bar, this.guideline);
    this.labels = [];
  }

  show(labels) {
    const { say } = this.options;
    this.labels = labels;
    const dark = isDark();
    this.bar.setAttribute("aria-label", say("annotate.labels"));
    this.bar.replaceChildren(
      ...labels.map((label) => {
        const { ink, tint } = readable(label.colour, dark);
        const button = pressable(
          {
            class: "lla-label",
            "data-label": label.name,
            style: { "--ink": ink, "--tint": tint },
            "aria-keyshortcuts": label.hotkey || null,
            onclick: () => this.options.choose(label.name),
            onpointerenter: () => this.guide(label.name),
          },
          node("kbd", { text: label.hotkey || "·" }),
          node("span", { class: "lla-label-name", text: label.name }),
        );
        return button;
      }),
    );
    this.guide(null);
  }

  guide(name) {
    const label = this.labels.find((other) => other.name === name);
    for (const button of this.bar.children) button.classList.toggle("lla-on", button.dataset.label === name);
    if (!label) {
      this.guideline.replaceChildren(node("p", { class: "lla-note", text: this.options.say("annotate.guideline_hint") }));
      return;
    }
    const text = label.description || this.options.say("annotate.no_guideline");
    this.guideline.replaceChildren(node("h4", { text: label.name }), node("p", { text }));
  }
}

class SuggestionPanel {
  // options: say, changed()
  constructor(options) {
    this.options = options;
    this.root = node("section", { class: "lla-suggestions" });
    this.view = { threshold: 0, tagger: true, dictionary: true };
  }

  build() {
    const { say, changed } = this.options;
    const shown = node("output", { class: "lla-score", text: shortScore(this.view.threshold) || ".00" });
    const slider = node("input", {
      type: "range",
      min: "0",
      max: "0.95",
      step: "0.05",
      "aria-label": say("annotate.threshold"),
      oninput: (event) => {
        this.view.threshold = Number(event.target.value);
        shown.textContent = shortScore(this.view.threshold);
        changed();
      },
    });
    slider.value = String(this.view.threshold);
    const check = (name) => {
      const box = node("input", { type: "checkbox", onchange: (event) => { this.view[name] = event.target.checked; changed(); } });
      box.checked = this.view[name];
      return node("label", { class: "lla-check" }, box, node("i", { class: `lla-sample lla-${name}` }), node("span", { text: say(`annotate.source.${name}`) }));
    };
    this.root.replaceChildren(
      node("h4", { text: say("annotate.suggestions") }),
      node("label", { class: "lla-slider" }, node("span", { text: "≥" }), slider, shown),
      check("tagger"),
      check("dictionary"),
      node("p", { class: "lla-check lla-legend" }, node("i", { class: "lla-sample lla-person" }), node("span", { text: say("annotate.source.person") })),
    );
  }
}

class WordPanel {
  // options: say, drop(words) -> asks the tagger again without these words
  constructor(options) {
    this.options = options;
    this.dropped = [];
    this.known = [];
    this.list = node("span", { class: "lla-words-list" });
    this.effect = node("div", { class: "lla-effect", "aria-live": "polite" });
    this.title = node("span", { class: "lla-note" });
    this.root = node("section", { class: "lla-words" }, node("p", {}, this.title, this.list), this.effect);
  }

  show(words, serving) {
    const { say } = this.options;
    if (!this.dropped.length) this.known = [...new Set(words)]; // a dropped word keeps its place
    const surfaces = this.known;
    this.title.textContent = say(surfaces.length ? "annotate.words" : "annotate.no_words");
    this.list.replaceChildren(
      ...surfaces.map((word) => {
        const off = this.dropped.includes(word);
        return node("button", {
          type: "button",
          class: "lla-word",
          "aria-pressed": String(!off),
          disabled: !serving,
          title: say(serving ? (off ? "annotate.word_back" : "annotate.word_drop") : "annotate.no_serving", { word }),
          onclick: () => this.toggle(word),
          text: word,
        });
      }),
    );
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

  // What the tagger says without the dropped words, beside what it said with them.
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

// Which suggestions are shown: by source and by confidence.

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

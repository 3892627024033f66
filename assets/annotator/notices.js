// What is said above the sentence: the first visit's three steps, what could not be saved, two versions of one document.

const STEPS_CLOSED = "latticelens.steps.closed";

class Notices {
  constructor(say) {
    this.say = say;
    this.steps = node("ol", { class: "lla-steps", hidden: true });
    this.banner = node("div", { class: "lla-banner", role: "alert", hidden: true });
    this.conflictBox = node("section", { class: "lla-conflict", role: "alert", hidden: true });
    this.root = node("div", { class: "lla-notices" }, this.steps, this.banner, this.conflictBox);
  }

  firstVisit() {
    let closed = false;
    try {
      closed = Boolean(localStorage.getItem(STEPS_CLOSED));
    } catch (error) {
      closed = true; // without storage the strip would come back for ever
    }
    this.steps.hidden = closed;
    if (closed) return;
    const step = (name) => node("li", { text: this.say(`annotate.step.${name}`) });
    const close = node("button", { type: "button", class: "lla-button", "aria-label": this.say("annotate.steps_close"), onclick: () => this.closeSteps(), text: "✕" });
    this.steps.replaceChildren(step("mark"), step("ask"), step("correct"), close);
  }

  closeSteps() {
    this.steps.hidden = true;
    localStorage.setItem(STEPS_CLOSED, "yes");
  }

  warn(text, action = null) {
    const close = node("button", { type: "button", class: "lla-button lla-plain", "aria-label": this.say("annotate.close"), onclick: () => this.calm(), text: "✕" });
    this.banner.replaceChildren(...[node("span", { text }), action, close].filter(Boolean));
    this.banner.hidden = false;
  }

  calm() {
    this.banner.hidden = true;
  }

  // Both versions, drawn as sentences, and one decision.
  conflict(text, mine, theirs, who, marksOf, decide) {
    const version = (title, spans, button, keep) => {
      const sentence = new Sentence({ still: true, describe: () => "" });
      const box = node("div", { class: "lla-version" }, node("h4", { text: title }), sentence.root, node("button", { type: "button", class: "lla-button lla-primary", onclick: () => { this.conflictBox.hidden = true; decide(keep); }, text: button }));
      return { box, draw: () => { sentence.show(text); sentence.setMarks(marksOf(spans)); } };
    };
    const left = version(this.say("annotate.mine"), mine, this.say("annotate.keep_mine"), true);
    const right = version(who, theirs, this.say("annotate.take_theirs"), false);
    this.conflictBox.replaceChildren(node("p", { text: this.say("annotate.conflict") }), node("div", { class: "lla-versions" }, left.box, right.box));
    this.conflictBox.hidden = false;
    left.draw();
    right.draw();
    this.conflictBox.querySelector("button").focus({ preventScroll: true });
  }

  noConflict() {
    this.conflictBox.hidden = true;
  }
}

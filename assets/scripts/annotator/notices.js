// Notices above the sentence: the steps of the first visit, failed saves.

import { node } from "../page/dom.js";
import { store, stored } from "../page/storage.js";
import { isTourOffered, onTourOffered, openTour } from "../page/tour.js";

const TOLD_SECONDS = 20;
const STEPS_CLOSED = "latticelens.steps.closed";

export class Notices {
  // host: the annotator, whose columns are lower under the steps. left(): the part that had the focus went away.
  constructor(say, host, left) {
    this.say = say;
    this.host = host;
    this.left = left;
    this.steps = node("div", { class: "lla-steps", hidden: true });
    this.banner = node("div", { class: "lla-banner", role: "alert", hidden: true });
    this.told = node("div", { class: "lla-told", role: "status", hidden: true });
    this.root = node("div", { class: "lla-notices" }, this.steps, this.banner, this.told);
    onTourOffered(() => this.showTour());
  }

  firstVisit() {
    // Where nothing can be stored, not even forgotten, the strip would come back for ever.
    this.steps.hidden = Boolean(stored(STEPS_CLOSED)) || !store(`${STEPS_CLOSED}.tried`, null);
    this.host.classList.toggle("lla-first-visit", !this.steps.hidden);
    if (this.steps.hidden) return;
    const step = (name) => node("li", { text: this.say(`annotate.step.${name}`) });
    const close = node("button", { type: "button", class: "lla-button", "aria-label": this.say("annotate.steps_close"), onclick: () => this.closeSteps(), text: "✕" });
    this.tour = node("button", { type: "button", class: "lla-button lla-steps-tour", onclick: () => this.takeTour(), text: this.say("annotate.steps_tour") });
    this.steps.replaceChildren(node("ol", {}, step("mark"), step("ask"), step("correct")), this.tour, close);
    this.showTour();
  }

  // Its place is kept where it is not known yet whether the project has a tour: nothing moves when it comes.
  showTour() {
    if (this.tour) this.tour.style.visibility = isTourOffered() ? "" : "hidden";
  }

  takeTour() {
    this.closeSteps();
    openTour();
  }

  closeSteps() {
    this.hide(this.steps);
    this.host.classList.remove("lla-first-visit");
    store(STEPS_CLOSED, "yes");
  }

  // stays: saves that come after say nothing about it, so they do not take it away (a refusal must be read).
  warn(text, action = null, { stays = false } = {}) {
    this.stays = stays;
    const close = node("button", { type: "button", class: "lla-button lla-plain", "aria-label": this.say("annotate.close"), onclick: () => this.calm(), text: "✕" });
    this.banner.replaceChildren(...[node("span", { text }), action, close].filter(Boolean));
    this.banner.hidden = false;
  }

  // A temporary notice of a change off screen, with undo.
  tell(text, action) {
    clearTimeout(this.telling);
    const close = node("button", { type: "button", class: "lla-button lla-plain", "aria-label": this.say("annotate.close"), onclick: () => this.untell(), text: "✕" });
    this.told.replaceChildren(...[node("span", { text }), action, close].filter(Boolean));
    this.told.hidden = false;
    this.telling = setTimeout(() => this.untell(), TOLD_SECONDS * 1000);
  }

  untell() {
    this.hide(this.told);
  }

  calm() {
    this.hide(this.banner);
    this.stays = false;
  }

  hide(part) {
    const held = part.contains(document.activeElement);
    part.hidden = true;
    if (held) this.left();
  }

  // Everything that waited is saved: a warning that it was not has had its time.
  allSaved() {
    if (!this.stays) this.calm();
  }
}

// The guided tour: a card over the page that leads through the loop on the real controls. It comes back after a reload, and waits
// while the person is in another project.

import { node } from "../page/dom.js";
import { speaker } from "../page/messages.js";
import { addressOf, askServer, currentProject, onMoved, pageInFront, pageLanguage } from "../page/session.js";
import { store, storedJson } from "../page/storage.js";
import { offerTour } from "../page/tour.js";
import { MESSAGES } from "./messages.js";
import { Ring } from "./ring.js";
import { canTrain, errorText, progressText, STEPS } from "./steps.js";

const STORED = "latticelens.tour"; // {project, since, step}
const OFTEN = 2000; // ms between two looks at how far the person is
const NEVER = 2 ** 53;

class Tour {
  constructor(host, server) {
    this.server = server;
    this.say = speaker(MESSAGES);
    this.state = null;
    this.begun = null;
    this.asked = 0;
    this.ring = new Ring();
    this.place = node("span", { class: "ll-tour-place" });
    this.shut = node("button", { type: "button", class: "ll-tour-end", onclick: () => this.end(), text: "×" });
    this.title = node("strong", {});
    this.text = node("p", {});
    this.list = node("ul", { hidden: true });
    this.told = node("p", { class: "ll-tour-told", role: "status" });
    const button = (run, kind = "") => node("button", { type: "button", class: `ll-tour-button ${kind}`, onclick: run });
    this.begin = button(() => this.train(), "ll-tour-main");
    this.back = button(() => this.turn(-1));
    this.show = button(() => this.go());
    this.next = button(() => this.turn(1), "ll-tour-main");
    this.card = node(
      "section",
      { class: "ll-tour-card", tabindex: "-1", hidden: true },
      node("header", {}, this.place, this.shut),
      this.title, this.text, this.list, this.told,
      node("div", { class: "ll-tour-buttons" }, this.back, this.show, this.begin, this.next),
    );
    this.card.addEventListener("keydown", (event) => this.press(event));
    host.append(this.card, this.ring.root);
    onMoved(() => this.arrive());
    this.arrive();
  }

  get step() {
    return STEPS[this.begun.step];
  }

  // A new session, project or language.
  async arrive() {
    const project = currentProject();
    if (!project) return;
    this.say.use(pageLanguage());
    const kept = storedJson(STORED);
    this.begun = kept?.project === project && kept.step in STEPS ? kept : null;
    await this.look();
  }

  // How far the person is. Without a tour under way: whether there is one.
  async look() {
    clearTimeout(this.timer);
    const asked = (this.asked += 1);
    const answer = await askServer(this.server, "tour_state", { since: this.begun?.since ?? NEVER });
    if (asked !== this.asked) return;
    if (answer.ok) {
      this.state = answer;
      offerTour({ offered: answer.offered, open: () => this.open() });
    }
    this.draw(!answer.ok);
  }

  async open() {
    if (!this.begun) {
      this.begun = { project: currentProject(), since: this.state.now, step: 0 };
      this.keep();
      await this.look();
    }
    if (!this.begun) return; // turned to another project meanwhile
    this.go();
    this.draw();
    this.card.focus();
  }

  keep() {
    store(STORED, this.begun && JSON.stringify(this.begun));
  }

  end() {
    this.begun = null;
    this.keep();
    this.draw();
    document.querySelector(".ll-palette-open")?.focus();
  }

  turn(by) {
    const step = this.begun.step + by;
    if (step >= STEPS.length) return this.end();
    this.begun = { ...this.begun, step };
    this.keep();
    this.go();
    this.draw();
    this.card.focus();
    this.look();
  }

  // To where the step is; the focus stays in the card.
  go({ page, values } = this.step.at(this.state)) {
    location.hash = addressOf(page, values);
  }

  async train() {
    this.begin.disabled = true;
    const answer = await askServer(this.server, "tour_train");
    this.begin.disabled = false;
    if (!answer.ok) {
      this.told.textContent = answer.message ?? this.say("tour.unreachable");
      return;
    }
    await this.look();
    this.go();
  }

  press(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    this.end();
  }

  draw(unreachable = false) {
    const open = Boolean(this.begun && this.state?.offered);
    this.card.hidden = !open;
    clearTimeout(this.timer);
    if (!open) return this.ring.stop();
    const { say, state, step } = this;
    const last = this.begun.step === STEPS.length - 1;
    this.card.setAttribute("aria-label", say("tour.name"));
    this.place.textContent = `${say("tour.name")} · ${say("tour.place", { step: this.begun.step + 1, steps: STEPS.length })}`;
    this.shut.setAttribute("aria-label", say("tour.end"));
    this.shut.title = say("tour.end");
    this.title.textContent = say(`tour.${step.name}`);
    this.text.textContent = say(`tour.${step.name}.text`);
    this.drawErrors();
    const told = unreachable ? say("tour.unreachable") : progressText(say, step.name, state);
    if (this.told.textContent !== told) this.told.textContent = told; // said once by screen readers
    this.begin.textContent = say("tour.train.begin");
    this.begin.hidden = step.name !== "train" || !canTrain(state);
    this.back.textContent = say("tour.back");
    this.back.hidden = this.begun.step === 0;
    this.show.textContent = say("tour.show");
    this.show.hidden = pageInFront() === step.at(state).page;
    this.next.textContent = say(last ? "tour.finish" : step.done(state) ? "tour.next" : "tour.skip");
    this.ring.point(step.targets);
    this.timer = setTimeout(() => this.look(), OFTEN);
  }

  drawErrors() {
    this.list.hidden = this.step.name !== "correct";
    const told = JSON.stringify([this.say.language, this.state.errors]);
    if (this.list.hidden || told === this.drawn) return;
    this.drawn = told;
    const item = (error) =>
      node(
        "li",
        { class: error.done ? "ll-tour-done" : null },
        node("button", { type: "button", onclick: () => this.go({ page: "annotate", values: { document: error.document } }) }, errorText(this.say, error)),
        error.done ? node("span", { role: "img", "aria-label": this.say("tour.done"), text: "✓" }) : null,
      );
    this.list.replaceChildren(...this.state.errors.map(item));
  }
}

export const mount = ({ element, server }) => new Tour(element.querySelector(".ll-tour"), server);

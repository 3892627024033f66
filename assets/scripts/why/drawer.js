// The drawer beside a text that answers why a tagger predicts a span, or what it predicts there instead. On a phone it is a
// sheet from below.

import { isDark, readable } from "../page/colour.js";
import { node, pressable } from "../page/dom.js";
import { shortScore, speaker } from "../page/messages.js";
import { addressOf, askServer } from "../page/session.js";
import { StillSentences, coloured } from "../sentence/still.js";
import { drawPaths } from "../widgets/crf_paths.js";
import { drawReasons } from "../widgets/reasons.js";
import { Explanation } from "./explanation.js";
import { MESSAGES } from "./messages.js";

const CLEAR = 40; // px between the sheet and the mark
const SETTLED = 200; // ms on one mark before it is asked about

export class WhyDrawer {
  // options: server with explain_span; closed(): the focus goes back to the text.
  constructor({ server, closed }) {
    this.closed = closed;
    this.say = speaker(MESSAGES);
    this.sentences = new StillSentences();
    this.key = "";
    this.explanation = new Explanation({
      send: (payload) => askServer(server, "explain_span", payload),
      begun: ({ inspect }) => this.link(inspect),
      part: (part) => this.add(part),
      ended: (trouble) => this.end(trouble),
    });
    this.title = node("h3", {});
    this.about = node("p", { class: "ll-why-about" });
    this.shut = pressable({ class: "ll-why-close", onclick: () => this.close(), text: "×" });
    this.parts = node("div", { class: "ll-why-parts" });
    this.told = node("p", { class: "ll-why-told", role: "status" });
    this.foot = node("p", { class: "ll-why-foot" });
    this.root = node("aside", { class: "ll-why", hidden: true, tabindex: "-1", onkeydown: (event) => this.press(event) },
      node("header", {}, this.title, this.shut), this.about, this.parts, this.told, this.foot);
  }

  get open() {
    return !this.root.hidden;
  }

  // question: what explain_span is sent; mark: {label, score, colour}, surface: its text; bar(): what is drawn of it now.
  show(question, mark, surface, bar) {
    this.root.classList.remove("ll-why-left");
    this.reveal(true);
    this.build();
    this.take(question, mark, surface);
    this.bar = bar;
    this.uncover();
  }

  // Over the page it must not lie over what it is about: as a sheet from below the page is scrolled, at the side it takes the other.
  uncover() {
    const bar = this.bar?.();
    if (!bar) return;
    const { top, right, bottom } = bar.getBoundingClientRect();
    const sheet = this.root.getBoundingClientRect();
    const isOver = getComputedStyle(this.root).position === "fixed";
    const isSheet = isOver && sheet.left <= 0;
    if (isOver && !isSheet) this.root.classList.toggle("ll-why-left", right > sheet.left - CLEAR);
    if (isSheet && bottom > sheet.top - CLEAR) window.scrollBy({ top: top - Math.max(CLEAR, sheet.top - 4 * CLEAR) });
    else if (top < 0 || bottom > window.innerHeight) bar.scrollIntoView({ block: "center" });
    this.scrolled = window.scrollY;
  }

  // Another mark is looked at.
  follow(question, mark, surface) {
    clearTimeout(this.timer);
    if (!this.open || this.keyOf(question) === this.key) return;
    this.bar = null;
    this.timer = setTimeout(() => this.open && this.take(question, mark, surface), SETTLED);
  }

  shows(question) {
    return this.open && this.keyOf(question) === this.key;
  }

  // Another text: there is nothing to explain yet.
  clear() {
    clearTimeout(this.timer);
    this.key = "";
    this.explanation.stop();
    this.empty();
    this.about.replaceChildren();
    this.told.textContent = this.open ? this.say("why.choose") : "";
  }

  close() {
    if (!this.open) return;
    this.reveal(false);
    this.clear();
    this.closed();
  }

  // What it stands beside makes room for it.
  reveal(open) {
    this.root.hidden = !open;
    this.root.parentElement?.classList.toggle("ll-explaining", open);
  }

  // ------------------------------------------------------------------ drawing

  build() {
    this.say.use(document.documentElement.lang.slice(0, 2) || "en");
    this.title.textContent = this.say("why.title");
    this.root.setAttribute("aria-label", this.say("why.title"));
    this.shut.setAttribute("aria-label", this.say("why.close"));
    this.shut.title = `${this.say("why.close")} (Esc)`;
  }

  take(question, { label, score, colour }, surface) {
    this.key = this.keyOf(question);
    this.question = question;
    const { ink, tint } = readable(colour, isDark());
    this.about.replaceChildren(
      node("bdi", { text: surface }),
      node("b", { style: { "--ink": ink, "--tint": tint }, text: [label, shortScore(score)].filter(Boolean).join(" ") }),
    );
    this.begin(question);
  }

  begin(question) {
    this.empty();
    this.root.scrollTop = 0;
    this.told.textContent = this.say("why.computing");
    this.root.setAttribute("aria-busy", "true");
    this.explanation.ask(question);
  }

  empty() {
    this.sentences.close();
    this.parts.replaceChildren();
    this.foot.replaceChildren();
  }

  link(inspect) {
    if (inspect) this.foot.replaceChildren(node("a", { href: addressOf("inspect", inspect), text: this.say("why.inspect") }));
  }

  add(part) {
    const draw = { paths: drawnPaths, reasons: drawnReasons, similar: () => this.similar(part), offer: () => this.offer(part) }[part.kind];
    const lines = (part.lines ?? []).map((text) => node("p", { text }));
    const go = part.go ? node("p", {}, node("a", { href: addressOf(part.go, {}), text: this.say("why.train") })) : null;
    this.parts.append(node("section", { "data-part": part.kind }, node("h4", { text: part.title }), ...lines, draw?.(part), go));
    if (part.kind === "similar") this.sentences.draw();
    if (window.scrollY === this.scrolled) this.uncover(); // the page above may have grown; who has scrolled is left alone
  }

  end(trouble) {
    this.root.removeAttribute("aria-busy");
    this.told.textContent = trouble ?? this.say("why.unreachable");
  }

  similar({ rows, colours }) {
    const items = rows.map((row) => {
      const name = node("a", { href: addressOf("annotate", { document: row.document }), dir: "auto", text: row.name });
      return node("li", {}, this.sentences.add(row.text, coloured(row.spans.map((span) => ({ ...span, source: "person" })), colours), row.shared), name);
    });
    return node("ul", {}, ...items);
  }

  offer({ button }) {
    return pressable({ class: "lla-button", onclick: () => this.begin({ ...this.question, thorough: true }), text: button });
  }

  // ------------------------------------------------------------------ keys

  press(event) {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    this.close();
  }

  keyOf({ document, text, start, end, label, run }) {
    return JSON.stringify([document ?? text, start, end, label, run ?? ""]);
  }
}

const drawnPaths = ({ value }) => {
  const place = node("div", { class: "ll-paths" });
  drawPaths(place, value);
  return place;
};

const drawnReasons = ({ value }) => {
  const place = node("div", { class: "ll-reasons" });
  drawReasons(place, value);
  return place;
};

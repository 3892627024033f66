// One difference: candidate spans with their voters, the decision, and the controls.

import { node } from "../page/dom.js";
import { linkName } from "../text/links.js";
import { plainSpan, spanKey } from "../text/spans.js";

export class DifferenceRow {
  // options: say, letters (code points of the text), labels, categories, decide(accept, refuse, category, note),
  // takeBack(spans), link(span) or null where nothing is linked, focus(at).
  constructor(difference, at, options) {
    Object.assign(this, { difference, at, options });
    this.root = node("li", {
      class: `ll-review-item${difference.decided ? " ll-review-decided" : ""}`,
      tabindex: "0",
      "data-kind": difference.kind,
      onfocusin: () => options.focus(at),
    });
    this.draw();
  }

  surface(span) {
    return this.options.letters.slice(span.start, span.end).join("");
  }

  draw() {
    const { say } = this.options;
    const { difference } = this;
    const first = difference.candidates[0];
    const place = [Math.min(...difference.candidates.map((one) => one.start)), Math.max(...difference.candidates.map((one) => one.end))];
    const context = (from, to) => this.options.letters.slice(Math.max(0, from), to).join("");
    this.root.setAttribute("aria-label", `${say(`review.kind.${difference.kind}`)}: ${this.surface(first)}`);
    this.root.replaceChildren(
      node(
        "p",
        { class: "ll-review-what" },
        node("span", { class: "ll-review-kind", text: say(`review.kind.${difference.kind}`) }),
        node("span", { class: "ll-review-context" }, context(place[0] - 8, place[0]), node("b", { text: context(...place) }), context(place[1], place[1] + 8)),
      ),
      node("ol", { class: "ll-review-answers" }, ...difference.candidates.map((one, number) => this.answer(one, number))),
      this.tools(),
      this.editor ?? node("span"),
    );
  }

  answer(one, number) {
    const { say } = this.options;
    const voters = one.voters.length ? one.voters.join(say("review.separator")) : say("review.by_reviewer");
    const marks = { accepted: "✓", refused: "✗" };
    return node(
      "li",
      { class: `ll-review-answer${one.verdict ? ` ll-review-${one.verdict}` : ""}` },
      node(
        "button",
        { type: "button", class: "lla-button", "aria-label": say("review.accept", { surface: this.surface(one), label: one.label }), onclick: () => this.accept(number) },
        node("kbd", { text: String(number + 1) }),
        ` ${this.surface(one)} `,
        node("b", { text: one.label }),
        one.link ? node("span", { title: linkName(say, one.link), text: " ↗" }) : null,
      ),
      node("span", { class: "lla-note", text: one.silent.length ? say("review.silent", { voters, silent: one.silent.join(say("review.separator")) }) : voters }),
      one.verdict
        ? node("span", { class: "ll-review-verdict", text: `${marks[one.verdict]} ${this.reason(one)}` })
        : this.difference.kind === "unanimous"
          ? null
          : node("span", { class: "lla-note", text: one.proposed ? say("review.proposed") : "" }),
      this.taggerSays(one),
    );
  }

  // Only sent once the reviewer has decided.
  taggerSays(one) {
    if (one.tagger === null || one.tagger === undefined) return null;
    return node("span", { class: "ll-review-tagger", text: this.options.say(one.tagger ? "review.tagger_too" : "review.tagger_not") });
  }

  reason(one) {
    const { say } = this.options;
    if (one.category.startsWith(":")) return say("review.by_strategy", { strategy: say(`review.strategy.${one.category.slice(1)}`) });
    const why = [one.category && this.categoryName(one.category), one.note].filter(Boolean).join(say("review.separator"));
    return `${say(`review.${one.verdict}`)}${why ? ` · ${why}` : ""}`;
  }

  categoryName(name) {
    const said = this.options.say(`review.category.${name}`);
    return said === `review.category.${name}` ? name : said;
  }

  tools() {
    const { say } = this.options;
    const button = (key, hot, does) => node("button", { type: "button", class: "lla-button", onclick: does }, say(key), " ", node("kbd", { text: hot }));
    const parts = [button("review.refuse_all", "0", () => this.refuse()), button("review.edit", "e", () => this.edit())];
    if (this.options.link) parts.push(button("annotate.link", "l", () => this.link()));
    if (this.difference.decided || this.difference.candidates.some((one) => one.verdict)) {
      parts.push(button("review.take_back", "u", () => this.takeBack()));
    }
    if (this.difference.candidates.some((one) => one.verdict === "refused" && !one.category.startsWith(":"))) parts.push(this.why());
    return node("div", { class: "ll-review-tools" }, ...parts);
  }

  // Why it was refused: a category and a note, both optional, kept as soon as they are chosen.
  why() {
    const { say, categories } = this.options;
    const refused = this.difference.candidates.filter((one) => one.verdict === "refused");
    const keep = () => this.options.decide([], refused.map(plainSpan), this.category.value, this.note.value);
    const known = categories.includes(refused[0].category) || !refused[0].category ? categories : [...categories, refused[0].category];
    this.category = node(
      "select",
      { class: "ll-review-category", "aria-label": say("review.category"), onchange: keep },
      node("option", { value: "", text: say("review.no_category") }),
      ...known.map((name) => node("option", { value: name, text: this.categoryName(name), selected: name === refused[0].category })),
    );
    this.note = node("input", { type: "text", maxlength: "2000", value: refused[0].note, placeholder: say("review.note"), "aria-label": say("review.note"), onchange: keep });
    return node("span", { class: "ll-review-why" }, this.category, this.note);
  }

  accept(number) {
    const chosen = this.difference.candidates[number];
    if (!chosen) return;
    this.options.decide([plainSpan(chosen)], this.difference.candidates.filter((one) => one !== chosen).map(plainSpan));
  }

  refuse() {
    this.options.decide([], this.difference.candidates.map(plainSpan));
  }

  // The strategy's verdict on undecided candidates.
  acceptProposal() {
    const asked = this.difference.candidates.filter((one) => !one.verdict);
    this.options.decide(asked.filter((one) => one.proposed).map(plainSpan), asked.filter((one) => !one.proposed).map(plainSpan));
  }

  // The accepted candidate, else the one that has the votes.
  link() {
    const { candidates } = this.difference;
    this.options.link?.(candidates.find((one) => one.verdict === "accepted") ?? candidates.find((one) => one.proposed) ?? candidates[0]);
  }

  takeBack() {
    this.options.takeBack(this.difference.candidates.map(plainSpan));
  }

  // Another boundary or another label than anybody gave.
  edit() {
    const { say, letters, labels } = this.options;
    const span = plainSpan(this.difference.candidates.find((one) => one.verdict === "accepted") ?? this.difference.candidates[0]);
    const shown = node("b", { class: "ll-review-edited" });
    const draw = () => {
      shown.textContent = letters.slice(span.start, span.end).join("");
    };
    const move = (side, by) => () => {
      const moved = { ...span, [side]: span[side] + by };
      if (moved.start < 0 || moved.end > letters.length || moved.start >= moved.end) return;
      Object.assign(span, moved);
      draw();
    };
    const step = (key, text, does) => node("button", { type: "button", class: "lla-button", "aria-label": say(`review.${key}`), title: say(`review.${key}`), onclick: does, text });
    const label = node("select", { "aria-label": say("review.label"), onchange: () => (span.label = label.value) }, ...labels.map((one) => node("option", { value: one.name, text: one.name, selected: one.name === span.label })));
    draw();
    this.editor = node(
      "div",
      { class: "ll-review-editor", role: "group", "aria-label": say("review.edit") },
      step("left_out", "⇤", move("start", -1)),
      step("left_in", "⇥", move("start", 1)),
      shown,
      step("right_in", "⇤", move("end", -1)),
      step("right_out", "⇥", move("end", 1)),
      label,
      node("button", { type: "button", class: "lla-button lla-primary", text: say("review.accept_edited"), onclick: () => this.options.decide([plainSpan(span)], this.difference.candidates.filter((one) => spanKey(one) !== spanKey(span)).map(plainSpan)) }),
    );
    this.draw();
    this.editor.querySelector("button").focus();
  }
}

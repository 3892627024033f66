// The history of one span, opened from its menu.

import { node } from "../../page/dom.js";
import { moment, shortScore } from "../../page/messages.js";
import { linkName } from "../../text/links.js";

export class SpanHistory {
  constructor(bench) {
    this.bench = bench;
  }

  async open(mark) {
    const { bench } = this;
    const { say } = bench;
    const answer = await bench.ask("read_span_history", { document: bench.annotation.id, start: mark.start, end: mark.end, label: mark.label });
    if (!answer.ok) return;
    const content = answer.steps.length
      ? node("ol", { class: "lla-history" }, ...answer.steps.map((step) => this.step(step)))
      : node("p", { text: say("annotate_span_history.empty") });
    bench.dialogs.show(say("annotate_span_history.title", { surface: bench.surface(mark), label: mark.label }), content);
  }

  step(step) {
    const when = step.at ? `${moment(this.bench.say, step.at)} · ` : "";
    const lines = [this.change(step), this.prediction(step), ...this.source(step), step.text && step.kind === "commented" ? step.text : ""].filter(Boolean);
    return node(
      "li",
      { class: "lla-event", "data-kind": step.kind },
      node("p", { text: `${when}${step.user} · ${this.bench.say(`annotate_span_history.${step.kind}`)}` }),
      lines.length ? node("ul", {}, ...lines.map((text) => node("li", { text }))) : null,
    );
  }

  named(span) {
    return [`${span.label}  ${this.bench.surface(span)}`, span.link ? linkName(this.bench.say, span.link) : ""].filter(Boolean).join("  ↗ ");
  }

  change(step) {
    if (step.kind === "commented") return "";
    if (step.kind === "reviewed") return `${this.named(step.span)} · ${step.text}`;
    return step.before ? `${this.named(step.before)}  →  ${this.named(step.span)}` : this.named(step.span);
  }

  // Which batch of dictionary labels, by which version of the word list, and where its word came from.
  source(step) {
    const { say } = this.bench;
    if (!step.source) return [];
    const { batch, version, change, list } = step.source;
    return [
      batch && version ? say("annotate_span_history.batch", { batch, version }) : "",
      change ? say(list ? "annotate_span_history.word_from" : "annotate_span_history.word", { change, list }) : "",
    ];
  }

  prediction(step) {
    const { say } = this.bench;
    if (!step.run) return "";
    if (!step.said) return say("annotate_span_history.said_nothing", { run: step.run });
    const score = step.said.score === null || step.said.score === undefined ? "" : ` ${shortScore(step.said.score)}`;
    return say("annotate_span_history.said", { run: step.run, span: `${this.named(step.said)}${score}` });
  }
}

// An edit with a label that was deleted since this page was opened. It is kept in the browser until the user decides about its spans;
// renamed and merged labels need no decision.

import { node } from "../../page/dom.js";
import { contextOf } from "../../text/surfaces.js";
import { withoutGoneLabels } from "../state/decisions.js";
import { contextNode } from "./parts.js";

const DROPPED = "";
const LISTED = 5; // contexts shown of each label

export class GoneLabels {
  constructor(bench) {
    this.bench = bench;
    this.waiting = new Map(); // document -> the server's answer
  }

  get say() {
    return this.bench.say;
  }

  told(edit, answer) {
    const { bench } = this;
    if (answer.project === bench.project) this.adopt(answer.labels);
    this.waiting.set(edit.document, { ...answer, base: edit.base_revision });
    const gone = Object.entries(answer.gone);
    if (gone.length && gone.every(([, next]) => next)) {
      const [[label, next]] = gone;
      this.resolve(edit.document, answer.gone);
      bench.notices.tell(this.say("annotate_gone_labels.renamed", { label, next }));
      return;
    }
    bench.state.textContent = this.say("annotate.kept");
    bench.state.classList.add("lla-unsaved");
    if (bench.annotation?.id === edit.document) this.ask(edit.document);
    else this.warn("elsewhere", edit.document, () => bench.openOf(answer.project, edit.document));
  }

  // The document has come on the screen, perhaps in another page than the one that made the edit.
  follow(document) {
    if (this.waiting.has(document)) this.ask(document);
  }

  adopt(labels) {
    const { bench } = this;
    bench.labels = labels;
    bench.labelPanel.show(labels);
    bench.tools.drawHolding();
  }

  warn(key, document, act) {
    const [label] = Object.keys(this.waiting.get(document).gone);
    const look = node("button", { type: "button", class: "lla-button", onclick: act, text: this.say("annotate.look") });
    this.bench.notices.warn(this.say(`annotate_gone_labels.${key}`, { label }), look);
  }

  ask(document) {
    const { bench, say } = this;
    const { gone, labels } = this.waiting.get(document);
    const choices = new Map(Object.entries(gone).map(([label, next]) => [label, next ?? DROPPED]));
    const { spans } = bench.annotation;
    let decided = false;
    const rows = [...choices].map(([label, next]) => {
      const own = spans.filter((span) => span.label === label);
      const select = node(
        "select",
        { "aria-label": say("annotate_gone_labels.becomes", { label }), "data-label": label, onchange: () => choices.set(label, select.value) },
        node("option", { value: DROPPED, text: say("annotate_gone_labels.drop") }),
        ...labels.map((other) => node("option", { value: other.name, text: say("annotate_gone_labels.as", { label: other.name }) })),
      );
      select.value = next;
      const contexts = own.slice(0, LISTED).map((span) => {
        const { before, surface, after } = contextOf(bench.sentence.offsets, span);
        return node("li", {}, contextNode(before, surface, after));
      });
      const more = own.length > LISTED ? [node("li", { class: "lla-note", text: say("annotate_gone_labels.more", { count: own.length - LISTED }) })] : [];
      return node(
        "section",
        { class: "lla-gone" },
        node("div", { class: "lla-fields" }, node("label", {}, node("span", { text: say("annotate_gone_labels.label", { label, count: own.length }) }), select)),
        node("ul", { class: "lla-gone-places" }, ...contexts, ...more),
      );
    });
    const save = node("button", {
      type: "button",
      class: "lla-button lla-primary",
      "data-act": "resolve",
      text: say("annotate_gone_labels.save"),
      onclick: () => {
        decided = true;
        bench.dialogs.close();
        this.resolve(document, Object.fromEntries(choices));
        bench.announce(say("annotate_gone_labels.did", { label: [...choices.keys()].join(", ") }));
        bench.sentence.text.focus({ preventScroll: true });
      },
    });
    bench.notices.calm();
    bench.dialogs.open({
      title: say("annotate_gone_labels.title"),
      content: [node("p", { text: say("annotate_gone_labels.lead") }), ...rows],
      actions: [save],
      later: say("annotate_conflict.decide_later"),
      closed: () => {
        if (!decided && this.waiting.has(document) && bench.annotation?.id === document) this.warn("waits", document, () => this.ask(document));
      },
    });
  }

  // becomes: by label that is gone, the label in its place, or nothing.
  resolve(document, becomes) {
    const { bench } = this;
    const { base } = this.waiting.get(document);
    const edit = bench.saver.pending(document);
    this.waiting.delete(document);
    if (!edit) return bench.saver.resolve(document, { revision: base }, null);
    const version = withoutGoneLabels(edit, becomes);
    if (bench.annotation?.id === document) {
      bench.annotation.take(version);
      bench.draw();
    }
    bench.saver.resolve(document, { revision: base }, { ...version, status: edit.status, run: edit.run }, "relabel");
  }
}

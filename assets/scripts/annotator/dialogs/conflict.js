// Conflict dialog: two versions with differences marked, to be resolved as a whole or span by span.

import { NO_LABEL_COLOUR } from "../../page/colour.js";
import { node } from "../../page/dom.js";
import { StillSentences } from "../../sentence/still.js";
import { Offsets } from "../../text/offsets.js";
import { difference, keysOf, spanKey } from "../../text/spans.js";
import { contextOf } from "../../text/surfaces.js";
import { mergedVersion } from "../state/decisions.js";
import { contextNode, tickRow } from "./parts.js";

const WHOLE = 3000; // characters: a longer text is shown at its differences only

export class Conflict {
  // options: say, dialogs, colour(label), later(): the person has not decided
  constructor(options) {
    this.options = options;
    this.sentences = new StillSentences();
  }

  // mine, theirs: {spans, rejected}; decide(version) with version null for theirs as it stands.
  show(text, mine, theirs, who, decide) {
    const { say, dialogs } = this.options;
    this.offsets = new Offsets(text);
    this.mine = mine;
    this.theirs = theirs;
    this.decide = decide;
    const { gone, came } = difference(mine.spans, theirs.spans);
    this.only = { mine: gone, theirs: came };
    this.taken = new Set([...this.only.mine, ...this.only.theirs]);
    const box = node("section", { class: "lla-conflict" }, node("p", { text: say("annotate_conflict.text") }));
    const short = this.offsets.length <= WHOLE;
    const versions = short ? [this.version(say("annotate_conflict.mine"), mine.spans, this.only.mine, "mine"), this.version(who, theirs.spans, this.only.theirs, "theirs")] : [];
    if (short) box.append(node("div", { class: "lla-versions" }, ...versions));
    box.append(...this.choices(who));
    const button = (name, version, primary = "") => node("button", { type: "button", class: `lla-button ${primary}`, "data-act": name, onclick: () => this.resolve(version()), text: say(`annotate_conflict.${name}`) });
    dialogs.open({
      title: say("annotate_conflict.title"),
      content: [box],
      actions: [button("keep_mine", () => mine), button("take_theirs", () => null), button("keep_both", () => this.union()), button("keep_ticked", () => this.picked(), "lla-primary")],
      wide: true,
      later: say("annotate_conflict.decide_later"),
      closed: () => this.left(),
    });
    this.sentences.draw();
    box.closest("dialog").querySelector("[data-act=keep_mine]").focus({ preventScroll: true });
  }

  // Common spans are grey; spans of one version keep their colour and a sign.
  version(title, spans, only, side) {
    const own = keysOf(only);
    const marks = spans.map((span) => {
      const differs = own.has(spanKey(span));
      return { ...span, source: "person", score: null, name: differs ? `± ${span.label}` : span.label, colour: differs ? this.options.colour(span.label) : NO_LABEL_COLOUR };
    });
    return node("div", { class: "lla-version", "data-side": side }, node("h3", { text: title }), this.sentences.add(this.offsets.text, marks));
  }

  choices(who) {
    const { say, colour } = this.options;
    const row = (span, side) => {
      const { before, surface, after } = contextOf(this.offsets, span);
      const change = (ticked) => this.taken[ticked ? "add" : "delete"](span);
      const note = `${span.label} · ${side === "mine" ? say("annotate_conflict.only_mine") : say("annotate_conflict.only_theirs")}`;
      return { at: span.start, made: tickRow({ "data-side": side }, true, change, contextNode(before, surface, after, colour(span.label)), node("span", { class: "lla-tick-note", text: note })) };
    };
    const rows = [...this.only.mine.map((span) => row(span, "mine")), ...this.only.theirs.map((span) => row(span, "theirs"))].sort((a, b) => a.at - b.at);
    const list = rows.length ? rows.map((item) => item.made) : [node("p", { class: "lla-note", text: say("annotate_conflict.same_spans") })];
    return [node("h3", { text: say("annotate_conflict.differences") }), node("div", { class: "lla-ticks", role: "group", "aria-label": say("annotate_conflict.differences") }, ...list)];
  }

  merged(extra) {
    return mergedVersion(this.mine, this.theirs, extra);
  }

  union() {
    return this.merged([...this.only.mine, ...this.only.theirs]);
  }

  picked() {
    return this.merged([...this.only.mine, ...this.only.theirs].filter((span) => this.taken.has(span)));
  }

  resolve(version) {
    const { decide } = this;
    this.decide = null;
    this.options.dialogs.close();
    decide(version);
  }

  // However the dialog went away.
  left() {
    this.sentences.close();
    if (this.decide) this.options.later();
    this.decide = null;
  }
}

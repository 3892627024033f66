// The list of documents to review, bulk merge, and undo.

import { node } from "../page/dom.js";
import { currentProject } from "../page/session.js";

const REVIEW_STATES = ["ready", "changed", "unfinished", "reviewed"];

export class ReviewList {
  // options: say, ask(name, payload), open(id), told(text), changed().
  constructor(options) {
    this.options = options;
    this.state = "ready";
    this.current = null;
    this.rows = [];
    this.asked = 0;
    this.root = node("aside", { class: "ll-review-list" });
  }

  // Superseded requests get the response of the latest one.
  load(append = false) {
    this.coming = this.fetch(append, (this.asked += 1));
    return this.coming;
  }

  async fetch(append, asked) {
    this.root.setAttribute("aria-busy", "true");
    const answer = await this.options.ask("review_list", { state: this.state, offset: append ? this.rows.length : 0 });
    if (asked !== this.asked) return this.coming;
    this.root.removeAttribute("aria-busy");
    if (!answer) return null;
    this.rows = append ? [...this.rows, ...answer.rows] : answer.rows;
    this.answer = answer;
    this.draw();
    return answer;
  }

  draw() {
    const { say } = this.options;
    const { counts } = this.answer;
    const states = node(
      "select",
      {
        class: "ll-review-state",
        "aria-label": say("review.state"),
        onchange: (event) => {
          this.state = event.target.value;
          this.load();
        },
      },
      ...REVIEW_STATES.map((state) => node("option", { value: state, text: `${say(`review.state.${state}`)} (${counts[state]})`, selected: state === this.state })),
    );
    const rows = this.rows.map((row) => this.row(row));
    if (!rows.length) rows.push(node("li", { class: "lla-note", text: say(`review.none.${this.state}`) }));
    if (this.rows.length < counts[this.state]) {
      rows.push(node("li", {}, node("button", { type: "button", class: "lla-button", text: say("review.more"), onclick: () => this.load(true) })));
    }
    this.root.replaceChildren(states, node("ul", { class: "ll-review-rows" }, ...rows), this.bulk(), this.undo());
  }

  row(row) {
    const { say } = this.options;
    return node(
      "li",
      {},
      node(
        "button",
        {
          type: "button",
          class: "lla-document ll-review-row",
          "data-document": row.id,
          "aria-current": row.id === this.current ? "true" : null,
          onclick: () => this.options.open(row.id),
        },
        node("span", { class: "lla-excerpt", text: row.excerpt }),
        node("span", { class: "lla-note", text: `${row.done}/${row.handed}${row.unanimous && row.done > 1 ? ` ${say("review.unanimous")}` : ""}` }),
      ),
    );
  }

  // A preview, then the button to merge.
  bulk() {
    const { say } = this.options;
    const { unanimous } = this.answer;
    if (!unanimous.count) return node("div");
    const names = unanimous.names.join(say("review.separator")) + (unanimous.count > unanimous.names.length ? " …" : "");
    return node(
      "details",
      { class: "ll-review-bulk" },
      node("summary", { text: say("review.merge_unanimous", unanimous) }),
      node("p", { class: "lla-note", text: say("review.merge_preview", { names, ...unanimous }) }),
      node("button", { type: "button", class: "lla-button lla-primary", text: say("review.merge_do", unanimous), onclick: (event) => this.mergeAgreed(event.target, unanimous.count) }),
    );
  }

  async mergeAgreed(button, total) {
    const { say, ask } = this.options;
    if (this.merging) {
      this.merging = false; // pressed again: stop after the part under way
      return;
    }
    this.merging = true;
    const project = currentProject();
    let batch = 0;
    let merged = 0;
    while (this.merging) {
      button.textContent = say("review.merging", { merged, total });
      const answer = await ask("review_merge_unanimous", { batch, project });
      if (!answer) break;
      batch = answer.batch;
      merged += answer.merged;
      if (!answer.merged) break;
    }
    this.merging = false;
    if (project !== currentProject()) return;
    this.options.told(say("review.merged_agreed", { merged }));
    this.options.changed();
  }

  undo() {
    const { say, ask } = this.options;
    const { last } = this.answer;
    if (!last) return node("div");
    const take = async () => {
      const answer = await ask("review_undo", { batch: last.batch });
      if (!answer) return;
      this.options.told(say(answer.kept ? "review.undone_some" : "review.undone", answer));
      this.options.changed();
    };
    return node("button", { type: "button", class: "lla-button ll-review-undo", text: say("review.undo", last), onclick: take });
  }

  go(id) {
    this.current = id;
    for (const button of this.root.querySelectorAll(".ll-review-row")) {
      const is = Number(button.dataset.document) === id;
      if (is) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  after(id) {
    const at = this.rows.findIndex((row) => row.id === id);
    return (this.rows[at + 1] ?? this.rows.find((row) => row.id !== id))?.id ?? null;
  }
}

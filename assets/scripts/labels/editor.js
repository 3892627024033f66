// The labels of a project on the Settings page.

import { node } from "../page/dom.js";
import { speaker } from "../page/messages.js";
import { askServer, beginWithPage } from "../page/session.js";
import { MESSAGES } from "./messages.js";
import { written } from "./rows.js";
import { LabelTable } from "./table.js";

class LabelEditor {
  constructor(host, server, trigger) {
    Object.assign(this, { server, trigger });
    this.say = speaker(MESSAGES);
    this.table = new LabelTable({ say: this.say, changed: () => this.mark(true) });
    this.save = node("button", { type: "button", class: "lla-button lla-primary", "data-act": "save", onclick: () => this.put() });
    this.message = node("p", { class: "lla-note", role: "status" });
    this.table.acts.prepend(this.save);
    host.replaceChildren(this.table.root, this.message);
  }

  // A language or a visit alone leaves what is being edited; other labels or another project replace it.
  begin({ language, project, labels, may_change, ...choices }) {
    const base = JSON.stringify([project, labels, may_change]);
    const stays = this.base === base && this.unsaved;
    this.base = base;
    this.say.use(language);
    this.table.readOnly = !may_change;
    this.table.show(stays ? this.table.rows : labels, choices);
    this.save.textContent = this.say("labels.save");
    this.mark(Boolean(stays));
  }

  mark(unsaved) {
    this.unsaved = unsaved;
    this.save.hidden = !unsaved && !this.table.rows.length;
    this.tell(unsaved ? this.say("labels.unsaved") : "");
  }

  tell(text, wrong = false) {
    this.message.textContent = text;
    this.message.classList.toggle("lla-wrong", wrong);
  }

  async put() {
    if (!this.table.check()) return;
    const labels = written(this.table.rows);
    const answer = await askServer(this.server, "save_labels", { labels });
    if (answer.ok) {
      this.unsaved = false;
      this.base = null;
      this.trigger("saved");
      return;
    }
    const message = answer.message ?? this.say("labels.unreachable");
    if (answer.field) {
      const row = this.table.rows.indexOf(labels[answer.row]);
      this.table.tell({ ...answer, row }, message);
      this.table.focus(row, answer.field);
    } else this.tell(message, true);
  }
}

export const mount = (widget) => {
  const { element, server, trigger } = widget;
  const editor = new LabelEditor(element.querySelector(".ll-labels-page"), server, trigger);
  beginWithPage(widget, (page) => editor.begin(page));
};

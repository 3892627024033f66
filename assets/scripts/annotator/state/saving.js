// Saves of documents: of the waiting edits of a document only the newest is sent, on top of the revision it was made on.

import { SendingLine, freshId } from "./sending.js";

export class Saver extends SendingLine {
  // options: send(payload) -> promise of an answer, and the listeners saved(edit, answer),
  // failed(answer, edit), conflict(edit, answer), gone(edit, answer), refused(message, edit).
  constructor(options) {
    super("latticelens.unsent");
    this.options = options;
    this.revisions = new Map(); // document -> revision the server told last
    this.halted = new Set(); // documents that wait for a decision of the person
  }

  // Told by the server with a document. While edits of it wait, their own base stands: taking the newer revision
  // would overwrite what somebody else saved in between.
  know(document, revision) {
    if (!this.pending(document)) this.revisions.set(document, revision);
  }

  pending(document) {
    return this.waiting.filter((edit) => edit.document === document).pop() ?? null;
  }

  // `name`: the id of the edit where an order to other documents shares it; such an edit is sent as it is.
  put(document, action, { spans, rejected, status, reason, run }, name = null) {
    for (const edit of this.waiting.filter((other) => other.document === document && other !== this.flying && !other.tried && !other.named)) {
      this.forget(edit);
    }
    const edit = {
      scope: this.scope,
      document,
      action,
      spans,
      rejected,
      status,
      reason,
      run,
      base_revision: this.revisions.get(document) ?? 0,
      client_edit: name ?? freshId(),
      named: Boolean(name),
      at: this.now(),
    };
    edit.key = `${this.prefix}.${edit.scope}.${edit.document}.${edit.base_revision}.${edit.client_edit}`;
    this.add(edit);
  }

  next() {
    return this.waiting.find((edit) => !this.halted.has(edit.document));
  }

  send(edit) {
    // A retried edit keeps its base: the first attempt may have arrived, and then its id answers for it.
    if (!edit.tried && this.revisions.has(edit.document)) edit.base_revision = this.revisions.get(edit.document);
    edit.tried = true;
    this.keep(edit); // an edit that may have arrived must be known as such after a reload
    const { scope, at, tried, key, named, ...payload } = edit;
    return this.options.send(payload);
  }

  acknowledge(edit, answer) {
    if (answer.ok) {
      this.close(edit);
      this.revisions.set(edit.document, answer.revision);
      this.options.saved(edit, answer);
    } else if (answer.code === "conflict") {
      this.halted.add(edit.document);
      this.options.conflict(this.pending(edit.document), answer);
    } else if (answer.code === "labels_gone") {
      this.halted.add(edit.document);
      this.options.gone(edit, answer);
    } else if (answer.code === "invalid") {
      this.forget(edit);
      this.options.refused(answer.message, edit);
    } else {
      this.later(answer.seconds);
      this.options.failed(answer, edit);
    }
  }

  // Resolve a conflict: drop my version, or save it on top of the current one.
  resolve(document, current, mine, action = "keep_mine") {
    for (const edit of this.waiting.filter((other) => other.document === document)) this.forget(edit);
    this.know(document, current.revision);
    this.halted.delete(document);
    if (mine) this.put(document, action, mine);
    else this.pump();
  }

  isWhole({ spans, rejected }) {
    return Array.isArray(spans) && Array.isArray(rejected);
  }
}

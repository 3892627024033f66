// Saving that loses nothing: one call in flight, of the waiting edits of a document only the newest is sent, an edit stays in
// this browser's storage until the server has acknowledged it, and a repeated edit carries the same id so that it
// applies once.

export const RETRY_SECONDS = [0.5, 1, 2, 4, 8, 15];
const STORAGE = "latticelens.unsent";

export const freshId = () =>
  crypto.randomUUID?.() ?? [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");

export class Saver {
  // options: send(payload) -> promise of an answer, token() -> session token, and the listeners saved(edit, answer),
  // failed(message, edit), conflict(edit, current), gone(edit, answer), refused(message, edit).
  constructor(options) {
    this.options = options;
    this.scope = "";
    this.revisions = new Map(); // document -> revision the server told last
    this.waiting = []; // edits in order; the first may be in flight
    this.flying = null;
    this.halted = new Set(); // documents that wait for a decision of the person
    this.failures = 0;
    this.timer = null;
    window.addEventListener("beforeunload", (event) => {
      if (this.unsent) event.preventDefault();
    });
    window.addEventListener("online", () => this.retry());
  }

  get unsent() {
    return this.waiting.length > 0;
  }

  // What storage still holds of this scope from an earlier page goes out first, ids unchanged.
  begin(scope) {
    if (scope === this.scope) return;
    this.scope = scope;
    this.waiting = this.waiting.filter((edit) => edit.scope === scope);
    for (const edit of this.stored()) {
      if (!this.waiting.some((other) => other.client_edit === edit.client_edit)) this.waiting.push(edit);
    }
    this.waiting.sort((a, b) => a.at - b.at);
    this.pump();
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
  put(document, action, { spans, rejected, status, run }, name = null) {
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
      run,
      base_revision: this.revisions.get(document) ?? 0,
      client_edit: name ?? freshId(),
      named: Boolean(name),
      at: Math.max(Date.now(), (this.waiting[this.waiting.length - 1]?.at ?? 0) + 1),
    };
    this.waiting.push(edit);
    this.store(edit);
    this.pump();
  }

  retry() {
    clearTimeout(this.timer);
    this.timer = null;
    this.pump();
  }

  async pump() {
    if (this.flying || this.timer) return;
    const edit = this.waiting.find((other) => !this.halted.has(other.document));
    if (!edit) return;
    this.flying = edit;
    // A retried edit keeps its base: the first attempt may have arrived, and then its id answers for it.
    if (!edit.tried && this.revisions.has(edit.document)) edit.base_revision = this.revisions.get(edit.document);
    edit.tried = true;
    this.store(edit); // an edit that may have arrived must be known as such after a reload
    let answer;
    try {
      const { scope, at, tried, stored, named, ...payload } = edit;
      answer = await this.options.send({ ...payload, session: this.options.token() });
    } catch (error) {
      answer = { ok: false, code: "unreachable" };
    }
    this.flying = null;
    this.settle(edit, answer ?? { ok: false, code: "unreachable" });
    this.pump();
  }

  settle(edit, answer) {
    if (answer.ok) {
      this.failures = 0;
      this.revisions.set(edit.document, answer.revision);
      this.forget(edit);
      this.options.saved(edit, answer);
    } else if (answer.code === "conflict") {
      this.halted.add(edit.document);
      this.options.conflict(this.pending(edit.document), answer.current);
    } else if (answer.code === "labels_gone") {
      this.halted.add(edit.document);
      this.options.gone(edit, answer);
    } else if (answer.code === "invalid") {
      this.forget(edit);
      this.options.refused(answer.message, edit);
    } else {
      const seconds = RETRY_SECONDS[Math.min(this.failures, RETRY_SECONDS.length - 1)];
      this.failures += 1;
      this.timer = setTimeout(() => this.retry(), seconds * 1000);
      this.options.failed(answer, edit);
    }
  }

  // The person has decided: drop my version, or send it on top of what stands.
  resolve(document, current, mine, action = "keep_mine") {
    for (const edit of this.waiting.filter((other) => other.document === document)) this.forget(edit);
    this.know(document, current.revision);
    this.halted.delete(document);
    if (mine) this.put(document, action, mine);
    else this.pump();
  }

  key(edit) {
    return `${STORAGE}.${edit.scope}.${edit.document}.${edit.base_revision}.${edit.client_edit}`;
  }

  store(edit) {
    edit.stored ??= this.key(edit);
    try {
      localStorage.setItem(edit.stored, JSON.stringify(edit));
    } catch (error) {
      // Storage is full or forbidden: the edit still lives in this page and the page warns before it closes.
    }
  }

  forget(edit) {
    this.waiting = this.waiting.filter((other) => other !== edit);
    try {
      localStorage.removeItem(edit.stored);
    } catch (error) {
      // Nothing was stored then either.
    }
  }

  stored() {
    const edits = [];
    try {
      const prefix = `${STORAGE}.${this.scope}.`;
      for (const key of Object.keys(localStorage).filter((name) => name.startsWith(prefix))) {
        const edit = JSON.parse(localStorage.getItem(key));
        if (edit && Array.isArray(edit.spans) && Array.isArray(edit.rejected)) edits.push({ ...edit, stored: key });
      }
    } catch (error) {
      // Unreadable storage holds nothing that could be sent.
    }
    return edits;
  }
}

// What a person does on the Annotate page: every edit is drawn at once and saved behind it.

class Workbench extends Bench {
  edited(changed, action, text, status = null) {
    if (!changed) return;
    const wanted = status ?? (this.annotation.status === "new" ? "in_progress" : this.annotation.status);
    this.annotation.status = wanted;
    this.draw();
    this.announce(text);
    this.state.textContent = this.say("annotate.saving");
    this.saver.put(this.annotation.id, action, { ...this.annotation.now, status: wanted, run: this.serving?.name ?? null });
    this.queue.mark(this.annotation.id, { status: wanted });
  }

  label(name) {
    if (!this.annotation) return;
    const mark = this.current;
    const span = this.caret.trimmed();
    this.popover.hide();
    if (span) return this.mark({ ...span, label: name });
    if (!mark) return this.announce(this.say("annotate.select_first"));
    if (mark.label === name && mark.source !== "person") return this.accept();
    const fresh = { start: mark.start, end: mark.end, label: name };
    this.edited(this.annotation.correct(mark, fresh), "relabel", this.say("annotate.did.relabel", { surface: this.surface(mark), label: name }));
    this.refocus({ ...fresh, source: "person" });
  }

  mark(span) {
    const text = this.say("annotate.did.label", { surface: this.surface(span), label: span.label });
    this.edited(this.annotation.add(span), "label", text);
    this.caret.set(span.end, span.end);
    this.sentence.text.focus({ preventScroll: true });
  }

  refocus(mark) {
    this.currentKey = markKey(mark);
    if (!this.sentence.focus(this.currentKey)) this.sentence.text.focus({ preventScroll: true });
  }

  // Enter: the focused suggestion, else the first one at or after the caret.
  accept() {
    const open = this.openSuggestions();
    const chosen = this.current && this.current.source !== "person" ? this.current : (open.find((span) => span.start >= this.caret.head) ?? open[0]);
    if (!chosen) return;
    this.popover.hide();
    this.edited(this.annotation.accept([chosen]), "accept", this.say("annotate.did.accept", { surface: this.surface(chosen), label: chosen.label }));
    this.focusNextSuggestion(chosen);
  }

  focusNextSuggestion(after) {
    const left = this.sentence.marks.filter((mark) => mark.source !== "person");
    const next = left.find((mark) => mark.start >= after.start) ?? left[0];
    if (next) this.refocus(next);
    else {
      this.currentKey = null;
      this.sentence.text.focus({ preventScroll: true });
    }
  }

  accept_all() {
    const open = this.openSuggestions();
    this.popover.hide();
    this.edited(this.annotation.accept(open), "accept_all", this.say("annotate.did.accept_all", { count: open.length }));
    this.currentKey = null;
    this.sentence.text.focus({ preventScroll: true });
  }

  reject() {
    const mark = this.current;
    if (!mark || mark.source === "person") return;
    this.popover.hide();
    this.edited(this.annotation.reject(mark), "reject", this.say("annotate.did.reject", { surface: this.surface(mark), label: mark.label }));
    this.focusNextSuggestion(mark);
  }

  remove() {
    const mark = this.current;
    if (!mark) return;
    if (mark.source !== "person") return this.reject();
    this.popover.hide();
    this.edited(this.annotation.remove(mark), "delete", this.say("annotate.did.delete", { surface: this.surface(mark), label: mark.label }));
    this.currentKey = null;
    // The bar that had the focus is gone; without this the keys would go to the body.
    this.sentence.text.focus({ preventScroll: true });
  }

  nudge(side, step) {
    const mark = this.current;
    const span = mark && this.annotation.nudged(mark, side, step);
    if (!span) return;
    const again = this.popover.open;
    this.edited(this.annotation.correct(mark, span), "move", this.say("annotate.did.move", { surface: this.surface(span), label: span.label }));
    const moved = { ...span, source: "person" };
    this.refocus(moved);
    const bar = this.sentence.bar(markKey(moved));
    if (again && bar) this.pick(moved, bar);
  }

  left_out() {
    this.nudge("start", -1);
  }

  left_in() {
    this.nudge("start", 1);
  }

  right_out() {
    this.nudge("end", 1);
  }

  right_in() {
    this.nudge("end", -1);
  }

  undo() {
    this.popover.hide();
    this.edited(this.annotation.undo(), "undo", this.say("annotate.did.undo"));
  }

  redo() {
    this.popover.hide();
    this.edited(this.annotation.redo(), "redo", this.say("annotate.did.redo"));
  }

  async done() {
    this.edited(true, "done", this.say("annotate.did.done"), "done");
    await this.next();
  }

  reopen() {
    this.edited(true, "reopen", this.say("annotate.did.reopen"), "in_progress");
  }

  // ------------------------------------------------------------------ moving between documents

  async go(step) {
    const id = await this.queue.beside(step);
    if (id === null) return this.announce(this.say(step > 0 ? "annotate.last" : "annotate.first"));
    await this.open(id);
    this.sentence.text.focus({ preventScroll: true });
  }

  next() {
    return this.go(1);
  }

  previous() {
    return this.go(-1);
  }

  keys() {
    this.dialogs.keys();
  }

  async history() {
    const { id } = this.annotation;
    const answer = await this.ask("read_history", { document: id });
    if (!answer.ok) return;
    this.dialogs.history(answer.events, (span) => this.surface(span), async (revision) => {
      this.dialogs.close();
      const restored = await this.ask("restore_revision", { document: id, revision, base_revision: this.saver.revisions.get(id) });
      if (!restored.ok) return;
      this.show(restored);
      this.stateSaved(restored.at);
    });
  }

  // ------------------------------------------------------------------ the tagger

  ask_tagger() {
    return this.suggest([]);
  }

  async suggest(without) {
    const { id } = this.annotation;
    this.desk.classList.add("lla-busy");
    const answer = await this.ask("suggest_spans", { document: id, without });
    this.desk.classList.remove("lla-busy");
    if (!answer.ok || this.annotation.id !== id) return this.showWords();
    this.notices.calm();
    const tagged = answer.suggestions.filter((span) => span.source === "tagger");
    if (!without.length) this.tagged = tagged;
    this.annotation.suggestions = answer.suggestions;
    this.words = answer.words;
    this.serving = answer.serving;
    this.showWords();
    this.wordPanel.compare(this.tagged, tagged, (span) => this.surface(span));
    this.draw();
    const told = this.say("annotate.asked", { found: tagged.length, open: this.openSuggestions().length });
    this.announce(told);
    this.state.textContent = told;
    const scores = this.tagged.map((span) => span.score).filter((score) => typeof score === "number");
    this.queue.mark(id, { confidence: scores.length ? Math.min(...scores) : null });
  }

  // ------------------------------------------------------------------ what saving tells

  stateSaved(at) {
    this.state.textContent = this.say("annotate.saved", { time: clock(new Date(at)) });
    this.state.classList.remove("lla-unsaved");
  }

  saved(edit, answer) {
    if (!this.saver.unsent) {
      this.notices.calm();
      this.stateSaved(answer.at);
    }
    document.dispatchEvent(new CustomEvent("latticelens:saved", { detail: { document: edit.document, at: answer.at } }));
  }

  failed(answer) {
    const reason = answer.message ?? this.say("annotate.unreachable");
    const retry = node("button", { type: "button", class: "lla-button", onclick: () => this.saver.retry(), text: this.say("annotate.retry") });
    this.notices.warn(this.say("annotate.not_saved", { reason }), answer.code === "session" ? this.reloader() : retry);
    this.state.textContent = this.say("annotate.kept");
    this.state.classList.add("lla-unsaved");
  }

  refused(message, edit) {
    this.notices.warn(this.say("annotate.refused", { reason: message }));
    this.state.textContent = this.say("annotate.refused_short");
    if (this.annotation?.id === edit.document) this.open(edit.document, { keepNotice: true });
  }

  conflicted(edit, current) {
    this.conflicts.set(edit.document, current);
    this.state.textContent = this.say("annotate.kept");
    if (this.annotation?.id === edit.document) this.showConflict();
    else this.notices.warn(this.say("annotate.conflict_elsewhere"), node("button", { type: "button", class: "lla-button", onclick: () => this.open(edit.document), text: this.say("annotate.look") }));
  }

  showConflict() {
    const { id, text } = this.annotation;
    const current = this.conflicts.get(id);
    const who = this.say("annotate.theirs", { user: current.user, time: clock(new Date(current.at)) });
    this.notices.conflict(text, this.annotation.spans, current.spans, who, (spans) => this.marksOf(spans), (mine) => {
      this.conflicts.delete(id);
      this.saver.resolve(id, current, mine ? { ...this.annotation.now, status: this.annotation.status, run: this.serving?.name ?? null } : null);
      if (mine) return;
      this.annotation.take(current);
      this.annotation.status = current.status ?? this.annotation.status;
      this.draw();
      this.announce(this.say("annotate.did.theirs"));
      this.sentence.text.focus({ preventScroll: true });
    });
  }
}

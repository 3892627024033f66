// The Annotate page: one document in the middle, every edit saved, every other part a view of it.

const NO_LABEL_COLOUR = "#666666";

class Workbench {
  // host: the element to fill; server: open_document, save_edit, list_queue, suggest_spans, read_history,
  // restore_revision, list_words; notify(event, data): tells the page around (go to another page).
  constructor(host, server, catalogue, notify) {
    this.server = server;
    this.notify = notify;
    this.say = speaker(catalogue);
    this.token = "";
    this.labels = [];
    this.annotation = null;
    this.words = [];
    this.serving = null;
    this.conflicts = new Map();
    this.opening = 0;
    this.host = host;
    this.assemble();
    new Keyboard(this);
  }

  assemble() {
    const { say } = this;
    this.notices = new Notices(say);
    this.saver = new Saver({
      send: (payload) => this.server.save_edit(payload),
      token: () => this.token,
      saved: (edit, answer) => this.saved(edit, answer),
      failed: (answer) => this.failed(answer),
      refused: (message, edit) => this.refused(message, edit),
      conflict: (edit, current) => this.conflicted(edit, current),
    });
    this.sentence = new Sentence({
      pick: (mark, bar) => this.pick(mark, bar),
      describe: (mark, surface) => this.describe(mark, surface),
      drawn: () => this.caret?.draw(),
    });
    this.caret = new Caret(this.sentence, { moved: () => this.moved(), words: () => this.words });
    this.stage = node("div", { class: "lla-stage" }, this.sentence.root);
    this.popover = new Popover(this.sentence.root, {
      say,
      labels: () => this.labels,
      choose: (label) => this.label(label),
      act: (name) => this[name](),
    });
    this.queue = new Queue({
      say,
      labels: () => this.labels,
      fetch: (query) => this.ask("list_queue", query),
      choose: (id) => this.open(id),
    });
    this.labelPanel = new LabelPanel({ say, choose: (label) => this.label(label) });
    this.suggestionPanel = new SuggestionPanel({ say, changed: () => this.draw() });
    this.wordPanel = new WordPanel({ say, drop: (words) => this.suggest(words) });
    this.dialogs = new Dialogs(this.host, say);
    this.toolbar = node("div", { class: "lla-toolbar", role: "toolbar" });
    this.state = node("span", { class: "lla-state", role: "status" });
    this.live = node("div", { class: "lla-live", role: "status", "aria-live": "polite" });
    this.empty = node("div", { class: "lla-empty", hidden: true });
    this.desk = node("div", { class: "lla-desk" }, this.toolbar, this.stage, this.wordPanel.root);
    this.side = node("aside", { class: "lla-side" }, this.labelPanel.root, this.suggestionPanel.root);
    this.grid = node("div", { class: "lla-grid-page" }, this.queue.root, this.desk, this.side);
    this.sentence.bars.addEventListener("focusin", (event) => this.focused(event.target.dataset.key));
    this.host.replaceChildren(this.notices.root, this.empty, this.grid, this.live, this.dialogs.box);
    this.host.classList.add("lla-waiting");
  }

  // A new session, project or language: everything on the page is read again.
  async begin({ token, language, project, document }) {
    const stay = project === this.project && this.annotation ? this.annotation.id : null;
    this.project = project;
    this.token = token;
    this.say.use(language);
    this.host.lang = language;
    this.notices.firstVisit();
    this.suggestionPanel.build();
    await this.open(document ?? stay, { afresh: true });
  }

  async ask(name, payload = {}) {
    try {
      const answer = await this.server[name]({ ...payload, session: this.token });
      if (!answer.ok) this.trouble(answer);
      return answer;
    } catch (error) {
      const answer = { ok: false, code: "unreachable" };
      this.trouble(answer);
      return answer;
    }
  }

  trouble(answer) {
    this.notices.warn(answer.message ?? this.say("annotate.unreachable"), answer.code === "session" ? this.reloader() : null);
  }

  // Unsent edits are in this browser's storage; the next page sends them.
  reloader() {
    return node("button", { type: "button", class: "lla-button", onclick: () => location.reload(), text: this.say("annotate.reload") });
  }

  async open(id, { afresh = false, keepNotice = false } = {}) {
    const opening = (this.opening += 1);
    const answer = await this.ask("open_document", { document: id });
    if (opening !== this.opening || !answer.ok) return;
    if (!this.saver.unsent && !keepNotice) this.notices.calm();
    this.host.classList.remove("lla-waiting");
    if (afresh || !this.queue.order) {
      this.labels = answer.labels;
      this.labelPanel.show(answer.labels);
      this.queue.build();
      this.queue.load();
    }
    this.saver.begin(answer.scope);
    this.show(answer);
  }

  show(answer) {
    const { document: found } = answer;
    this.serving = answer.serving;
    this.empty.hidden = Boolean(found);
    this.grid.hidden = !found;
    if (!found) return this.showEmpty();
    this.popover.hide();
    this.notices.noConflict();
    const before = this.annotation;
    const untouched = before?.id === found.id && this.saver.revisions.get(found.id) === found.revision;
    this.annotation = new Annotation({ ...found, suggestions: answer.suggestions });
    if (untouched) Object.assign(this.annotation, { past: before.past, future: before.future });
    this.saver.know(found.id, found.revision);
    const unsent = this.saver.pending(found.id);
    if (unsent) this.annotation.replace(unsent);
    this.words = [];
    this.wordPanel.reset();
    this.readWords(found.id);
    this.tagged = answer.suggestions.filter((span) => span.source === "tagger");
    this.sentence.show(found.text);
    this.caret.reset();
    this.draw();
    this.queue.go(found.id);
    this.announce(this.say("annotate.opened", { spans: this.annotation.spans.length, suggestions: this.openSuggestions().length }));
    if (this.conflicts.has(found.id)) this.showConflict();
  }

  showEmpty() {
    this.annotation = null;
    const go = node("button", { type: "button", class: "lla-button lla-primary", onclick: () => this.notify("leave", { page: "data" }), text: this.say("annotate.empty_go") });
    this.empty.replaceChildren(node("p", { text: this.say("annotate.empty") }), go);
  }

  // ------------------------------------------------------------------ drawing

  colour(name) {
    return this.labels.find((label) => label.name === name)?.colour ?? NO_LABEL_COLOUR;
  }

  openSuggestions() {
    return this.annotation?.open(this.suggestionPanel.view) ?? [];
  }

  marksOf(spans) {
    return spans.map((span) => ({ ...span, source: "person", score: null, colour: this.colour(span.label) }));
  }

  draw() {
    if (!this.annotation) return;
    const suggested = this.openSuggestions().map((span) => ({ ...span, colour: this.colour(span.label) }));
    this.sentence.setMarks([...this.marksOf(this.annotation.spans), ...suggested]);
    this.drawToolbar();
  }

  drawToolbar() {
    const { say } = this;
    const waiting = this.openSuggestions().length;
    const button = (name, key, enabled, kind = "", sign = null) =>
      pressable(
        { class: `lla-button ${kind}`, "data-action": name, disabled: !enabled, title: say(`annotate.key.${name}`), "aria-label": sign && say(`annotate.${name}`), onclick: () => this[name]() },
        node("span", { text: sign ?? say(`annotate.${name}`) }),
        key ? node("kbd", { text: key }) : null,
      );
    const done = this.annotation.status === "done";
    const toAsk = this.serving && !this.serving.answered;
    const ask = button("ask_tagger", "", this.serving, toAsk ? "lla-primary" : "");
    if (!this.serving) ask.title = say("annotate.no_serving");
    const parts = [
      ask,
      button("accept", "⏎", waiting, waiting ? "lla-primary" : ""),
      button("accept_all", "⇧⏎", waiting),
      button("undo", onApple ? "⌘Z" : "^Z", this.annotation.past.length),
      button("redo", "", this.annotation.future.length),
      button("previous", "k", true, "", "‹"),
      button("next", "j", true, "", "›"),
      button(done ? "reopen" : "done", "d", true),
      button("history", "", true, "lla-plain"),
      button("keys", "?", true, "lla-plain"),
      this.state,
    ];
    const focused = this.toolbar.contains(document.activeElement) ? document.activeElement.dataset.action : null;
    this.toolbar.setAttribute("aria-label", say("annotate.toolbar"));
    this.toolbar.replaceChildren(...parts);
    if (focused) this.toolbar.querySelector(`[data-action="${focused}"]`)?.focus();
  }

  // After the document is on the screen: the first time a lexicon may have to be read.
  async readWords(id) {
    const answer = await this.ask("list_words", { document: id });
    if (!answer.ok || this.annotation?.id !== id) return;
    this.words = answer.words;
    this.showWords();
  }

  showWords() {
    const { offsets } = this.sentence;
    this.wordPanel.show(this.words.map(([start, end]) => offsets.slice(start, end)), this.serving);
  }

  describe(mark, surface) {
    const score = shortScore(mark.score);
    return this.say(`annotate.mark.${mark.source}`, { label: mark.label, surface, score: score || this.say("annotate.no_score") });
  }

  announce(text) {
    this.live.textContent = text;
  }

  surface(span) {
    return this.sentence.offsets.slice(span.start, span.end);
  }

  // ------------------------------------------------------------------ selecting

  get current() {
    const key = this.currentKey;
    return key ? (this.sentence.marks.find((mark) => markKey(mark) === key) ?? null) : null;
  }

  focused(key) {
    this.currentKey = key;
    this.caret.collapse(); // the mark is what the next key is about, not an older selection
    if (this.current) this.labelPanel.guide(this.current.label);
  }

  moved() {
    this.host.classList.toggle("lla-selecting", !this.caret.empty);
    if (document.activeElement === this.sentence.text || !this.caret.empty) this.currentKey = null;
    const over = this.sentence.marks.filter((mark) => mark.start <= this.caret.head && this.caret.head < mark.end);
    over.sort((a, b) => a.end - a.start - (b.end - b.start));
    if (over.length) this.labelPanel.guide(over[0].label);
    if (this.caret.empty && this.popover.open && !this.current) this.popover.hide();
  }

  pick(mark, bar) {
    bar.focus({ preventScroll: true });
    this.focused(markKey(mark));
    this.labelPanel.guide(mark.label);
    this.popover.show(mark, this.surface(mark), { left: bar.offsetLeft, bottom: bar.offsetTop + bar.offsetHeight });
  }

  // Where a mouse selection ended, the labels are offered beside it; on touch the label bar is already under the thumb.
  offerLabels() {
    const span = this.caret.trimmed();
    if (!span) return;
    const boxes = this.sentence.boxes(span.start, span.end);
    const last = boxes[boxes.length - 1];
    if (last) this.popover.show(null, this.surface(span), last);
  }

  // ------------------------------------------------------------------ editing

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
      this.annotation.past.push(this.annotation.now);
      this.annotation.replace(current);
      this.annotation.status = current.status ?? this.annotation.status;
      this.draw();
      this.announce(this.say("annotate.did.theirs"));
      this.sentence.text.focus({ preventScroll: true });
    });
  }
}

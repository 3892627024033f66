// The view of the current document. Edits are in workbench.js.

import { NO_LABEL_COLOUR } from "../page/colour.js";
import { node } from "../page/dom.js";
import { speaker } from "../page/messages.js";
import { rove } from "../page/roving.js";
import { askServer, currentProject, goTo, newProject, readPlace, writePlace } from "../page/session.js";
import { Sentence } from "../sentence/sentence.js";
import { linkName } from "../text/links.js";
import { markKey } from "../text/spans.js";
import { Dialogs } from "./dialogs/dialogs.js";
import { Notices } from "./notices.js";
import { Offers } from "./offers.js";
import { Aside } from "./panels/aside.js";
import { GuidelineDrawer } from "./panels/guideline_drawer.js";
import { KeySentences } from "./panels/key_sentences.js";
import { LabelPanel } from "./panels/label_panel.js";
import { Queue } from "./panels/queue.js";
import { SimilarPanel } from "./panels/similar_panel.js";
import { StreamView } from "./panels/stream_view.js";
import { Toolbar } from "./panels/toolbar.js";
import { WhyPanel } from "./panels/why_panel.js";
import { WordPanel } from "./panels/word_panel.js";
import { Caret } from "./selecting/caret.js";
import { Keyboard } from "./selecting/keyboard.js";
import { Popover } from "./selecting/popover.js";
import { Annotation } from "./state/annotation.js";
import { Attached } from "./state/attached.js";
import { Saver } from "./state/saving.js";
import { agreement, describeSuggestion } from "./state/suggested.js";
import { Tagging } from "./tagging.js";
import { Tools } from "./tools.js";
import { MESSAGES } from "./messages.js";

export class Bench {
  // host: the element to fill; server: open_document, save_edit, list_queue, suggest_spans, read_history,
  // restore_revision, list_words; notify(event, data): tells the page around (go to another page).
  constructor(host, server, notify) {
    this.server = server;
    this.notify = notify;
    this.say = speaker(MESSAGES);
    this.labels = [];
    this.annotation = null;
    this.words = [];
    this.read = false; // whether the active tagger has read the words
    this.activeRun = null;
    this.conflicts = new Map();
    this.opening = 0;
    this.host = host;
    this.assemble();
    new Keyboard(this);
  }

  assemble() {
    const { say } = this;
    this.notices = new Notices(say, this.host, () => this.focusText());
    this.saver = new Saver({
      send: (payload) => askServer(this.server, "save_edit", { ...payload, project: undefined }), // of the document, whatever is open by now
      saved: (edit, answer) => this.saved(edit, answer),
      failed: (answer) => this.failed(answer),
      refused: (message, edit) => this.refused(message, edit),
      conflict: (edit, answer) => this.conflicted(edit, answer),
      gone: (edit, answer) => this.tools.gone.told(edit, answer),
    });
    this.sentence = new Sentence({
      pick: (mark, bar) => this.pick(mark, bar),
      describe: (mark, surface) => this.describe(mark, surface),
      drawn: () => {
        this.caret?.draw();
        this.tools?.relations.draw();
        this.tools?.follow();
        this.offers?.annotated.draw();
        this.keySentences?.drawLines();
      },
      scrolled: () => this.tagging.scrolled(),
      walked: true,
    });
    this.caret = new Caret(this.sentence, { moved: () => this.moved(), words: () => this.words });
    this.stage = node("div", { class: "lla-stage" }, this.sentence.root);
    this.popover = new Popover(this.sentence.root, {
      say,
      labels: () => this.labels,
      choose: (label) => this.label(label),
      act: (name) => this[name](),
      acts: ["why", "others", "link", "comment", "span_history"],
      note: (mark) => mark?.link && this.say("annotate_link.now", { name: linkName(this.say, mark.link) }),
      more: (mark) => this.tools.relations.menu(mark),
    });
    this.queue = new Queue({
      say,
      labels: () => this.labels,
      fetch: (query) => this.ask("list_queue", query),
      ask: (call, payload) => this.ask(call, payload),
      choose: (id) => this.visit(id),
      dialogs: () => this.dialogs,
      narrowed: () => this.streamView.followQueue(),
      isSaving: (id) => this.saver.pending(id) !== null,
      isLeft: () => this.isOfAnotherProject,
    });
    this.labelPanel = new LabelPanel({ say, choose: (label) => this.choose(label) });
    this.offers = new Offers(this);
    this.suggestionPanel = this.offers.panel;
    this.wordPanel = new WordPanel({ say, drop: (words) => this.suggest(words), select: (word) => this.tools.selectWord(word) });
    this.dialogs = new Dialogs(this.host, say, () => this.focusText());
    this.tools = new Tools(this);
    this.tagging = new Tagging(this);
    this.similar = new SimilarPanel(this);
    this.keySentences = new KeySentences(this);
    this.aside = new Aside(this);
    this.guide = new GuidelineDrawer(this);
    this.whyPanel = new WhyPanel(this);
    this.streamView = new StreamView(this);
    this.toolbar = new Toolbar(this);
    this.state = this.toolbar.state;
    this.toolbars = node("div", { class: "lla-toolbars", role: "toolbar" }, this.toolbar.root, this.tools.strip);
    this.live = node("div", { class: "lla-live", role: "status", "aria-live": "polite" });
    this.empty = node("div", { class: "lla-empty", hidden: true });
    this.desk = node("div", { class: "lla-desk" }, this.toolbars, this.aside.root, this.tagging.root, this.stage, this.offers.annotated.root, this.wordPanel.root);
    this.middle = node("div", { class: "lla-middle" }, this.desk);
    this.side = node("aside", { class: "lla-side" }, this.labelPanel.root, this.suggestionPanel.root, this.keySentences.root, this.tools.comments.root);
    // The text comes first for the keyboard; the queue stands left of it.
    this.grid = node("div", { class: "lla-grid-page" }, this.middle, this.guide.root, this.side, this.whyPanel.root, this.queue.root);
    this.sentence.bars.addEventListener("focusin", (event) => this.focused(event.target.dataset.key));
    this.host.replaceChildren(this.empty, this.grid, this.notices.root, this.live, this.dialogs.box);
    this.host.classList.add("lla-annotator", "lla-waiting");
    for (const group of [this.toolbars, this.labelPanel.bar]) rove(group, "button");
    rove(this.queue.list, "button", { axis: "column", current: "[aria-current]" });
  }

  // A new session, project or language: everything on the page is read again.
  async begin({ language, project, document, filter }) {
    const stay = this.placed() ?? (project === this.project ? this.annotation?.id : null);
    if (project !== this.project) {
      this.queue.forget();
      this.similar.forget();
      this.suggestionPanel.forget();
    }
    if (filter) this.queue.narrow(filter);
    if (document) writePlace("annotate", { document, span: "" }); // turning to this page was the step
    this.streamView.stop();
    const again = project === this.project;
    this.project = project;
    this.say.use(language);
    this.host.lang = language;
    this.sentence.text.setAttribute("aria-label", this.say("annotate.text"));
    this.toolbars.setAttribute("aria-label", this.say("annotate.toolbar"));
    this.notices.firstVisit();
    this.tools.build();
    this.suggestionPanel.build();
    this.unbuilt = true;
    await this.open(document ?? stay);
    this.guide.begin(language);
    this.streamView.begin(again);
  }

  // The document that the address names, if any.
  placed() {
    return Number(readPlace("annotate").document) || null;
  }

  // The address names the open document, and the span that has the focus: a link to it gives it the focus.
  standAt(id, step) {
    const { span } = this.placed() === id ? readPlace("annotate") : {};
    const mark = span && this.sentence.marks.find(({ start, end }) => span === `${start}-${end}`);
    writePlace("annotate", { document: id, span: mark ? span : "" }, step);
    if (mark) this.refocus(mark);
  }

  // Back, forward or a link.
  async followPlace() {
    if (!this.annotation || this.isOfAnotherProject) return;
    this.queue.followPlace();
    const left = this.streamView.follow();
    if (this.streamView.on) return;
    const id = this.placed() ?? left;
    const elsewhere = this.unbuilt || (id && (left || id !== this.annotation.id));
    if (!elsewhere) this.opening += 1; // what an earlier step opens is not wanted any more
    else if (!(await this.open(id))) return;
    if (this.annotation) this.standAt(this.annotation.id, false);
  }

  // Whether the project was changed and the page is about to begin anew: what is still answered of the one before is not shown,
  // nor does it stand in the address.
  get isOfAnotherProject() {
    return this.project !== currentProject();
  }

  async ask(name, payload = {}) {
    const { project } = this;
    const answer = await this.quietly(name, payload);
    if (!answer.ok && project === this.project && !this.isOfAnotherProject) this.trouble(answer);
    return answer;
  }

  // For what the page can do without, or where the answer is shown in its own place.
  quietly(name, payload = {}) {
    return askServer(this.server, name, { project: this.project, ...payload });
  }

  trouble(answer) {
    this.notices.warn(answer.message ?? this.say("annotate.unreachable"), answer.code === "session" ? this.reloader() : null);
  }

  // Unsent edits are in this browser's storage; the next page sends them.
  reloader() {
    return node("button", { type: "button", class: "lla-button", onclick: () => location.reload(), text: this.say("annotate.reload") });
  }

  // Returns whether nothing else was opened in the meantime.
  async open(id, { keepNotice = false } = {}) {
    const opening = (this.opening += 1);
    const answer = await this.ask("open_document", { document: id });
    if (opening !== this.opening || this.isOfAnotherProject) return false;
    if (!answer.ok) return answer.code === "invalid" && this.unbuilt ? this.turnedAway(id, answer) : true;
    if (!this.saver.unsent && !keepNotice) this.notices.calm();
    this.host.classList.remove("lla-waiting");
    if (this.unbuilt) {
      this.unbuilt = false;
      this.labels = answer.labels;
      this.labelPanel.show(answer.labels);
      this.tools.drawHolding();
      this.queue.build();
      this.queue.load();
    }
    this.saver.begin(answer.scope);
    if (this.streamView.on) this.streamView.take(answer);
    else this.show(answer);
    return true;
  }

  // A document of any project: an edit may be answered after the project was changed.
  openOf(project, id) {
    return project === this.project ? this.open(id) : goTo("annotate", { project, document: id });
  }

  // What a person chose: the keys go on in its text.
  async visit(id) {
    await this.open(id);
    this.focusText();
  }

  focusText() {
    if (this.streamView.on) this.streamView.focus();
    else this.sentence.text.focus({ preventScroll: true });
  }

  show(answer) {
    const { document: found } = answer;
    this.activeRun = answer.active_run;
    this.empty.hidden = Boolean(found);
    this.grid.hidden = !found;
    if (!found) return this.showEmpty(answer.handed);
    this.popover.hide();
    const before = this.annotation;
    const untouched = before?.id === found.id && this.saver.revisions.get(found.id) === found.revision;
    this.annotation = new Annotation({ ...found, suggestions: answer.suggestions, nested: answer.nested });
    if (untouched && before.remembered) Object.assign(this.annotation, { past: before.past, future: before.future, remembered: before.remembered });
    this.saver.know(found.id, found.revision);
    const unsent = this.saver.pending(found.id);
    if (unsent) this.annotation.take(unsent);
    this.words = [];
    this.wordPanel.reset();
    this.tagging.reset();
    this.tagged = answer.suggestions.filter((span) => span.source === "tagger");
    this.attached = new Attached(found);
    this.sentence.show(found.text);
    // For a long document the list covers the visible part.
    (this.sentence.alone ? this.stage : this.labelPanel.root).after(this.tools.relations.root);
    this.offers.show(answer);
    this.host.classList.toggle("lla-long-document", !this.sentence.alone);
    if (this.sentence.alone) this.readWords(found.id);
    // Another document begins at its beginning, however far down the last one was read.
    if (before?.id !== found.id) this.whyPanel.clear();
    if (before?.id !== found.id && this.desk.getBoundingClientRect().top < 0) this.desk.scrollIntoView({ block: "start" });
    this.caret.reset();
    this.draw();
    this.tools.show(found, answer.scope ?? this.saver.scope);
    this.queue.go(found.id);
    this.standAt(found.id, Boolean(before) && before.id !== found.id);
    this.similar.begin(this.sentence.alone);
    this.keySentences.begin(found);
    this.announce(this.say("annotate.opened", { spans: this.annotation.spans.length, suggestions: this.openSuggestions().length }));
    if (this.conflicts.has(found.id)) this.showConflict();
    this.tools.gone.follow(found.id);
  }

  // Another name, another role: this document may be closed now. Try what is open, else say why nothing is.
  turnedAway(id, answer) {
    if (id) return this.open(null);
    this.annotation = null;
    this.host.classList.remove("lla-waiting");
    this.grid.hidden = true;
    this.empty.hidden = false;
    this.empty.replaceChildren(node("p", { text: answer.message }));
    return true;
  }

  showEmpty(handed) {
    this.annotation = null;
    if (handed) return this.empty.replaceChildren(node("p", { text: this.say("annotate.empty_handed") }));
    const go = node("button", { type: "button", class: "lla-button lla-primary ll-needs-import", onclick: () => this.notify("leave", { page: "data" }), text: this.say("annotate.empty_go") });
    const fresh = node("button", { type: "button", class: "lla-button", onclick: newProject, text: this.say("annotate.empty_new") });
    const whoMay = node("p", { class: "ll-without ll-without-import", text: this.say("annotate.empty_who_may") });
    this.empty.replaceChildren(node("p", { text: this.say("annotate.empty") }), whoMay, node("div", { class: "lla-row lla-empty-acts" }, go, fresh));
  }

  // ------------------------------------------------------------------ drawing

  colour(name) {
    return this.labels.find((label) => label.name === name)?.colour ?? NO_LABEL_COLOUR;
  }

  openSuggestions() {
    return this.annotation?.open(this.suggestionPanel.view) ?? [];
  }

  // In a flat project fewer than the open ones where those overlap.
  acceptableSuggestions() {
    return this.annotation.acceptable(this.suggestionPanel.view);
  }

  marksOf(spans) {
    const told = ({ link, label }) => (link ? { name: `${label} ↗`, title: linkName(this.say, link) } : {});
    return spans.map((span) => ({ ...span, ...told(span), source: "person", score: null, colour: this.colour(span.label) }));
  }

  draw() {
    if (!this.annotation) return;
    if (this.streamView.on) return this.streamView.draw();
    const suggested = this.openSuggestions().map((span) => ({ ...span, colour: this.colour(span.label), also: agreement(this.say, span) }));
    const { relations } = this.tools;
    relations.show(this.attached.relationsAmong(this.annotation.spans));
    const read = this.attached.marks(this.say, (label) => this.colour(label));
    this.sentence.setMarks(relations.counted(this.tools.counted([...this.marksOf(this.annotation.spans), ...suggested])), relations.counted(read));
    this.aside.draw();
    this.drawToolbar();
  }

  drawToolbar() {
    if (!this.streamView.on) this.toolbar.draw();
  }

  // What a phone keeps behind the dots.
  seldom() {
    this.toolbar.unfold();
  }

  // After the document is on the screen: the first time a lexicon may have to be read.
  async readWords(id) {
    const answer = await this.ask("list_words", { document: id });
    if (!answer.ok || this.annotation?.id !== id) return;
    this.showWords(answer);
  }

  showWords({ words = this.words, read = this.read } = {}) {
    const { offsets } = this.sentence;
    Object.assign(this, { words, read });
    this.wordPanel.show(words.map(([start, end]) => offsets.slice(start, end)), this.activeRun && read);
  }

  describe(mark, surface) {
    const seen = describeSuggestion(this.say, mark, surface);
    const told = mark.link ? this.say("annotate.mark.link", { told: seen, name: linkName(this.say, mark.link) }) : seen;
    const commented = mark.comments ? this.say("annotate.mark.comments", { told, count: mark.comments }) : told;
    return mark.relations ? this.tools.relations.describe(commented, mark) : commented;
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
    return key ? this.sentence.mark(key) : null;
  }

  focused(key) {
    this.currentKey = key;
    this.caret.collapse(); // the mark is what the next key is about, not an older selection
    if (!this.current) return;
    const { label, start, end } = this.current;
    this.labelPanel.guide(label);
    writePlace("annotate", { span: `${start}-${end}` });
    this.tools.follow();
    this.whyPanel.follow(this.current);
  }

  moved() {
    this.host.classList.toggle("lla-selecting", !this.caret.empty);
    if (document.activeElement === this.sentence.text || !this.caret.empty) this.currentKey = null;
    const over = this.sentence.marks.filter((mark) => mark.start <= this.caret.head && this.caret.head < mark.end);
    over.sort((a, b) => a.end - a.start - (b.end - b.start));
    if (over.length) this.labelPanel.guide(over[0].label);
    if (this.caret.empty && this.popover.open && !this.current) this.popover.hide();
    this.tools?.follow();
    this.tools?.moved();
    this.similar?.moved();
  }

  // Nothing is selected any more. Tab goes on from the mark that was.
  deselect() {
    const { current } = this;
    this.popover.hide();
    this.currentKey = null;
    if (current) {
      this.focusText();
      this.caret.set(current.end, current.end);
    } else this.caret.clear();
    this.tools.follow();
  }

  // The mark after the focused one, or before it; from the text the next one after the caret, and after the last the first.
  markBeside(backwards) {
    const { marks } = this.sentence;
    const key = document.activeElement.dataset.key;
    const at = key ? marks.findIndex((mark) => markKey(mark) === key) : -1;
    if (at >= 0) return marks[at + (backwards ? -1 : 1)] ?? null;
    return backwards ? null : (marks.find((mark) => mark.start >= this.caret.head) ?? marks[0] ?? null);
  }

  pick(mark, bar) {
    bar.focus({ preventScroll: true });
    this.focused(markKey(mark));
    this.labelPanel.guide(mark.label);
    const [{ top }] = this.sentence.boxes(mark.start, mark.end);
    this.popover.show(mark, this.surface(mark), { ...this.sentence.placeOf(bar), top });
  }

  // Where a mouse selection ended, the labels are offered beside it; on touch the label bar is already under the thumb.
  offerLabels() {
    const span = this.caret.trimmed();
    if (!span) return;
    const boxes = this.sentence.boxes(span.start, span.end);
    const last = boxes[boxes.length - 1];
    if (last) this.popover.show(null, this.surface(span), last);
  }
}

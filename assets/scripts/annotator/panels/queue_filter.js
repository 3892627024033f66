// What the queue is narrowed by: work sets, status, label, split, people, metadata and a search, all at once.

import { node } from "../../page/dom.js";
import { moment, shortScore } from "../../page/messages.js";
import { FURTHER, NOTHING, filterOf, isNarrow, sameFilter } from "../state/filters.js";

export const STATUS_MARKS = { new: "○", preannotated: "◌", imported: "◇", in_progress: "●", to_check: "!", done: "✓", ignored: "⊘" };
const SPLITS = ["train", "dev", "test", "none"];
const PAUSE = 200; // ms without a key before a search is asked

export class QueueFilter {
  // options: say, labels(), ask(name, payload), dialogs(), changed(): the queue is to be read again.
  constructor(options) {
    this.options = options;
    this.sets = node("div", { class: "lla-sets", role: "group" });
    this.marks = node("div", { class: "lla-filter-marks" });
    this.more = node("details", { class: "lla-more-filters" });
    this.forget();
  }

  // Another project.
  forget() {
    this.value = NOTHING;
    this.batches = [];
    this.chosenBatch = "";
    this.offered = { people: [], fields: {}, sets: [] };
  }

  // Drawn again in another language or after a visit to another page, what was asked stays asked.
  build() {
    const { say } = this.options;
    this.sets.setAttribute("aria-label", say("annotate_sets.title"));
    this.showMeta = node("input", { type: "checkbox", checked: this.showMeta?.checked ?? false, onchange: () => this.options.changed() });
    this.status = this.choice("status", Object.keys(STATUS_MARKS).map((value) => [value, `${STATUS_MARKS[value]} ${say(`annotate.status.${value}`)}`]));
    this.label = this.choice("label", this.options.labels().map(({ name }) => [name, name]));
    this.split = this.choice("split", SPLITS.map((value) => [value, say(`annotate_sets.split.${value}`)]));
    this.annotator = this.choice("annotator", []);
    this.meta = node("select", { "aria-label": say("annotate_sets.meta"), onchange: () => this.addMeta(this.meta.value) });
    this.batch = node("select", { class: "lla-batch", "aria-label": say("annotate.batch"), onchange: () => this.chooseBatch() });
    this.search = this.searchBox();
    this.offerBatches(this.batches);
    this.more.replaceChildren(
      node("summary", { text: say("annotate_sets.more") }),
      node("div", { class: "lla-filters" }, this.split, this.annotator, this.meta, node("label", { class: "lla-show-meta" }, this.showMeta, node("span", { text: say("annotate_sets.show_meta") }))),
    );
    this.roots = [this.sets, this.status, this.label, this.batch, this.search, this.more, this.marks];
    this.draw();
    this.read();
  }

  choice(name, values) {
    const { say } = this.options;
    const any = say(name === "split" || name === "annotator" ? `annotate_sets.any_${name}` : `annotate.any_${name}`);
    const said = say(name === "split" || name === "annotator" ? `annotate_sets.${name}` : `annotate.${name}`);
    const options = [["", any], ...values].map(([value, text]) => node("option", { value, text }));
    return node("select", { "aria-label": said, "data-filter": name, onchange: (event) => this.change({ [name]: event.target.value }) }, ...options);
  }

  searchBox() {
    const { say } = this.options;
    const ask = () => this.change({ search: this.search.value });
    let pause = null;
    const box = node("input", {
      type: "search",
      placeholder: say("annotate.search"),
      "aria-label": say("annotate.search"),
      oninput: (event) => {
        clearTimeout(pause);
        if (!event.isComposing) pause = setTimeout(ask, PAUSE);
      },
    });
    box.addEventListener("compositionend", ask);
    return box;
  }

  // What there is to choose from now: people, metadata, work sets.
  async read() {
    const answer = await this.options.ask("list_filters");
    if (!answer.ok) return;
    this.offered = answer;
    this.draw();
  }

  change(changes) {
    this.take({ ...this.value, ...changes });
    this.options.changed();
  }

  take(filter) {
    this.value = filterOf(filter);
    if (this.status) this.draw();
  }

  draw() {
    const { say } = this.options;
    const { people, fields, sets } = this.offered;
    const { value } = this;
    const refill = (select, chosen, named) => select.replaceChildren(select.firstChild ?? node("option", { value: "", text: say("annotate_sets.any_annotator") }), ...[...new Set([...named, chosen].filter(Boolean))].map((name) => node("option", { value: name, text: name })));
    refill(this.annotator, value.annotator, people);
    this.annotator.hidden = !people.length && !value.annotator;
    for (const name of ["status", "label", "split", "annotator"]) {
      this[name].value = value[name];
      if (this[name].selectedIndex >= 0) continue;
      this[name].value = ""; // a label that is gone, or an address that was made up
      this.value = { ...this.value, [name]: "" };
    }
    if (document.activeElement !== this.search) this.search.value = value.search;
    const groups = Object.entries(fields).map(([field, values]) => node("optgroup", { label: field }, ...values.map((text) => node("option", { value: JSON.stringify([field, text]), text: `${field} = ${text}` }))));
    this.meta.replaceChildren(node("option", { value: "", text: say("annotate_sets.add_meta") }), ...groups);
    this.meta.hidden = this.showMeta.parentElement.hidden = !groups.length;
    this.drawMarks();
    this.drawSets(sets);
  }

  // What is chosen and has no control that shows it.
  drawMarks() {
    const { say } = this.options;
    const mark = (text, without) => node("span", { class: "lla-filter-mark" }, node("span", { text }), node("button", { type: "button", class: "lla-button lla-plain", "aria-label": say("annotate_sets.without", { filter: text }), onclick: () => this.change(without), text: "✕" }));
    const { meta } = this.value;
    const further = FURTHER.filter((name) => this.value[name] !== NOTHING[name]);
    const shown = { error: (kind) => say(`annotate_sets.error.${kind}`), imported_at: (at) => moment(say, at, { dateStyle: "medium", timeStyle: "short" }) };
    const told = (name) => say(`annotate_sets.mark.${name}${this.value[name] === false ? ".not" : ""}`, { value: (shown[name] ?? shortScore)(this.value[name]) });
    this.marks.replaceChildren(
      ...meta.map((pair) => mark(pair.join(" = "), { meta: meta.filter((other) => other !== pair) })),
      ...further.map((name) => mark(told(name), { [name]: NOTHING[name] })),
    );
    this.marks.hidden = !this.marks.children.length;
    const chosen = [this.value.split, this.value.annotator].filter(Boolean).length + meta.length;
    if (chosen) this.more.open = true;
  }

  drawSets(sets) {
    const { say } = this.options;
    const current = sets.find((set) => sameFilter(set.filter, this.value));
    const act = (name, then) => node("button", { type: "button", class: "lla-button lla-plain", "data-act": name, onclick: then, text: say(`annotate_sets.${name}`) });
    const chips = sets.map((set) => node("button", {
      type: "button", class: "lla-button lla-set", "data-set": set.id, "aria-pressed": set === current ? "true" : "false", title: say("annotate_sets.by", { user: set.user, time: moment(say, set.at) }),
      onclick: () => this.choose(set === current ? NOTHING : set.filter), text: set.name,
    }));
    const acts = [];
    if (current?.mine) acts.push(act("rename", () => this.askName(current)), act("remove", () => this.askRemoval(current)));
    if (!current && isNarrow(this.value)) acts.push(act("save", () => this.askName()), act("clear", () => this.choose(NOTHING)));
    const focused = this.sets.contains(document.activeElement) && document.activeElement.dataset;
    this.sets.replaceChildren(...chips, ...acts);
    this.sets.hidden = !this.sets.children.length;
    if (focused) this.sets.querySelector(focused.set ? `[data-set="${focused.set}"]` : `[data-act="${focused.act}"]`)?.focus();
  }

  choose(filter) {
    this.take(filter);
    this.search.value = this.value.search;
    this.options.changed();
  }

  addMeta(chosen) {
    if (!chosen) return;
    const pair = JSON.parse(chosen);
    const known = this.value.meta.some((other) => other.join("=") === pair.join("="));
    if (known) this.draw();
    else this.change({ meta: [...this.value.meta, pair] });
  }

  // A name for the filter as it is, or another one for a set.
  askName(set = null) {
    const { say } = this.options;
    const dialogs = this.options.dialogs();
    const box = node("input", { type: "text", class: "lla-set-name", maxlength: "100", required: true, value: set?.name ?? "", "aria-label": say("annotate_sets.name") });
    const note = node("p", { class: "lla-note", role: "alert" });
    const form = node("form", { onsubmit: async (event) => {
      event.preventDefault();
      const answer = await this.options.ask(set ? "rename_set" : "save_set", set ? { set: set.id, name: box.value } : { name: box.value, filter: this.value });
      if (!answer.ok) return void (note.textContent = answer.message ?? "");
      dialogs.close();
      this.offered.sets = answer.sets;
      this.draw();
    } }, box, note);
    const save = node("button", { type: "button", class: "lla-button lla-primary", "data-act": "save_set", text: say(set ? "annotate_sets.rename" : "annotate_sets.keep"), onclick: () => form.requestSubmit() });
    dialogs.open({ title: say(set ? "annotate_sets.rename_title" : "annotate_sets.save_title"), content: [node("p", { class: "lla-note", text: say("annotate_sets.shared") }), form], actions: [save], later: say("annotate.cancel") });
    box.focus();
    box.select();
  }

  askRemoval(set) {
    const { say } = this.options;
    const dialogs = this.options.dialogs();
    const remove = node("button", { type: "button", class: "lla-button lla-primary", "data-act": "remove_set", text: say("annotate_sets.remove"), onclick: async () => {
      const answer = await this.options.ask("remove_set", { set: set.id });
      dialogs.close();
      if (!answer.ok) return;
      this.offered.sets = answer.sets;
      this.draw();
    } });
    dialogs.open({ title: say("annotate_sets.remove_title", { name: set.name }), content: [node("p", { text: say("annotate_sets.remove_note") })], actions: [remove], later: say("annotate.cancel") });
  }

  chooseBatch() {
    this.chosenBatch = this.batch.value;
    this.options.changed();
  }

  // The batches of dictionary labels that stand; where there are none there is nothing to choose. Whether the chosen one is gone.
  offerBatches(batches) {
    const { say } = this.options;
    this.batches = batches;
    const options = batches.map((one) => node("option", { value: one.id, text: say("annotate.batch_of", { batch: one.id, time: moment(say, one.at), count: one.documents }) }));
    this.batch.replaceChildren(node("option", { value: "", text: say("annotate.any_batch") }), ...options);
    this.batch.value = this.chosenBatch;
    this.batch.hidden = !batches.length;
    if (this.batch.selectedIndex >= 0) return false;
    this.batch.value = this.chosenBatch = "";
    return true;
  }
}

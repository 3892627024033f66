// The lattice viewer: one node at a time shows its ties, by pointing, by keyboard, or held by a click.

import { isDark } from "../page/colour.js";
import { node } from "../page/dom.js";
import { saveFile } from "../page/downloads.js";
import { shortScore, speaker } from "../page/messages.js";
import { askServer, drawValue, onMoved, pageLanguage } from "../page/session.js";
import { Board, IN_FILE, ON_PAGE } from "./board.js";
import { Controls } from "./controls.js";
import { COARSE, FINE, arrange } from "./geometry.js";
import { Attention, WordLinks } from "./links.js";
import { Note, legendOf } from "./note.js";
import { latticeJson, latticeSvg, latticeTable, pngOf } from "./saving.js";
import { MESSAGES } from "./messages.js";
import { runsLeft } from "../text/direction.js";

const WAYS = ["png", "svg", "csv", "json"];

class LatticeViewer {
  // ask({mark, layer, head}): a promise of another matrix, or null where there is nobody to ask.
  constructor(root, ask) {
    this.root = root;
    this.ask = ask;
    this.say = speaker(MESSAGES);
    this.controls = new Controls(node("div", { class: "ll-lattice-controls" }), this.say, (what) => this.changed(what));
    this.note = new Note(node("div", { class: "ll-lattice-note", role: "status" }), this.say);
    this.field = node("div", { class: "ll-lattice-board", role: "group" });
    this.count = node("li", { class: "ll-lattice-count" });
    this.legend = node("ul", { class: "ll-lattice-legend" });
    this.files = node("div", { class: "ll-figure-bar ll-figure-ready", role: "group" });
    const foot = node("div", { class: "ll-lattice-foot" }, this.legend, this.files);
    root.replaceChildren(this.controls.root, this.note.root, this.field, foot);
    this.listen();
  }

  listen() {
    const at = (event) => event.target.closest?.("[data-node]")?.getAttribute("data-node");
    this.field.addEventListener("pointerover", (event) => {
      if (event.pointerType === "touch") return;
      if (at(event)) this.turnTo(Number(at(event)));
      else if (this.held !== null) this.turnTo(null);
    });
    this.field.addEventListener("pointerleave", () => this.turnTo(null));
    this.field.addEventListener("click", (event) => this.hold(at(event) === undefined ? null : Number(at(event))));
    this.field.addEventListener("focusin", (event) => {
      if (at(event) && event.target.matches(":focus-visible")) this.turnTo(Number(at(event)));
    });
    this.field.addEventListener("focusout", () => this.turnTo(null));
    this.root.addEventListener("keydown", (event) => this.press(event, at(event)));
    this.coarse = window.matchMedia("(pointer: coarse)");
    this.seen = new ResizeObserver(() => this.fitWidth());
    this.seen.observe(this.field);
  }

  show(value) {
    if (!value?.nodes?.length) {
      this.value = null;
      this.root.classList.add("ll-empty-lattice");
      return;
    }
    this.root.classList.remove("ll-empty-lattice");
    const fresh = value.mark !== this.value?.mark || value.text !== this.value?.text;
    this.value = value;
    if (fresh) {
      this.held = this.active = this.current = null;
      this.matrices = new Map();
      if (value.attention) this.keep(new Attention(value.attention));
      this.words = value.links.length ? new WordLinks(value.links, value.nodes.length, value.characters) : null;
    }
    this.controls.fit(value, { fresh, larger: Boolean(this.ask) });
    this.links = this.linksNow() ?? this.links;
    if (fresh) this.controls.chosen.weight = this.links?.telling ?? 0;
    this.draw();
  }

  keep(matrix) {
    this.matrices.set(`${matrix.layer}/${matrix.head}`, matrix);
  }

  linksNow() {
    const { source, layer, head } = this.controls.chosen;
    if (source === "attention") return this.matrices.get(`${layer}/${head}`);
    return this.words;
  }

  async changed(what) {
    if (what === "words") this.drawBoard();
    if (what === "matrix" && !(await this.fetch())) return;
    this.turnTo(this.active ?? null, true);
  }

  // Gets the chosen matrix if it is not here yet; false where the person has chosen another one since.
  async fetch() {
    const { chosen } = this.controls;
    if (chosen.source === "attention") chosen.head = Math.min(chosen.head, this.value.heads[chosen.layer] - 1);
    const { mark } = this.value;
    const { source, layer, head } = chosen;
    if (!this.linksNow()) {
      const answer = await this.ask({ mark, layer, head });
      if (mark !== this.value?.mark) return false;
      if (!answer.ok) {
        this.note.problem(answer.message ?? this.say("unreachable"));
        return false;
      }
      this.keep(new Attention(answer));
    }
    if (source !== chosen.source || layer !== chosen.layer || head !== chosen.head) return false;
    this.links = this.linksNow();
    this.draw();
    return true;
  }

  // Everything again: another sentence, another matrix, another language or theme.
  draw() {
    if (!this.value) return;
    this.controls.draw(this.links);
    this.field.setAttribute("aria-label", this.say("label"));
    this.legend.replaceChildren(...legendOf(this.value, this.controls.chosen.source, this.say));
    this.drawFiles();
    this.drawBoard();
  }

  arrangeIn(width) {
    const size = this.coarse.matches ? COARSE : FINE;
    return arrange(this.value, width, size, (at) => this.controls.shows(at), (span) => this.nameOf(span));
  }

  make(palette, dark) {
    return new Board(this.value, this.arrangeIn(this.width), {
      palette,
      dark,
      describe: (at) => this.note.facts(this.value, at),
      nameOf: (span) => this.nameOf(span),
      filling: (at) => this.fillingOf(at),
    });
  }

  nameOf(span) {
    return [span.label, shortScore(span.score)].filter(Boolean).join(" ");
  }

  fillingOf(at) {
    const { source } = this.controls.chosen;
    return source && source !== "attention" ? this.words.strength(at) / (this.words.largest || 1) : null;
  }

  drawBoard() {
    this.width = Math.floor(this.field.clientWidth);
    if (!this.width || !this.value) return;
    const back = this.field.contains(document.activeElement);
    this.board = this.make(ON_PAGE, isDark());
    this.field.replaceChildren(this.board.svg);
    const all = this.value.nodes.length - this.value.characters;
    const shown = this.value.nodes.filter((_, at) => at >= this.value.characters && this.controls.shows(at)).length;
    this.count.textContent = this.say("counted", { shown, all });
    this.legend.append(this.count);
    if (!this.board.handles.has(this.held)) this.held = null;
    this.reach(this.board.handles.has(this.current) ? this.current : 0, back);
    this.turnTo(this.active ?? null, true);
  }

  fitWidth() {
    if (this.value && Math.floor(this.field.clientWidth) !== this.width) this.drawBoard();
  }

  // Shows a node's ties; without one those of the held node.
  turnTo(at, again = false) {
    const wanted = at ?? this.held ?? null;
    if (!this.board || (wanted === this.active && !again)) return;
    this.active = this.board.handles.has(wanted) ? wanted : null;
    if (this.active === null) {
      this.board.clear();
      this.note.hint(this.links ? "hint" : "hint_plain");
      return;
    }
    const { direction, source } = this.controls.chosen;
    const ties = this.tiesOf(this.active);
    this.board.show(this.active, ties, direction);
    this.note.tell(this.value, this.active, source ? this.rows(this.active, ties) : [], this.active === this.held);
  }

  // What to say of each direction in view: [[name, sentence]].
  rows(at, ties) {
    const { source, direction, weight } = this.controls.chosen;
    const silent = this.links.silent(at);
    const all = this.links.links(at);
    return ["out", "into"]
      .filter((name) => (direction === "both" || direction === name) && silent[name] !== null)
      .map((name) => {
        const best = all[name].find((link) => link.weight > 0 && this.controls.shows(link.node));
        return [name, this.note.sentence(this.value, `${name}.${source}`, ties[name], { silent: silent[name], best, least: weight })];
      });
  }

  tiesOf(at) {
    const strong = (link) => link.weight > 0 && link.weight >= this.controls.chosen.weight && this.controls.shows(link.node);
    const { out, into } = this.links?.links(at) ?? { out: [], into: [] };
    return { out: out.filter(strong), into: into.filter(strong) };
  }

  // A click holds a node, the same click again or one beside all nodes lets go.
  hold(at) {
    this.board?.handles.get(this.held)?.setAttribute("aria-pressed", "false");
    this.held = at === this.held ? null : at;
    this.board?.handles.get(this.held)?.setAttribute("aria-pressed", "true");
    if (at !== null) this.reach(at, true);
    this.turnTo(at, true);
  }

  // Makes a node the one that Tab comes to.
  reach(at, focus) {
    this.board.handles.get(this.current)?.setAttribute("tabindex", "-1");
    this.current = at;
    const handle = this.board.handles.get(at);
    handle?.setAttribute("tabindex", "0");
    if (focus) handle?.focus({ preventScroll: true });
  }

  press(event, at) {
    if (event.key === "Escape" && this.held !== null) {
      this.hold(null);
      event.stopPropagation();
    }
    if (at === undefined) return;
    const next = this.neighbour(Number(at), event.key);
    if (next !== null) {
      this.reach(next, true);
      this.turnTo(next);
    } else if (event.key === "Enter" || event.key === " ") this.hold(Number(at));
    else return;
    event.preventDefault();
  }

  // Left and right stay among characters or among words, up and down go to the next longer or shorter one here.
  neighbour(at, key) {
    const { head, tail, characters } = this.value;
    const nodes = [...this.board.handles.keys()];
    const length = (other) => tail[other] - head[other];
    const among = nodes.filter((other) => other < characters === at < characters);
    const place = among.indexOf(at);
    const back = runsLeft(this.value.text) ? "ArrowRight" : "ArrowLeft";
    if (key === "ArrowLeft" || key === "ArrowRight") return among[place + (key === back ? -1 : 1)] ?? null;
    if (key === "Home" || key === "End") return among[key === "Home" ? 0 : among.length - 1];
    if (key !== "ArrowUp" && key !== "ArrowDown") return null;
    const step = (other) => (length(other) - length(at)) * (key === "ArrowUp" ? 1 : -1);
    const here = nodes.filter((other) => head[other] <= tail[at] && head[at] <= tail[other] && step(other) > 0);
    const away = (other) => Math.abs(head[other] - head[at]);
    return here.sort((a, b) => step(a) - step(b) || away(a) - away(b))[0] ?? null;
  }

  drawFiles() {
    this.files.setAttribute("aria-label", this.say("download"));
    this.files.replaceChildren(
      ...WAYS.map((way) => {
        const name = `${this.say("download")}: ${this.say(way)}`;
        return node("button", { type: "button", text: way.toUpperCase(), title: name, "aria-label": name, onclick: () => this.save(way) });
      }),
    );
  }

  // Ties of the held node, or of all where none is held: [{from, to, weight, kind}].
  tiesInView() {
    const nodes = this.held === null ? [...this.board.handles.keys()] : [this.held];
    return nodes.flatMap((at) => {
      const { out, into } = this.tiesOf(at);
      const leaving = out.map(({ node: to, weight, kind }) => ({ from: at, to, weight, kind }));
      const arriving = into.map(({ node: from, weight, kind }) => ({ from, to: at, weight, kind }));
      return this.held === null ? leaving : [...leaving, ...arriving.filter(({ from }) => from !== at)];
    });
  }

  picture() {
    const board = this.make(IN_FILE, false);
    const captions = [[IN_FILE.faint, this.source()]];
    if (this.held !== null) {
      const { source, direction } = this.controls.chosen;
      const ties = this.tiesOf(this.held);
      board.show(this.held, ties, direction);
      captions.push([IN_FILE.ink, this.note.facts(this.value, this.held)]);
      if (source) captions.push(...this.rows(this.held, ties).map(([name, said]) => [IN_FILE[name], said]));
    }
    return latticeSvg(board, captions);
  }

  // What the picture shows, e.g. `flat · attention · Layer 0 · mean of heads`.
  source() {
    const { source, layer, head } = this.controls.chosen;
    const parts = [this.value.tagger, source && this.say(`show.${source}`)];
    if (source === "attention") parts.push(`${this.say("layer")} ${layer}`, head < 0 ? this.say("mean") : `${this.say("head_choice")} ${head}`);
    return parts.filter(Boolean).join(" · ");
  }

  async save(way) {
    const { chosen } = this.controls;
    const given = [this.value, chosen.source, this.tiesInView()];
    if (way === "csv") saveFile("lattice.csv", latticeTable(...given), "text/csv;charset=utf-8");
    if (way === "json") saveFile("lattice.json", latticeJson(...given, chosen, this.held), "application/json");
    if (way === "svg") saveFile("lattice.svg", this.picture(), "image/svg+xml");
    if (way === "png") saveFile("lattice.png", await pngOf(this.picture()), "image/png");
  }

  speak(language) {
    this.say.use(language);
    this.draw();
  }
}

export const mount = ({ element, props, watch, server }) => {
  const ask = server?.lattice_attention ? (payload) => askServer(server, "lattice_attention", payload) : null;
  const viewer = new LatticeViewer(element.querySelector(".ll-lattice"), ask);
  const speak = () => viewer.speak(pageLanguage());
  onMoved(speak);
  window.addEventListener("latticelens:theme", () => viewer.draw());
  speak();
  drawValue({ props, watch }, () => viewer.show(props.value));
};

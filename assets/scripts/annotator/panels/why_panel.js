// The drawer that answers why the active tagger predicts a mark, or what it predicts there instead.

import { markKey } from "../../text/spans.js";
import { WhyDrawer } from "../../why/drawer.js";

export class WhyPanel {
  constructor(bench) {
    this.bench = bench;
    this.drawer = new WhyDrawer({ server: bench.server, closed: () => this.closed() });
    this.root = this.drawer.root;
  }

  get open() {
    return this.drawer.open;
  }

  close() {
    this.drawer.close();
  }

  // Another document has been opened.
  clear() {
    this.drawer.clear();
  }

  follow(mark) {
    this.drawer.follow(...this.about(mark));
  }

  // Opens it for the current mark; where it is about that mark already, closes it.
  toggle() {
    const { bench } = this;
    const mark = bench.current;
    if (!mark) return this.open ? this.close() : bench.announce(bench.say("annotate.why_first"));
    const [question, ...about] = this.about(mark);
    if (this.drawer.shows(question)) return this.close();
    bench.guide.makeRoom();
    this.drawer.show(question, ...about, () => bench.sentence.bar(markKey(mark)));
  }

  about(mark) {
    const { start, end, label } = mark;
    return [{ document: this.bench.annotation.id, start, end, label }, mark, this.bench.surface(mark)];
  }

  // The focus goes back to the mark, as far as it is still there.
  closed() {
    const { sentence, currentKey, guide } = this.bench;
    guide.comeBack();
    if (!currentKey || !sentence.focus(currentKey)) sentence.text.focus({ preventScroll: true });
  }
}

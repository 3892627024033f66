// The keys of the Annotate page. They act when the focus is in the widget or nowhere; never while typing or composing.

class Keyboard {
  constructor(workbench) {
    this.bench = workbench;
    document.addEventListener("keydown", (event) => this.press(event));
    workbench.sentence.text.addEventListener("pointerup", (event) => {
      // The browser settles the selection after this event.
      if (event.pointerType === "mouse") setTimeout(() => workbench.offerLabels());
    });
  }

  listens(event) {
    const { bench } = this;
    if (event.isComposing || event.keyCode === 229 || event.defaultPrevented) return false;
    if (!bench.annotation || !bench.host.offsetParent || bench.dialogs.open) return false;
    const { target } = event;
    return target === document.body || (bench.host.contains(target) && !isTyping(target));
  }

  press(event) {
    if (!this.listens(event)) return;
    const used = event.ctrlKey || event.metaKey ? this.chord(event) : this.plain(event);
    if (used) event.preventDefault();
  }

  chord(event) {
    if (event.key.toLowerCase() !== "z" || event.altKey || event.ctrlKey === event.metaKey) return false;
    if (event.shiftKey) this.bench.redo();
    else this.bench.undo();
    return true;
  }

  plain(event) {
    const { bench } = this;
    const { key } = event;
    if (key.startsWith("Arrow") || ((key === "Home" || key === "End") && this.inText(event))) return this.arrow(event);
    if (event.altKey) return false;
    // Pressing a control is that control's own business.
    const control = event.target.closest?.("button, summary") && !event.target.closest(".lla-bar");
    if (control && (key === "Enter" || key === " ")) return false;
    if (key === "Escape") return this.escape();
    if (key === "Enter") return this.enter(event);
    if (key === "Backspace" || key === "Delete") return this.onMark(() => bench.remove());
    if ("[]{}".includes(key)) return this.boundary(event);
    return this.letter(event);
  }

  inText(event) {
    return event.target === this.bench.sentence.text;
  }

  // Arrows belong to the text unless a control that uses them has the focus.
  arrow(event) {
    const { bench } = this;
    const bar = event.target.closest?.(".lla-bar");
    if (!bar && !this.inText(event) && event.target !== document.body) return false;
    if (!this.inText(event)) {
      bench.sentence.text.focus({ preventScroll: true });
      if (bar && bench.current) bench.caret.set(bench.current.start, bench.current.start);
      bench.currentKey = null;
    }
    bench.popover.hide();
    bench.caret.move(event.key, event.shiftKey, event.altKey);
    return true;
  }

  escape() {
    const { bench } = this;
    if (!bench.popover.open && bench.caret.empty) return false;
    bench.popover.hide();
    bench.caret.clear();
    return true;
  }

  enter(event) {
    const { bench } = this;
    const { current } = bench;
    if (event.shiftKey) bench.accept_all();
    else if (current?.source === "person") bench.pick(current, bench.sentence.bar(markKey(current)));
    else bench.accept();
    return true;
  }

  boundary(event) {
    const left = event.code === "BracketLeft" || event.key === "[" || event.key === "{";
    const inward = event.shiftKey || event.key === "{" || event.key === "}";
    return this.onMark(() => this.bench[`${left ? "left" : "right"}_${inward ? "in" : "out"}`]());
  }

  onMark(act) {
    if (!this.bench.current) return false;
    act();
    return true;
  }

  // A label's key wins over a command where there is something to label.
  letter(event) {
    const { bench } = this;
    const key = event.key.toLowerCase();
    const label = bench.labels.find((other) => other.hotkey && other.hotkey === key);
    const command = { j: "next", k: "previous", d: "done", x: "reject", "?": "keys" }[key];
    const somethingToLabel = !bench.caret.empty || bench.current;
    if (label && (somethingToLabel || !command)) bench.label(label.name);
    else if (command === "done" && bench.annotation.status === "done") bench.next();
    else if (command) bench[command]();
    else return false;
    return true;
  }
}

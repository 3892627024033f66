// Keyboard commands, active when the focus is in the widget, on a button of the window or nowhere, never while typing or
// composing.

import { isTyping } from "../../page/dom.js";
import { markKey } from "../../text/spans.js";
import { COMMANDS, STREAM_KEYS, meantKey, placeOf } from "./keys.js";

export class Keyboard {
  constructor(workbench) {
    this.bench = workbench;
    document.addEventListener("keydown", (event) => this.press(event));
  }

  listens(event) {
    const { bench } = this;
    if (event.isComposing || event.defaultPrevented) return false;
    if (!bench.annotation || !bench.host.offsetParent || bench.dialogs.opened) return false;
    const { target } = event;
    if (isTyping(target)) return false;
    return target === document.body || bench.host.contains(target) || Boolean(target.closest?.("button"));
  }

  press(event) {
    if (!this.listens(event)) return;
    this.bench.caret.catchUp();
    const one = event.ctrlKey || event.metaKey ? "chord" : this.bench.streamView.on ? "answer" : "plain";
    const used = this[one](event, meantKey(event));
    if (used) event.preventDefault();
  }

  chord(event, key) {
    if (key.toLowerCase() !== "z" || event.altKey || event.ctrlKey === event.metaKey) return false;
    const { streamView } = this.bench;
    if (streamView.on) streamView.undo(); // what was taken back is asked again
    else if (event.shiftKey) this.bench.redo();
    else this.bench.undo();
    return true;
  }

  // One suggestion after another. A key that is held down answers once.
  answer(event, key) {
    if (event.altKey || (event.shiftKey && key !== "?") || this.onControl(event, key)) return false;
    const name = STREAM_KEYS[key.length === 1 ? key.toLowerCase() : key];
    if (name && !event.repeat) this.bench.streamView[name]();
    return Boolean(name);
  }

  // Pressing a control is that control's own business.
  onControl(event, key) {
    const control = event.target.closest?.("button, summary") && !event.target.closest(".lla-bar");
    return Boolean(control) && (key === "Enter" || key === " ");
  }

  plain(event, key) {
    const { bench } = this;
    if (key === "Tab") return this.tab(event);
    if (key.startsWith("Arrow") || ((key === "Home" || key === "End") && this.inText(event))) return this.arrow(event, key);
    if (event.altKey) return this.command(COMMANDS[placeOf(event.code)], event);
    if (this.onControl(event, key)) return false;
    if (key === "Escape") return this.escape();
    if (key === "Enter") return this.enter(event);
    if (key === "Backspace" || key === "Delete") return this.onMark(() => bench.remove());
    if ("[]{}".includes(key)) return this.boundary(event, key);
    return this.letter(event, key.toLowerCase());
  }

  // From the text to its marks, from mark to mark, into an open menu. After the last mark Tab leaves the text.
  tab(event) {
    const { bench } = this;
    if (!this.inText(event) && !event.target.closest?.(".lla-bar")) return false;
    if (bench.popover.open && !event.shiftKey) return bench.popover.enter();
    const next = bench.markBeside(event.shiftKey);
    bench.popover.hide();
    return Boolean(next && bench.sentence.focus(markKey(next)));
  }

  inText(event) {
    return event.target === this.bench.sentence.text;
  }

  // Arrows belong to the text unless a control that uses them has the focus.
  arrow(event, key) {
    const { bench } = this;
    const bar = event.target.closest?.(".lla-bar");
    if (!bar && !this.inText(event) && event.target !== document.body) return false;
    if (!this.inText(event)) {
      bench.sentence.text.focus({ preventScroll: true });
      if (bar && bench.current) bench.caret.set(bench.current.start, bench.current.start);
      bench.currentKey = null;
    }
    bench.popover.hide();
    const sideways = key === "ArrowLeft" || key === "ArrowRight";
    if (sideways && bench.tools.grain.wide && !event.altKey) bench.tools.step(key, event.shiftKey);
    else bench.caret.move(key, event.shiftKey, event.altKey);
    return true;
  }

  escape() {
    const { bench } = this;
    if (bench.tools.handles.cancel()) return true;
    if (bench.popover.leave()) {
      if (!bench.current || !bench.sentence.focus(bench.currentKey)) bench.focusText();
      return true;
    }
    if (bench.popover.open || !bench.caret.empty || bench.current) {
      bench.deselect();
      return true;
    }
    if (bench.whyPanel.open) {
      bench.whyPanel.close();
      return true;
    }
    const held = Boolean(bench.tools.held);
    bench.tools.release();
    return held;
  }

  enter(event) {
    const { bench } = this;
    const { current, tools } = bench;
    if (event.shiftKey) bench.accept_all();
    else if (tools.held && bench.caret.trimmed()) bench.label(tools.held);
    else if (current?.source === "person") bench.pick(current, bench.sentence.bar(markKey(current)));
    else bench.accept();
    return true;
  }

  boundary(event, key) {
    const left = event.code === "BracketLeft" || key === "[" || key === "{";
    const inward = event.shiftKey || key === "{" || key === "}";
    return this.onMark(() => this.bench[`${left ? "left" : "right"}_${inward ? "in" : "out"}`]());
  }

  onMark(act) {
    if (!this.bench.current) return false;
    act();
    return true;
  }

  // A label's key wins over a command where there is something to label. With Shift the label stays chosen.
  letter(event, key) {
    const { bench } = this;
    if (key === "?") return this.command("keys", event);
    const labelOf = (pressed) => bench.labels.find((other) => other.hotkey && other.hotkey === pressed);
    const place = placeOf(event.code);
    if (event.shiftKey) {
      const held = labelOf(place) ?? labelOf(key);
      if (held) bench.tools.hold(held.name);
      else if (place === "g") bench.tools.grain.cycle(-1);
      return Boolean(held) || place === "g";
    }
    const label = labelOf(event.key?.toLowerCase()) ?? labelOf(key);
    const somethingToLabel = !bench.caret.empty || bench.current;
    if (!label || (!somethingToLabel && COMMANDS[key])) return this.command(COMMANDS[key], event);
    bench.label(label.name);
    return true;
  }

  command(name, event) {
    const { bench } = this;
    if (!name) return false;
    if (name === "granularity") bench.tools.grain.cycle(event.shiftKey ? -1 : 1);
    else if (name === "done" && bench.annotation.status === "done") bench.next();
    else bench[name]();
    return true;
  }
}

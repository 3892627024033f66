// The keys of the corrector: those that the annotator has for the same.

import { meantKey, placeOf } from "../annotator/selecting/keys.js";
import { isTyping } from "../page/dom.js";
import { markKey } from "../text/spans.js";

export class CorrectorKeys {
  constructor(corrector) {
    this.corrector = corrector;
    corrector.root.addEventListener("keydown", (event) => this.press(event));
  }

  press(event) {
    const { corrector } = this;
    if (event.isComposing || event.defaultPrevented || isTyping(event.target) || corrector.dialogs.opened) return;
    const row = corrector.rowOf(event.target);
    if (!row) return;
    const key = meantKey(event);
    const used = event.ctrlKey || event.metaKey ? this.chord(event, key, row) : this.plain(event, key, row);
    if (used) event.preventDefault();
  }

  chord(event, key, row) {
    if (key.toLowerCase() !== "z" || event.altKey || event.shiftKey) return false;
    this.corrector.undo(row);
    return true;
  }

  plain(event, key, row) {
    const { corrector } = this;
    const { popover } = corrector;
    if (key === "Escape") return this.escape(row);
    const inMenu = popover.box.contains(event.target);
    if (key === "Tab") return !inMenu && !event.shiftKey && popover.open && popover.enter();
    if (event.target === row.sentence.text && this.inText(event, key, row)) return true;
    const bar = event.target.closest(".lla-bar");
    if (key === "Enter" && bar && popover.open && corrector.mark?.source === "tagger") {
      corrector.accept(); // as the menu says
      return true;
    }
    if (key === "Enter" || key === " ") return false; // the control's own
    const mark = bar ? row.sentence.mark(bar.dataset.key) : inMenu ? corrector.mark : null;
    if (!mark && row.caret.empty) return false;
    if (!/^(.|Backspace|Delete)$/u.test(key)) return false;
    const wanted = { key: key.toLowerCase(), place: placeOf(event.code), boundary: boundaryOf(event, key) };
    corrector.about(row, mark).then((ready) => ready && this.act(wanted, mark));
    return true;
  }

  // The arrows belong to the caret; Enter opens the menu of what is selected.
  inText(event, key, row) {
    const { caret } = row;
    if (key.startsWith("Arrow") || key === "Home" || key === "End") {
      this.corrector.popover.hide();
      caret.move(key, event.shiftKey, event.altKey);
      return true;
    }
    if (key !== "Enter" || caret.empty) return false;
    this.corrector.offer(row, true);
    return true;
  }

  escape(row) {
    const { corrector } = this;
    const { popover, mark } = corrector;
    if (!popover.open) return false;
    const held = popover.leave();
    popover.hide();
    if (held && !(mark && row.sentence.focus(markKey(mark)))) corrector.focusText(row);
    return true;
  }

  // A label's key wins over a command.
  act({ key, place, boundary }, mark) {
    const { corrector } = this;
    const label = corrector.labels.find(({ hotkey }) => hotkey && (hotkey === key || hotkey === place));
    if (label) corrector.label(label.name);
    else if (mark && boundary) corrector[boundary]();
    else if (mark && ["backspace", "delete", "x"].includes(key)) corrector[mark.source === "person" ? "remove" : "reject"]();
    else if (mark && place === "y" && corrector.options.why) corrector.why();
  }
}

const boundaryOf = (event, key) => {
  const left = event.code === "BracketLeft" || key === "[" || key === "{";
  if (!left && event.code !== "BracketRight" && key !== "]" && key !== "}") return null;
  return `${left ? "left" : "right"}_${event.shiftKey || key === "{" || key === "}" ? "in" : "out"}`;
};

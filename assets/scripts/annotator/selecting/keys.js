// The keys of the Annotate page, and the physical keys used with an input method.

import { onApple } from "../../page/dom.js";

// [keys, what they do]. The command palette offers what is an action of the annotator; those without a key are found there only.
export const KEY_GROUPS = [
  ["select", [
    ["← → ↑ ↓", "move"], ["Shift + ← →", "extend"], ["Alt + ← →", "word"], ["Home, End", "ends"], ["g", "granularity"], ["2 × click", "double_click"], ["3 × click", "triple_click"],
  ]],
  ["labels", [["1 2 3 … q w e", "label"], ["Shift + 1 2 3 …", "hold"], ["Enter", "held"], ["Esc", "release"]]],
  ["spans", [
    ["Tab", "tab"], ["Enter", "menu"], ["[", "left_out"], ["]", "right_out"], ["Shift + [", "left_in"], ["Shift + ]", "right_in"], ["drag", "handles"], ["Backspace, Delete", "remove"], ["y", "why"], ["o", "others"], ["r", "replace"], ["l", "link"], ["c", "comment"], ["", "span_history"],
  ]],
  ["suggestions", [["Enter", "accept"], ["Shift + Enter", "accept_all"], ["x", "reject"], ["", "ask_tagger"]]],
  ["stream", [["v", "stream"], ["a, Enter", "stream_accept"], ["x", "stream_reject"], ["Space", "stream_skip"], ["Backspace", "stream_undo"], ["e", "stream_edit"], ["Esc", "stream_leave"]]],
  ["documents", [["j", "next"], ["k", "previous"], ["d", "done"], ["", "reopen"], ["", "history"], ["i", "ignore"], ["f", "to_check"], ["u", "annotated_until"], ["s", "similar_sentences"], ["b", "similar_back"]]],
  ["page", [["Ctrl + Z", "undo"], ["Ctrl + Shift + Z", "redo"], ["Ctrl + Enter", "send_comment"], ["Ctrl + K", "palette"], ["Esc", "escape"], ["h", "guideline"], ["?", "keys"]]],
];

export const COMMANDS = { j: "next", k: "previous", d: "done", i: "ignore", f: "to_check", x: "reject", y: "why", o: "others", r: "replace", l: "link", c: "comment", g: "granularity", u: "annotated_until", s: "similar_sentences", b: "similar_back", h: "guideline", v: "stream" };

// While suggestions are decided one by one.
export const STREAM_KEYS = { a: "accept", Enter: "accept", x: "reject", " ": "skip", Backspace: "undo", e: "edit", v: "leave", Escape: "leave", h: "guideline", "?": "keys" };

// As the keyboard of this machine names them.
export const shownKeys = (keys) => (onApple ? keys.replace("Ctrl", "⌘").replace("Alt", "⌥") : keys);

const FULL_WIDTH = { "【": "[", "】": "]", "「": "[", "」": "]", "『": "{", "』": "}", "［": "[", "］": "]", "｛": "{", "｝": "}", "？": "?" };
const BY_PLACE = { BracketLeft: ["[", "{"], BracketRight: ["]", "}"], Slash: ["/", "?"], NumpadEnter: ["Enter", "Enter"], Space: [" ", " "] };

// The letter or digit printed on the key on most keyboards, or "".
export const placeOf = (code) => code?.match(/^(?:Key|Digit|Numpad)([A-Z0-9])$/)?.[1].toLowerCase() ?? "";

// An input method that is on calls keys "Process" or gives them full-width forms; then their place on the keyboard counts.
export const meantKey = (event) => {
  const { key, code, shiftKey, keyCode } = event;
  if (key in FULL_WIDTH) return FULL_WIDTH[key];
  const hidden = key === "Process" || key === "Unidentified" || key === "Dead" || keyCode === 229;
  const foreign = key?.length === 1 && key > "\u007f";
  if (!hidden && !foreign) return key;
  if (code in BY_PLACE) return BY_PLACE[code][shiftKey ? 1 : 0];
  return placeOf(code) || (hidden && /^(Enter|Escape|Backspace|Delete|Tab|Home|End|Arrow\w+)$/.test(code) ? code : key);
};

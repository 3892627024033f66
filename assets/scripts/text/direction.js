// Whether a text runs from right to left: its first letter does, as browsers decide for dir="auto".

// A sign of a script that runs from right to left; of the old scripts all are in two blocks. Kashida belongs to several.
export const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\u0640\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

export const runsLeft = (text) => RIGHT_TO_LEFT.test(text.match(/\p{L}/u)?.[0] ?? "");

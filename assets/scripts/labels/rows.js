// Labels as rows {name, colour, hotkey, description}, without drawing. `choices` are the editor's: colours, and keys in the
// order they are given out.

// The order in which Label Studio gives keys to labels; j and k move between documents here.
export const LABEL_STUDIO_KEYS = "1234567890qwetasdfgzxcvbyioplnm";

export const freeKey = (rows, keys) => [...keys].find((key) => !rows.some((row) => row.hotkey === key)) ?? "";

// The first colour that no row has, else the next in turn.
export const freeColour = (rows, colours) => colours.find((colour) => !rows.some((row) => sameColour(row.colour, colour))) ?? colours[rows.length % colours.length];

export const sameColour = (one, other) => one.toLowerCase() === other.toLowerCase();

export const newRow = (rows, { colours, keys }, name = "", description = "") => ({ name, colour: freeColour(rows, colours), hotkey: freeKey(rows, keys), description });

// Rows that nobody has written into are no labels.
export const written = (rows) => rows.filter((row) => row.name.trim() || row.description.trim());

export const withLabelStudioKeys = (rows) => rows.map((row, at) => ({ ...row, hotkey: LABEL_STUDIO_KEYS[at] ?? "" }));

// The key that this keyboard event gives to a label; "" takes it away, null is none.
export const pressedKey = ({ key, code, ctrlKey, metaKey, altKey }, keys) => {
  if (ctrlKey || metaKey || altKey) return null;
  if (key === "Backspace" || key === "Delete") return "";
  const letter = key.length === 1 && keys.includes(key.toLowerCase()) ? key.toLowerCase() : null;
  // An input method hides the letter; its place on the keyboard counts, as on the Annotate page.
  const place = code?.match(/^(?:Key|Digit|Numpad)([A-Z0-9])$/)?.[1].toLowerCase() ?? "";
  return letter ?? (key === "Process" && keys.includes(place) ? place : null);
};

// The first cell that cannot be saved: {row, field, problem, other}, or null.
export const problemOf = (rows) => {
  for (const [at, row] of rows.entries()) {
    if (!row.name.trim() && row.description.trim()) return { row: at, field: "name", problem: "no_name" };
    const twin = row.name.trim() && rows.slice(0, at).find((other) => other.name.trim() === row.name.trim());
    if (twin) return { row: at, field: "name", problem: "same_name", other: twin.name.trim() };
    const sharing = row.hotkey && rows.slice(0, at).find((other) => other.name.trim() && other.hotkey === row.hotkey);
    if (sharing && row.name.trim()) return { row: at, field: "hotkey", problem: "same_key", other: sharing.name.trim() };
  }
  return null;
};

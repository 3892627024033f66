// What a person has entered for a new project, and what stands for what they have not. The draft lives in this tab until the
// project is made, also over a reload.

import { KINDS, labelOfKind } from "../dictionary/kinds.js";
import { newRow, written } from "../labels/rows.js";

const KEY = "latticelens.setup";

// name, template, nested, dictionary, names: null until a person chooses. labels: the edited rows by template.
export const emptyDraft = () => ({ step: 0, name: null, paste: "", files: [], readAs: "auto", column: "", template: null, labels: {}, nested: null, dictionary: null, names: null, words: null });

export const hasText = ({ files, paste }) => files.length > 0 || paste.trim() !== "";

// Whether there is something in it that a person would have to enter again.
export const isBegun = (draft) => hasText(draft) || draft.name !== null || draft.words !== null || Object.keys(draft.labels).length > 0;

export const sourceOf = ({ files, paste, readAs, column }) => ({ files: files.map(({ path }) => path), paste, read_as: readAs, column });

// offer: the answer of setup_begin; preview: what the text holds, or null.
export const nameOf = (draft, preview, offer) => draft.name ?? (preview?.name || offer.name);

export const templateOf = (draft, preview) => {
  if (draft.template && (draft.template !== "found" || preview?.labels.length)) return draft.template;
  if (preview?.labels.length) return "found";
  return hasText(draft) ? "news" : "none";
};

export const rowsOf = (draft, preview, offer) => {
  const template = templateOf(draft, preview);
  if (draft.labels[template]) return draft.labels[template];
  if (template !== "found") return offer.templates.find(({ name }) => name === template)?.labels ?? [];
  return preview.labels.reduce((rows, name) => [...rows, newRow(rows, offer, name)], []);
};

// The label for each kind of names in the base dictionary; "" leaves the kind out.
export const namesOf = (draft, labels) => Object.fromEntries(KINDS.map((kind) => {
  const chosen = draft.names?.[kind];
  return [kind, chosen !== undefined && (chosen === "" || labels.includes(chosen)) ? chosen : labelOfKind(kind, labels)];
}));

// The names help with Chinese text that waits to be labelled.
export const dictionaryOf = (draft, preview, labels) => {
  if (draft.dictionary) return draft.dictionary;
  const waits = preview?.chinese && preview.documents > preview.labelled;
  return waits && Object.values(namesOf(draft, labels)).some(Boolean) ? "base" : "none";
};

// What setup_create is asked.
export const projectOf = (draft, preview, offer) => {
  const rows = written(rowsOf(draft, preview, offer));
  const names = rows.map(({ name }) => name.trim());
  const chosen = dictionaryOf(draft, preview, names);
  const dictionary = chosen === "file" && !draft.words ? "none" : chosen;
  return { name: nameOf(draft, preview, offer), text: sourceOf(draft), labels: rows, nested: draft.nested, dictionary, names: dictionary === "base" ? namesOf(draft, names) : {}, words: dictionary === "file" ? draft.words.path : "" };
};

// Whether it is kept; what is too large for the browser's storage lives as long as the page.
export const keepDraft = (draft, storage = globalThis.sessionStorage) => {
  try {
    if (isBegun(draft)) storage.setItem(KEY, JSON.stringify(draft));
    else storage.removeItem(KEY);
    return true;
  } catch {
    return false;
  }
};

export const keptDraft = (storage = globalThis.sessionStorage) => {
  try {
    const kept = JSON.parse(storage.getItem(KEY) ?? "null");
    return kept && { ...emptyDraft(), ...kept };
  } catch {
    return null;
  }
};

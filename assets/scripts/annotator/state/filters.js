// Filters of documents as plain values: in the address, as a work set, and as the app is asked. "" and null narrow nothing.

export const NOTHING = {
  status: "", split: "", label: "", annotator: "", search: "", meta: [],
  error: "", confidence_from: null, confidence_to: null, commented: null, predicted: null, imported_at: null,
};

// What a work set may hold beyond the controls of the queue, shown as a mark that can be removed.
export const FURTHER = ["error", "confidence_from", "confidence_to", "commented", "predicted", "imported_at"];

export const filterOf = (given = {}) => Object.fromEntries(Object.entries(NOTHING).map(([name, nothing]) => [name, given[name] ?? nothing]));

export const sameFilter = (one, other) => JSON.stringify(filterOf(one)) === JSON.stringify(filterOf(other));

export const isNarrow = (filter) => !sameFilter(filter, NOTHING);

// In the address everything is text: {name: text}, and the metadata as field=value;field=value.
const asText = (name, value) => (name === "meta" ? value.map((pair) => pair.map(encodeURIComponent).join("=")).join(";") : String(value ?? ""));

export const placeOfFilter = (filter) => Object.fromEntries(Object.entries(filterOf(filter)).map(([name, value]) => [name, asText(name, value)]));

const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const READ = {
  meta: (text) => text.split(";").map((pair) => pair.split("=").map(decoded)).filter((pair) => pair.length === 2 && pair[0] && pair[1]),
  confidence_from: (text) => numberOf(text),
  confidence_to: (text) => numberOf(text),
  commented: (text) => truthOf(text),
  predicted: (text) => truthOf(text),
  imported_at: (text) => numberOf(text),
};
const numberOf = (text) => (text !== "" && Number.isFinite(Number(text)) ? Number(text) : null);
const truthOf = (text) => ({ true: true, false: false })[text] ?? null;

// The filter of an address; what cannot be read narrows nothing.
export const filterOfPlace = (place) => filterOf(Object.fromEntries(Object.keys(NOTHING).filter((name) => place[name]).map((name) => [name, READ[name] ? READ[name](place[name]) : place[name]])));

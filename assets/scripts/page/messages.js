// Text in the person's language: messages by key, dates, times and scores.

// Strings by key in the person's language; {name} in a string is filled from `values`, {name:one|more} is the word
// that goes with that count, as in app/i18n.
export const speaker = (catalogue) => {
  let words = {};
  const say = (key, values = {}) =>
    String(words[key] ?? key).replace(/\{(\w+)(?::([^|{}]*)\|([^|{}]*))?\}/g, (whole, name, one, more) => {
      if (!(name in values)) return whole;
      if (more === undefined) return String(values[name]);
      return String(values[name]) === "1" ? one : more;
    });
  say.use = (language) => {
    words = catalogue[language] ?? catalogue.en ?? {};
    say.language = language;
  };
  say.use("en");
  return say;
};

export const shortScore = (score) => {
  if (typeof score !== "number") return "";
  return score >= 0.995 ? "1.0" : score.toFixed(2).replace(/^0/, "");
};

// A date and a time as the page's language writes them; where the browser speaks that language, in its own way.
export const moment = (say, at, options = {}) => {
  const own = navigator.language.toLowerCase().startsWith(say.language);
  return new Date(at).toLocaleString(own ? [] : say.language, { hour12: false, ...options });
};

export const clock = (date) => date.toLocaleTimeString([], { hour12: false });

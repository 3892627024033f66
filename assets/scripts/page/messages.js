// Localised text: messages of the scripts, dates, times and scores.

import { pageMessages } from "./session.js";

// English stands in the tables of messages beside the scripts, by a short key. Other languages come with the page,
// from the catalogue that the pages are translated by (app/i18n); it finds what these three mark.
export const mark = (english) => english;
export const plural = (one, many) => [one, many];
export const inContext = (context, english) => `${context}\u0004${english}`;

// A number, or one written for people: "1,001".
const wholeOf = (count) => (typeof count === "number" ? count : Number(String(count).replace(/\D/g, "")));

// say(key, values): the message of `key` in the language of say.use(language), filled in. Of a message with two forms
// values.count chooses one.
export const speaker = (table) => {
  let known = {};
  let forms = "";
  const formOf = (count) => Number(forms ? forms[count < 200 ? count : 100 + (count % 100)] : count !== 1);
  const told = (message, values) => {
    const own = [message].flat();
    const written = [known[own[0]] ?? own].flat();
    const chosen = written.length > 1 ? written[formOf(wholeOf(values.count))] : written[0];
    const template = chosen.slice(chosen.indexOf("\u0004") + 1);
    return template.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
  };
  const say = (key, values = {}) => {
    const found = table[key] ?? key;
    if (!found.text) return told(found, values);
    const given = found.count ? { ...values, count: values[found.count] } : { ...values };
    for (const [name, thing] of Object.entries(found.counted ?? {})) given[name] = told(thing, { count: values[name] });
    return told(found.text, given);
  };
  say.use = (language) => {
    const own = pageMessages(language);
    known = own?.messages ?? {};
    forms = own?.forms ?? "";
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

// Links of spans that have to be chosen: those that people gave, another one, or none.

import { node } from "../page/dom.js";
import { linkKey, linkName, sameLink } from "../text/links.js";
import { spanKey } from "../text/spans.js";

// Of the links people gave, each once, with those who gave it. What most gave is taken where nobody chose.
const byLink = (given) => {
  const groups = [];
  for (const { user, link } of given) {
    const same = groups.find((one) => (link && one.link ? sameLink(link, one.link) : linkKey(link) === linkKey(one.link)));
    if (same) same.users.push(user);
    else groups.push({ link, users: [user] });
  }
  return groups;
};

const standing = (span, say) => {
  const name = span.link && linkName(say, span.link);
  if (span.chosen_by) return say(name ? "review.links.chosen" : "review.links.chosen_none", { name, user: span.chosen_by });
  return name ? say("review.links.taken", { name }) : say("review.links.even");
};

// found: a case. options: say, choose(span, link or null), other(span): opens the search, drop(span): takes the choice back.
export const linkList = ({ links, text }, { say, choose, other, drop }) => {
  if (!links.length) return node("div");
  const letters = [...text];
  const row = (span) => {
    const button = ({ link, users }) => {
      const is = span.link && link ? sameLink(link, span.link) : Boolean(span.chosen_by) && !link && !span.link;
      return node(
        "button",
        { type: "button", class: "lla-button", "aria-pressed": String(is), onclick: () => choose(span, link) },
        say("review.links.given", { users: users.join(say("review.separator")), name: link ? linkName(say, link) : say("review.links.none") }),
      );
    };
    const act = (name, key, does) => node("button", { type: "button", class: "lla-button lla-plain", "data-act": name, text: say(key), onclick: () => does(span) });
    return node(
      "li",
      { class: "ll-review-link", "data-linked": spanKey(span) },
      node("p", {}, `${letters.slice(span.start, span.end).join("")} `, node("b", { text: span.label })),
      node("div", { class: "ll-review-tools" }, ...byLink(span.given).map(button), act("other", "review.links.other", other), span.chosen_by ? act("drop", "review.take_back", drop) : null),
      node("p", { class: "lla-note", text: standing(span, say) }),
    );
  };
  return node("div", { class: "ll-review-links" }, node("h2", { text: say("review.links") }), node("ul", {}, ...links.map(row)));
};

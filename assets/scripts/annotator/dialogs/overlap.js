// In a flat project: the question whether a span that overlaps others takes their place.

import { node } from "../../page/dom.js";

// over: the spans it overlaps; none is no question. surface(span): its text. proceed(spans that go); cancelled(): it was left
// undecided.
export const askOverlap = ({ dialogs, say, surface }, span, over, proceed, cancelled) => {
  if (!over.length) return proceed([]);
  let decided = false;
  const choice = (name, gone, kind) =>
    node("button", { type: "button", class: `lla-button ${kind}`, "data-act": name, text: say(`annotate.overlap.${name}`, { count: over.length }), onclick: () => {
      decided = true;
      dialogs.close();
      proceed(gone);
    } });
  const others = over.map((other) => node("li", { text: `${surface(other)} ${other.label}` }));
  dialogs.open({
    title: say("annotate.overlap.title", { surface: surface(span) }),
    content: [node("ul", {}, ...others), node("p", { class: "lla-note", text: say("annotate.overlap.note") })],
    actions: [choice("replace", over, "lla-primary"), choice("keep_both", [], "")],
    later: say("annotate.cancel"),
    closed: () => decided || cancelled(),
  });
};

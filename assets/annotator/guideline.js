// A label's description as paragraphs and lists, built from text nodes: "- " or "* " begins an item, "1. " a numbered one.

const LIST_ITEM = /^\s*(?:([-*•·])|(\d{1,3})[.)、．])\s*(.*)$/u;

const guidelineNodes = (description) => {
  const made = [];
  let list = null;
  for (const line of description.split(/\r\n|\r|\n/)) {
    const item = line.match(LIST_ITEM);
    if (!item || !item[3]) {
      list = null;
      if (line.trim()) made.push(node("p", { text: line.trim() }));
      continue;
    }
    const tag = item[1] ? "ul" : "ol";
    if (list?.localName !== tag) {
      list = node(tag, item[2] ? { start: item[2] } : {});
      made.push(list);
    }
    list.append(node("li", { text: item[3] }));
  }
  return made;
};

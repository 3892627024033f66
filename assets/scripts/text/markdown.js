// Markdown as plain data: headings, paragraphs, lists, tables, quotes, code, emphasis and links. HTML in it stays text, images
// are their description, and links lead to web and mail addresses alone.
// A line break is a line break, and Chinese marks of lists (• and 1、) begin items too.

const DEEPEST = 8; // lists and quotes inside each other
const LONGEST = 500; // characters of a link's text, an address, a piece of code: what is open for longer is text
const ITEM = /^( *)(?:([-*+•·])|(\d{1,3})[.)、．])(?:\s+|(?<=[•·、．])(?=\S))(?=\S)/u;
const FENCE = /^ {0,3}(```+|~~~+)/;
const HEADING = /^ {0,3}(#{1,6})\s+(\S.*)$/;
const RULE = /^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const TABLE_LINE = /^\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?)?$/;
const SAFE_LINK = /^(?:https?:\/\/|mailto:)[^\s]+$/i;

const INLINE = new RegExp(
  [
    String.raw`\\(?<escaped>[!-/:-@[-${"`"}{-~])`,
    "(?<ticks>`{1,3})(?<code>[^`]{1,500})\\k<ticks>",
    String.raw`!\[(?<alt>[^\]]{0,${LONGEST}})\]\([^()\s]{0,${LONGEST}}\)`,
    String.raw`\[(?<text>[^\]]{1,${LONGEST}})\]\((?<href>[^()\s]{1,${LONGEST}})\)`,
    String.raw`(?<url>https?:\/\/[\w\-.~:/?#@!$&+,;=%]{1,${LONGEST}})`,
    String.raw`(?<mark>\*\*|__|~~|\*|_)`,
  ].join("|"),
  "gu",
);
const TAGS = { "**": "strong", __: "strong", "*": "em", _: "em", "~~": "del" };

// The blocks of a text: {tag, children, …}; a child is a string or such a part.
export const markdownParts = (text) => blocksOf(text.split(/\r\n|\r|\n/).map((line) => line.replaceAll("\t", "    ")), 0);

const blocksOf = (lines, depth) => {
  const parts = [];
  let at = 0;
  while (at < lines.length) {
    if (!lines[at].trim()) {
      at += 1;
      continue;
    }
    const [part, next] = (depth < DEEPEST && nestedBlock(lines, at, depth)) || plainBlock(lines, at);
    parts.push(part);
    at = next;
  }
  return parts;
};

const nestedBlock = (lines, at, depth) => {
  if (QUOTE.test(lines[at])) {
    const end = after(lines, at, (line) => QUOTE.test(line));
    return [{ tag: "blockquote", children: blocksOf(lines.slice(at, end).map((line) => line.replace(QUOTE, "")), depth + 1) }, end];
  }
  return ITEM.test(lines[at]) && !RULE.test(lines[at]) ? listBlock(lines, at, depth) : null;
};

const plainBlock = (lines, at) => {
  const line = lines[at];
  const fence = line.match(FENCE);
  if (fence) {
    const end = after(lines, at + 1, (inside) => !inside.trim().startsWith(fence[1]));
    return [{ tag: "pre", children: [{ tag: "code", children: [lines.slice(at + 1, end).join("\n")] }] }, end + 1];
  }
  const heading = line.match(HEADING);
  // The page has its own titles above these.
  if (heading) return [{ tag: `h${Math.min(heading[1].length + 3, 6)}`, children: inlineParts(withoutHashes(heading[2])) }, at + 1];
  if (RULE.test(line)) return [{ tag: "hr" }, at + 1];
  if (line.includes("|") && TABLE_LINE.test(lines[at + 1]?.trim() ?? "")) return tableBlock(lines, at);
  const end = after(lines, at + 1, (inside) => inside.trim() && !begins(inside));
  const children = lines.slice(at, end).flatMap((inside, number) => [...(number ? [{ tag: "br" }] : []), ...inlineParts(inside.trim())]);
  return [{ tag: "p", children }, end];
};

// A heading may be closed by the marks that open it.
const withoutHashes = (title) => {
  const text = title.trimEnd();
  const end = text.length - [...text].reverse().findIndex((letter) => letter !== "#");
  return end < text.length && text[end - 1] === " " ? text.slice(0, end).trimEnd() : text;
};

const begins = (line) => FENCE.test(line) || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line);

// The index after the lines from `at` that `fit`.
const after = (lines, at, fit) => {
  let end = at;
  while (end < lines.length && fit(lines[end])) end += 1;
  return end;
};

const listBlock = (lines, at, depth) => {
  const [, indent, bullet, number] = lines[at].match(ITEM);
  const items = [];
  let next = at;
  while (next < lines.length) {
    const item = lines[next].match(ITEM);
    if (!item || item[1].length !== indent.length || Boolean(item[2]) !== Boolean(bullet)) break;
    const own = [lines[next].slice(item[0].length)];
    next += 1;
    // What is indented further belongs to the item; a blank line between does not end it.
    while (next < lines.length) {
      const here = lines[next].trim() ? next : next + 1;
      if (here >= lines.length || !lines[here].trim() || indentOf(lines[here]) <= indent.length) break;
      own.push(...lines.slice(next, here + 1));
      next = here + 1;
    }
    const further = own.slice(1);
    const least = further.reduce((all, line) => (line.trim() ? Math.min(all, indentOf(line)) : all), Infinity);
    const dedented = [own[0], ...further.map((line) => line.slice(Math.min(least, indentOf(line))))];
    items.push({ tag: "li", children: itemParts(blocksOf(dedented, depth + 1)) });
    if (!lines[next]?.trim() && ITEM.test(lines[next + 1] ?? "") && indentOf(lines[next + 1]) === indent.length) next += 1;
  }
  return [{ tag: bullet ? "ul" : "ol", ...(number && { start: number }), children: items }, next];
};

// A single paragraph is the item's text.
const itemParts = ([first, ...rest]) => (first?.tag === "p" ? [...first.children, ...rest] : [first, ...rest].filter(Boolean));

const indentOf = (line) => line.length - line.trimStart().length;

const tableBlock = (lines, at) => {
  const end = after(lines, at + 2, (line) => line.trim() && line.includes("|"));
  const row = (line, tag) => ({ tag: "tr", children: cellsOf(line).map((cell) => ({ tag, children: inlineParts(cell) })) });
  const body = lines.slice(at + 2, end).map((line) => row(line, "td"));
  return [{ tag: "table", children: [{ tag: "thead", children: [row(lines[at], "th")] }, { tag: "tbody", children: body }] }, end];
};

const cellsOf = (line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());

// Emphasis is closed by the same mark; what stays open is the mark itself. Each mark is open at most once.
const inlineParts = (text) => {
  const open = [{ mark: "", children: [] }];
  const top = () => open[open.length - 1];
  const put = (part) => part !== "" && top().children.push(part);
  const drop = () => {
    const { mark, children } = open.pop();
    put(mark);
    children.forEach(put);
  };
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    put(text.slice(at, match.index));
    at = match.index + match[0].length;
    const { mark } = match.groups;
    if (!mark) put(pieceOf(match));
    else if (open.some((one) => one.mark === mark) && /\S/.test(text[match.index - 1] ?? " ")) {
      while (top().mark !== mark) drop();
      const { children } = open.pop();
      put(children.length ? { tag: TAGS[mark], children } : mark + mark);
    } else if (/\S/.test(text[at] ?? " ") && !(mark[0] === "_" && /\w/.test(text[match.index - 1] ?? "")) && !open.some((one) => one.mark === mark)) open.push({ mark, children: [] });
    else put(mark);
  }
  put(text.slice(at));
  while (open.length > 1) drop();
  return joined(open[0].children);
};

const pieceOf = ({ 0: whole, groups: { escaped, code, alt, text, href, url } }) => {
  if (escaped !== undefined) return escaped;
  if (code !== undefined) return { tag: "code", children: [code] };
  if (alt !== undefined) return { tag: "i", children: [`[${alt}]`] };
  const address = href ?? url;
  if (!SAFE_LINK.test(address)) return whole;
  // A link holds no other link.
  return { tag: "a", href: address, children: text === undefined ? [url] : inlineParts(text).flatMap((part) => (part.tag === "a" ? part.children : [part])) };
};

const joined = (children) =>
  children.reduce((all, child) => {
    if (typeof child === "string" && typeof all[all.length - 1] === "string") all[all.length - 1] += child;
    else all.push(typeof child === "string" ? child : child.children && child.tag !== "code" ? { ...child, children: joined(child.children) } : child);
    return all;
  }, []);

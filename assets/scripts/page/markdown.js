// Markdown drawn as text nodes.

import { markdownParts } from "../text/markdown.js";
import { node } from "./dom.js";

export const markdownNodes = (text) => markdownParts(text).map(nodeOf);

const nodeOf = (part) => {
  if (typeof part === "string") return document.createTextNode(part);
  const { tag, children = [], href, start } = part;
  const link = href ? { href, target: "_blank", rel: "noopener noreferrer" } : {};
  return node(tag, { ...link, start }, ...children.map(nodeOf));
};

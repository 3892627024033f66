// Markdown, which the server has read (app/ui/markdown.py), drawn as elements and text.

import { node } from "./dom.js";

export const markdownNodes = (parts) => parts.map(nodeOf);

const nodeOf = (part) => {
  if (typeof part === "string") return document.createTextNode(part);
  const { tag, children = [], href, start } = part;
  const link = href ? { href, target: "_blank", rel: "noopener noreferrer" } : {};
  return node(tag, { ...link, start }, ...children.map(nodeOf));
};

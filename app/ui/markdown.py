"""Markdown that people write, as data which the browser draws as elements and text, never as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

Part = (
    str | dict[str, Any]
)  # text, or an element: ``tag``, ``children``, ``href`` of a link, ``start`` of a list

# HTML stays text; a line break is one.
READER = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
TAGS = {"s": "del", "code_inline": "code", "softbreak": "br", "hardbreak": "br"}
HIGHEST_HEADING = 4  # it stands below the headings of the page
SAFE_LINK = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
# Chinese marks of lists: "•甲" and "1、甲".
CHINESE_ITEM = re.compile(r"^( *)(?:[•·]|(\d{1,3})[、．])[ \t]*(?=\S)", re.MULTILINE)


def markdown_parts(text: str) -> list[Part]:
    """The blocks of ``text``. Images are their description; links lead to web and mail addresses alone."""
    usual = CHINESE_ITEM.sub(lambda item: f"{item[1]}{f'{item[2]}.' if item[2] else '-'} ", text)
    return _children(SyntaxTreeNode(READER.parse(usual)).children)


def _children(nodes: Iterable[SyntaxTreeNode]) -> list[Part]:
    return [part for node in nodes for part in _parts(node)]


def _parts(node: SyntaxTreeNode) -> list[Part]:
    if node.type == "text":
        return [node.content] if node.content else []
    if node.type == "inline" or (node.type == "paragraph" and node.hidden):
        return _children(node.children)
    if node.type in ("fence", "code_block"):
        return [{"tag": "pre", "children": [{"tag": "code", "children": [node.content.rstrip("\n")]}]}]
    if node.type == "code_inline":
        return [{"tag": "code", "children": [node.content]}]
    if node.type == "image":
        return [{"tag": "i", "children": [f"[{node.content}]"]}]
    children = _children(node.children)
    if node.type == "link":
        href = str(node.attrs["href"])
        return [{"tag": "a", "href": href, "children": children}] if SAFE_LINK.match(href) else children
    part: dict[str, Any] = {"tag": TAGS.get(node.type, node.tag), "children": children}
    if node.type == "heading":
        part["tag"] = f"h{min(6, int(node.tag[1]) + HIGHEST_HEADING - 1)}"
    if "start" in node.attrs:
        part["start"] = node.attrs["start"]
    return [part]

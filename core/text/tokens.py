"""The tokens that a document came with: ``meta["tokens"]``, a list of ``[start, end]``."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any

from core.text.document import Document

TOKENS = "tokens"
Extent = tuple[int, int]


def remembered(text: str, tokens: Any) -> list[Extent] | None:
    """The token extents in a document's meta, or None if there are none or they no longer fit the text."""
    if not isinstance(tokens, (list, tuple)) or not tokens:
        return None
    extents: list[Extent] = []
    end = 0
    for item in tokens:
        if (
            not isinstance(item, (list, tuple))
            or len(item) != 2
            or not all(type(place) is int for place in item)
        ):
            return None
        start, stop = item
        if not end <= start < stop <= len(text) or text[end:start].strip():
            return None
        extents.append((start, stop))
        end = stop
    return None if text[end:].strip() else extents


def document_tokens(document: Document) -> list[Extent] | None:
    """The token extents that a document came with, as `remembered`."""
    return remembered(document.text, document.meta.get(TOKENS))


def cut_tokens(tokens: Sequence[Extent] | None, start: int, end: int) -> dict[str, Any]:
    """``meta`` of the part ``[start, end)`` of a document with these tokens: those there, if any.

    One across an end is cut.
    """
    if not tokens:
        return {}
    first = bisect_right(tokens, start, key=lambda token: token[1])
    last = bisect_left(tokens, end, key=lambda token: token[0])
    inside = [[max(a, start) - start, min(b, end) - start] for a, b in tokens[first:last]]
    return {TOKENS: inside} if inside else {}


def token_edges(document: Document) -> list[int] | None:
    """Where the document may be cut so that no token is, ends included; None for one without tokens."""
    kept = document_tokens(document)
    return None if kept is None else sorted({0, len(document.text), *(at for token in kept for at in token)})

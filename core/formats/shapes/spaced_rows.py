"""Rows of formats that say of each token what follows it, so that the text comes back exactly.

Tokens are those the document came with, or those of `tokens.split`, cut at the edges of spans. A blank is a
token of its own only where a span begins or ends with it, and is written as an ideographic one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from core.formats.shapes.tokens import cut_at, split
from core.text import Document, Span
from core.text.tokens import Extent, document_tokens

_BREAKS = re.compile(r"[\t\r\n\0]")
_ID_BREAKS = re.compile(r"[\r\n\0]")


def extents_of(document: Document, spans: Iterable[Span]) -> list[Extent]:
    """The extents to write as rows, so that every span begins and ends at one."""
    starts: set[int] = set()
    ends: set[int] = set()
    for span in spans:
        starts.add(span.start)
        ends.add(span.end)
    text = document.text
    kept = document_tokens(document)
    tokens = cut_at(starts | ends, split(text) if kept is None else kept)
    extents: list[Extent] = []
    end = 0
    for start, stop in [*tokens, (len(text), len(text))]:
        if start > end and _touched(end, start, starts, ends):
            extents += [(place, place + 1) for place in range(end, start)]
        if stop > start:
            extents.append((start, stop))
        end = stop
    return extents


def form_of(token: str) -> str:
    """A token as a cell: on one line, and not blank."""
    form = _BREAKS.sub(" ", token)
    return form if form.strip(" ") else form.replace(" ", "\u3000")


def gaps_of(text: str, extents: Sequence[Extent]) -> list[str]:
    """What follows each extent, up to the next one or to the end of the text."""
    starts = [start for start, _ in extents[1:]] + [len(text)]
    return [text[end:start] for (_, end), start in zip(extents, starts, strict=True)]


def is_one_line(identifier: str) -> bool:
    """Whether an id comes back from a comment on one line."""
    return identifier == identifier.strip() and not _ID_BREAKS.search(identifier)


def _touched(begin: int, end: int, starts: Collection[int], ends: Collection[int]) -> bool:
    """Whether a span begins or ends with one of the blanks."""
    return any(begin <= place < end for place in starts) or any(begin < place <= end for place in ends)

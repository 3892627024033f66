"""A document of CoNLL-U while its sentences are read."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.formats.framework.attachments import Discontinuous
from core.text import Span, SpanKey
from core.text.tokens import Extent


@dataclass
class Draft:
    """A document so far: text, the extent of each token and of the token of each word, spans, mentions."""

    text: list[str] = field(default_factory=list)
    length: int = 0
    gap: str | None = ""
    tokens: list[Extent] = field(default_factory=list)
    words: list[Extent] = field(default_factory=list)
    spans: dict[SpanKey, Span] = field(default_factory=dict)
    parts: list[Discontinuous] = field(default_factory=list)
    mentions: list[tuple[str, int, int, str]] = field(default_factory=list)


def add_span(read: Draft, first: int, after: int, label: str) -> None:
    """Add the span over the words from ``first`` up to ``after``, once."""
    span = Span(read.words[first][0], read.words[after - 1][1], label)
    read.spans.setdefault(span.key, span)

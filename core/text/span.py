"""A labelled span of text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from core.runtime.message import ToldValueError
from core.text.entity_link import EntityLink

SpanKey = tuple[int, int, str]  # start, end, label


@dataclass(frozen=True, slots=True)
class Span:
    """A labelled span of text: code points ``start`` (inclusive) to ``end`` (exclusive).

    ``score`` is the tagger's confidence in ``[0, 1]``, or None if none was computed: a missing confidence is
    never written as 1.0. ``link`` is the entry of a knowledge base that the span refers to, or None.

    Raises:
        ValueError: offsets are negative, empty or reversed, or the label is empty.
    """

    start: int
    end: int
    label: str
    score: float | None = None
    link: EntityLink | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ToldValueError(
                "a span needs 0 <= start < end, got start={start}, end={end}", start=self.start, end=self.end
            )
        if not self.label:
            raise ToldValueError(
                "the span at {start}-{end} has an empty label", start=self.start, end=self.end
            )

    @property
    def key(self) -> SpanKey:
        """The identity of an annotation, without score and link."""
        return (self.start, self.end, self.label)

    def __len__(self) -> int:
        return self.end - self.start

    def contains(self, other: Span) -> bool:
        """Whether ``other`` lies inside this span (equal extents included)."""
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        """Whether the two spans share at least one code point."""
        return self.start < other.end and other.start < self.end


def sort_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Reading order: by start, outer before inner, then by label."""
    return tuple(sorted(spans, key=lambda span: (span.start, -span.end, span.label)))

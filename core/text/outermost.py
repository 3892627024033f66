"""A flat subset of spans: of those that overlap, the longest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from core.text.span import Span


def outermost(spans: Iterable[Span]) -> tuple[list[Span], list[Span]]:
    """A subset of spans without overlaps, and the spans left out.

    Of overlapping spans the longest is kept, of equally long ones the one with the highest score, then the
    first; so a span inside another is left out, and so is the shorter of two that cross.

    Returns:
        kept and left out, both in reading order.
    """
    kept: list[Span] = []
    left_out: list[Span] = []
    for span in sorted(spans, key=_precedence):
        (left_out if any(span.overlaps(other) for other in kept) else kept).append(span)
    return sorted(kept, key=_place), sorted(left_out, key=_place)


def has_overlap(spans: Sequence[Span]) -> bool:
    """Whether two of the spans overlap, one inside the other included."""
    ordered = sorted(spans, key=_place)
    return any(later.start < earlier.end for earlier, later in pairwise(ordered))


def _precedence(span: Span) -> tuple[int, float, int, str]:
    return (span.start - span.end, -(span.score or 0.0), span.start, span.label)


def _place(span: Span) -> tuple[int, int, str]:
    return (span.start, -span.end, span.label)

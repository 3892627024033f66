"""The outermost spans, for taggers that cannot learn nested ones."""

from __future__ import annotations

from collections.abc import Iterable

from core.text import Span


def outermost(spans: Iterable[Span]) -> tuple[list[Span], list[Span]]:
    """A subset of spans without overlaps, and the spans left out.

    Of overlapping spans the longest is kept, of equally long ones the first: a span inside another is left
    out, and so is the shorter of two that cross.

    Returns:
        kept and left out, both in reading order.
    """
    kept: list[Span] = []
    left_out: list[Span] = []
    for span in sorted(spans, key=lambda span: (-len(span), span.start, span.label)):
        (left_out if any(span.overlaps(other) for other in kept) else kept).append(span)
    return sorted(kept, key=_reading_order), sorted(left_out, key=_reading_order)


def _reading_order(span: Span) -> tuple[int, int, str]:
    return (span.start, -span.end, span.label)

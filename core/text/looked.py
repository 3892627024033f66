"""Which stretches of a document somebody has looked at: outside them, no span does not mean no entity.

``Document.meta["looked"]`` lists them as ``[[start, end], …]``. A document without that key has been looked
at from end to end, as every corpus of the field assumes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from core.text.document import Document, OffsetError
from core.text.span import Span

LOOKED = "looked"
Region = tuple[int, int]


def looked_regions(document: Document) -> tuple[Region, ...] | None:
    """The stretches looked at, in order and apart from each other; None for the whole document.

    Raises:
        OffsetError: what stands under ``looked`` is no list of pairs inside the text; names the document.
    """
    if LOOKED not in document.meta:
        return None
    value = document.meta[LOOKED]
    regions = joined(_region(document, item) for item in _items(document, value))
    return None if regions == ((0, len(document.text)),) else regions


def joined(regions: Iterable[Region]) -> tuple[Region, ...]:
    """Stretches in order, those that overlap or touch as one; empty ones are left out."""
    found: list[Region] = []
    for start, end in sorted(regions):
        if start >= end:
            continue
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return tuple(found)


def without(regions: Iterable[Region], start: int, end: int) -> tuple[Region, ...]:
    """Stretches less what lies from ``start`` to ``end``."""
    pieces = ((max(a, low), min(b, high)) for a, b in regions for low, high in ((0, start), (end, b)))
    return joined(pieces)


def sentences_with(sentences: Sequence[Region], spans: Iterable[Region]) -> tuple[Region, ...]:
    """The sentences that at least one of the spans touches."""
    wanted = list(spans)
    return joined((start, end) for start, end in sentences if any(a < end and start < b for a, b in wanted))


def is_looked_at(regions: Sequence[Region] | None, start: int, end: int) -> bool:
    """Whether all characters from ``start`` to ``end`` lie in the stretches, which are ``joined``."""
    return regions is None or any(a <= start and end <= b for a, b in regions)


def known_characters(document: Document) -> list[bool] | None:
    """Of which characters it is known what they are: looked at, or under a span; None for all of them.

    Raises:
        OffsetError: as `looked_regions`.
    """
    regions = looked_regions(document)
    if regions is None:
        return None
    known = [False] * len(document.text)
    for start, end in (*regions, *((span.start, span.end) for span in document.spans)):
        known[start:end] = [True] * (end - start)
    return known


def cut_regions(document: Document, start: int, end: int) -> dict[str, Any]:
    """``meta`` of the piece of a document from ``start`` to ``end``: its share of the stretches, if any."""
    regions = looked_regions(document)
    if regions is None:
        return {}
    inside = [[max(a, start) - start, min(b, end) - start] for a, b in regions if a < end and start < b]
    return {} if inside == [[0, end - start]] else {LOOKED: inside}


def judged(reference: Document, predicted: Iterable[Span]) -> list[Span]:
    """The predicted spans that the reference can call right or wrong: those that touch what is known of it.

    Where all has been looked at these are all of them.

    Raises:
        OffsetError: as `looked_regions`.
    """
    known = known_characters(reference)
    return [span for span in predicted if known is None or any(known[span.start : span.end])]


def _items(document: Document, value: Any) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise OffsetError(
            "document {document}: meta.{looked} should list the stretches looked at as [start, "
            "end], but it is {value}",
            document=repr(document.id),
            looked=LOOKED,
            value=f"{value!r:.60}",
        )
    return value


def _region(document: Document, item: Any) -> Region:
    match item:
        case [int(start), int(end)] if not isinstance(start, bool) and not isinstance(end, bool):
            if 0 <= start <= end <= len(document.text):
                return start, end
    raise OffsetError(
        "document {document}: meta.{looked} holds {item}, which is no stretch [start, end] of "
        "its {length} characters",
        document=repr(document.id),
        looked=LOOKED,
        item=f"{item!r:.60}",
        length=len(document.text),
    )

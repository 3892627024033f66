"""Annotated regions: the exhaustively annotated parts of a document. Only there no span means no entity.

``Document.meta["annotated_regions"]`` lists them as ``[[start, end], …]``. Without that key the whole
document is annotated, as in most corpora.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from core.text.document import Document, OffsetError
from core.text.span import Span

REGIONS = "annotated_regions"
Region = tuple[int, int]


def annotated_regions(document: Document) -> tuple[Region, ...] | None:
    """The document's annotated regions, sorted and disjoint; None for the whole document.

    Raises:
        OffsetError: the value in ``meta`` is not a list of pairs inside the text; names the document.
    """
    if REGIONS not in document.meta:
        return None
    value = document.meta[REGIONS]
    regions = joined(_region(document, item) for item in _items(document, value))
    return None if regions == ((0, len(document.text)),) else regions


def joined(regions: Iterable[Region]) -> tuple[Region, ...]:
    """Sort regions and merge those that overlap or touch; empty ones are dropped."""
    merged: list[Region] = []
    for start, end in sorted(regions):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return tuple(merged)


def without(regions: Iterable[Region], start: int, end: int) -> tuple[Region, ...]:
    """Regions with ``[start, end)`` cut out."""
    pieces = ((max(a, low), min(b, high)) for a, b in regions for low, high in ((0, start), (end, b)))
    return joined(pieces)


def sentences_with(sentences: Sequence[Region], spans: Iterable[Region]) -> tuple[Region, ...]:
    """The sentences that at least one of the spans touches."""
    extents = list(spans)
    return joined((start, end) for start, end in sentences if any(a < end and start < b for a, b in extents))


def has_annotation(document: Document) -> bool:
    """Whether the document has a span or an annotated region.

    Raises:
        OffsetError: as `annotated_regions`.
    """
    return bool(document.spans) or annotated_regions(document) != ()


def is_annotated(regions: Sequence[Region] | None, start: int, end: int) -> bool:
    """Whether ``[start, end)`` lies inside one of the regions, which are ``joined``."""
    return regions is None or any(a <= start and end <= b for a, b in regions)


def labelled_characters(document: Document) -> list[bool] | None:
    """Which characters are annotated or under a span, ``[length]``; None for all of them.

    Raises:
        OffsetError: as `annotated_regions`.
    """
    regions = annotated_regions(document)
    if regions is None:
        return None
    labelled = [False] * len(document.text)
    for start, end in (*regions, *((span.start, span.end) for span in document.spans)):
        labelled[start:end] = [True] * (end - start)
    return labelled


def cut_regions(document: Document, start: int, end: int) -> dict[str, Any]:
    """``meta`` of the part ``[start, end)`` of a document: its annotated regions, if they are not all."""
    regions = annotated_regions(document)
    if regions is None:
        return {}
    inside = [[max(a, start) - start, min(b, end) - start] for a, b in regions if a < end and start < b]
    return {} if inside == [[0, end - start]] else {REGIONS: inside}


def judged(reference: Document, predicted: Iterable[Span]) -> list[Span]:
    """The predicted spans that can be scored: those with a character that is annotated or under a gold span.

    Raises:
        OffsetError: as `annotated_regions`.
    """
    labelled = labelled_characters(reference)
    return [span for span in predicted if labelled is None or any(labelled[span.start : span.end])]


def _items(document: Document, value: Any) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise OffsetError(
            "document {document}: meta.{field} should list the annotated regions as [start, end], "
            "but it is {value}",
            document=repr(document.id),
            field=REGIONS,
            value=f"{value!r:.60}",
        )
    return value


def _region(document: Document, item: Any) -> Region:
    match item:
        case [int(start), int(end)] if not isinstance(start, bool) and not isinstance(end, bool):
            if 0 <= start <= end <= len(document.text):
                return start, end
    raise OffsetError(
        "document {document}: meta.{field} holds {item}, which is no region [start, end] of its {length} "
        "characters",
        document=repr(document.id),
        field=REGIONS,
        item=f"{item!r:.60}",
        length=len(document.text),
    )

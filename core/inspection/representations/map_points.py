"""Points of a map: the spans or characters of labelled documents, with gold and predicted labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from core.inspection.corpus.error_analysis import LabelledDocument
from core.inspection.corpus.errors import cases_of
from core.inspection.representations.probing import OUTSIDE, entity_labels


@dataclass(frozen=True, slots=True)
class MapPoint:
    """A span or a character.

    Args:
        document_id: id of its document. text: of the whole document. start, end: offsets in it.
        gold, predicted: label of the gold and the predicted span; None without one.
        kind: as in `core.inspection.corpus.errors.Case`.
    """

    document_id: int
    text: str
    start: int
    end: int
    gold: str | None
    predicted: str | None
    kind: str


def span_points(documents: Iterable[LabelledDocument]) -> Iterator[MapPoint]:
    """Every gold and predicted span; those that `cases_of` pairs are one point."""
    for document in documents:
        for case in cases_of([document.document], [document.predicted or ()]):
            span = case.gold or case.predicted
            assert span is not None
            gold, predicted = (side.label if side else None for side in (case.gold, case.predicted))
            id_, text = document.document_id, document.document.text
            yield MapPoint(id_, text, span.start, span.end, gold, predicted, case.kind)


def character_points(documents: Iterable[LabelledDocument]) -> Iterator[MapPoint]:
    """Every non-blank character, with the labels of the outermost gold and predicted spans over it."""
    for document in documents:
        text = document.document.text
        gold = entity_labels([document.document])
        predicted = entity_labels([document.document.with_spans(document.predicted or ())])
        for at, labels in enumerate(zip(gold, predicted, strict=True)):
            if not text[at].isspace():
                right, run = (None if label == OUTSIDE else label for label in labels)
                yield MapPoint(document.document_id, text, at, at + 1, right, run, _kind(*labels))


def _kind(gold: str, predicted: str) -> str:
    if gold == predicted:
        return "correct"
    if predicted == OUTSIDE:
        return "missed"
    return "spurious" if gold == OUTSIDE else "label"

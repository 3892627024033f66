"""The spans or characters of labelled documents, with what people and a run say of each: points of a map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.inspection.corpus.error_analysis import LabelledDocument
from core.inspection.corpus.errors import cases_of
from core.inspection.representations.probing import OUTSIDE, entity_labels


@dataclass(frozen=True, slots=True)
class MapPoint:
    """A span or a character.

    Args:
        document_id: number of its document. text: of the whole document. start, end: in it.
        gold, predicted: label of people's and of the run's span; None where that side has none there.
        kind: as of `core.inspection.corpus.errors.Case`.
    """

    document_id: int
    text: str
    start: int
    end: int
    gold: str | None
    predicted: str | None
    kind: str


def span_points(documents: Sequence[LabelledDocument]) -> list[MapPoint]:
    """Every span of people and of the run, those that `cases_of` pairs as one point."""
    cases = cases_of(
        [document.document for document in documents], [document.predicted or () for document in documents]
    )
    points = []
    for case in cases:
        span = case.gold or case.predicted
        assert span is not None
        gold, predicted = (side.label if side else None for side in (case.gold, case.predicted))
        id_, text = documents[case.document].document_id, documents[case.document].document.text
        points.append(MapPoint(id_, text, span.start, span.end, gold, predicted, case.kind))
    return points


def character_points(documents: Sequence[LabelledDocument]) -> list[MapPoint]:
    """Every character that is no blank, with the label of the outermost span over it on either side."""
    points = []
    for document in documents:
        text = document.document.text
        gold = entity_labels([document.document])
        predicted = entity_labels([document.document.with_spans(document.predicted or ())])
        for at, labels in enumerate(zip(gold, predicted, strict=True)):
            if not text[at].isspace():
                right, run = (None if label == OUTSIDE else label for label in labels)
                points.append(MapPoint(document.document_id, text, at, at + 1, right, run, _kind(*labels)))
    return points


def _kind(gold: str, predicted: str) -> str:
    if gold == predicted:
        return "correct"
    if predicted == OUTSIDE:
        return "missed"
    return "spurious" if gold == OUTSIDE else "label"

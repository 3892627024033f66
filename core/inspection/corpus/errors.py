"""The errors of a tagger: gold and predicted spans paired one to one, and the kind of each pair.

Pairs are formed in this order, so that the counts are well defined:

1. The same extent and label, then the same extent with another label.
2. Of the remaining spans, repeatedly the two that share the most characters, until none overlap. Ties: the
   same label first, then fewer characters outside the overlap, then further left.

Gold spans without a partner are missed, predicted ones spurious.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.text import Document, Span, SpanKey
from core.text.scoring import Score

Kind = Literal["correct", "label", "boundary", "both", "missed", "spurious"]
Edge = Literal["short", "right", "long"]
# The possible errors at the left and right boundary of a span, one-sided ones first.
BOUNDARIES: tuple[tuple[Edge, Edge], ...] = (
    ("short", "right"), ("long", "right"), ("right", "short"), ("right", "long"),
    ("short", "short"), ("long", "long"), ("long", "short"), ("short", "long"),
)  # fmt: skip
Pair = tuple[Span | None, Span | None]


@dataclass(frozen=True, slots=True)
class Case:
    """A pair of a gold and a predicted span; one of them is None if the other has no partner.

    Args:
        document: index into the documents that the cases were made from.
        gold: people's span. predicted: the tagger's span.
    """

    document: int
    gold: Span | None
    predicted: Span | None

    @property
    def kind(self) -> Kind:
        """The kind of error; ``label``: wrong label on the right extent, ``both``: wrong label and extent."""
        if self.gold is None:
            return "spurious"
        if self.predicted is None:
            return "missed"
        same_extent = _extent(self.gold) == _extent(self.predicted)
        if self.gold.label == self.predicted.label:
            return "correct" if same_extent else "boundary"
        return "label" if same_extent else "both"

    @property
    def is_correct(self) -> bool:
        """Whether extent and label are the same."""
        gold, said = self.gold, self.predicted
        if gold is None or said is None:
            return False
        return gold.start == said.start and gold.end == said.end and gold.label == said.label


def cases_of(documents: Sequence[Document], predicted: Sequence[Iterable[Span]]) -> list[Case]:
    """The cases of all documents; every gold and predicted span is in exactly one.

    Args:
        documents: with gold spans. predicted: the tagger's spans on each.

    Raises:
        ValueError: the lengths differ.
    """
    if len(documents) != len(predicted):
        raise ValueError(f"{len(documents)} documents but {len(predicted)} answers")
    return [
        Case(at, gold, said)
        for at, (document, spans) in enumerate(zip(documents, predicted, strict=True))
        for gold, said in pair_spans(document.spans, spans)
    ]


def pair_spans(gold: Iterable[Span], predicted: Iterable[Span]) -> list[Pair]:
    """Pairs by the rules of this module, in reading order; duplicate spans count once."""
    people = {span.key: span for span in gold}
    tagger = {span.key: span for span in predicted}
    pairs: list[Pair] = [(people.pop(key), tagger.pop(key)) for key in people.keys() & tagger.keys()]
    if people and tagger:
        for _, gold_key, predicted_key in sorted(_candidates(people.values(), tagger.values())):
            if gold_key in people and predicted_key in tagger:
                pairs.append((people.pop(gold_key), tagger.pop(predicted_key)))
    pairs += [(span, None) for span in people.values()]
    pairs += [(None, span) for span in tagger.values()]
    return sorted(pairs, key=_reading_order)


def _candidates(
    gold: Iterable[Span], predicted: Iterable[Span]
) -> Iterator[tuple[tuple[int, ...], SpanKey, SpanKey]]:
    """Overlapping pairs as (rank, gold key, predicted key); the lowest is taken first."""
    for gold_span, predicted_span in _overlapping(gold, predicted):
        shared = min(gold_span.end, predicted_span.end) - max(gold_span.start, predicted_span.start)
        outside = len(gold_span) + len(predicted_span) - 2 * shared
        rank = (int(outside > 0), -shared, int(gold_span.label != predicted_span.label), outside)
        yield rank, gold_span.key, predicted_span.key


def _overlapping(gold: Iterable[Span], predicted: Iterable[Span]) -> Iterator[tuple[Span, Span]]:
    """All pairs that share characters, by a sweep in time linear in spans and pairs."""
    sides = [(span, 0) for span in gold] + [(span, 1) for span in predicted]
    sides.sort(key=lambda side: side[0].start)
    reaching: tuple[list[Span], list[Span]] = ([], [])  # of each side, spans that have not ended yet
    for span, side in sides:
        others = reaching[1 - side]
        others[:] = [other for other in others if other.end > span.start]
        yield from ((span, other) if side == 0 else (other, span) for other in others)
        reaching[side].append(span)


def score_cases(cases: Iterable[Case]) -> Score:
    """Micro precision, recall and F1 over exact spans, as `core.text.scoring.score_documents` counts them."""
    gold = predicted = correct = 0
    for case in cases:
        gold += case.gold is not None
        predicted += case.predicted is not None
        correct += case.is_correct
    return Score(gold, predicted, correct)


def cell_of(case: Case, places: dict[str, int]) -> tuple[int, int]:
    """Row and column of a case in the confusion matrix; ``places`` numbers the labels from 0.

    Raises:
        KeyError: a label is not in ``places``.
    """
    nothing = len(places)
    row = nothing if case.gold is None else places[case.gold.label]
    column = nothing if case.predicted is None else places[case.predicted.label]
    return row, column


def confusion(cases: Iterable[Case], labels: Sequence[str]) -> np.ndarray:
    """Confusion matrix ``[L + 1, L + 1]``: rows are gold labels, columns predicted ones.

    The last row counts spurious spans, the last column missed ones. Only labels are compared: a span with the
    right label and a wrong extent is on the diagonal.

    Raises:
        KeyError: a label is not in ``labels``.
    """
    places = {label: at for at, label in enumerate(labels)}
    counts = np.zeros((len(labels) + 1, len(labels) + 1), dtype=int)
    for case in cases:
        counts[cell_of(case, places)] += 1
    return counts


def edges_of(case: Case) -> tuple[Edge, Edge] | None:
    """Whether the predicted span is too ``short``, ``right`` or too ``long`` at its left and right boundary.

    None unless the case is a pair with different extents.
    """
    if case.gold is None or case.predicted is None or _extent(case.gold) == _extent(case.predicted):
        return None
    return _edge(case.gold.start - case.predicted.start), _edge(case.predicted.end - case.gold.end)


def _edge(beyond: int) -> Edge:
    return "long" if beyond > 0 else "short" if beyond < 0 else "right"


def _extent(span: Span) -> tuple[int, int]:
    return span.start, span.end


def _reading_order(pair: Pair) -> tuple[int, int, str]:
    span = pair[0] or pair[1]
    assert span is not None
    return span.start, -span.end, span.label

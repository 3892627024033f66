"""The errors of a tagger: people's spans and its own, paired one to one, and the kind of each pair.

A pair is made by rules, so that two readers count alike:

1. The same extent and label first, then the same extent with another label.
2. Then, among spans that are left and share characters, the two that share most; again and again, until no
   two that are left overlap. Where two pairs share equally many characters, the one with the same label goes
   first, then the one with fewer characters outside the overlap, then the one further left.

What has no partner in the end was missed (people's) or is spurious (the tagger's).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from core.text import Document, Span
from core.text.scoring import Score

Kind = Literal["correct", "label", "boundary", "both", "missed", "spurious"]
Edge = Literal["short", "right", "long"]
# What can be wrong with the left and the right boundary of a span, single sides first.
BOUNDARIES: tuple[tuple[Edge, Edge], ...] = (
    ("short", "right"), ("long", "right"), ("right", "short"), ("right", "long"),
    ("short", "short"), ("long", "long"), ("long", "short"), ("short", "long"),
)  # fmt: skip
Pair = tuple[Span | None, Span | None]


@dataclass(frozen=True, slots=True)
class Case:
    """A span of people's with the tagger's span for it; one of them is None where it has no partner.

    Args:
        document: its place in the sequence the cases were made of.
        gold: what people said. predicted: what the tagger said.
    """

    document: int
    gold: Span | None
    predicted: Span | None

    @property
    def kind(self) -> Kind:
        """``label`` is another label on the right extent, ``both`` another label and another extent."""
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
        """Whether both say exactly the same."""
        gold, said = self.gold, self.predicted
        if gold is None or said is None:
            return False
        return gold.start == said.start and gold.end == said.end and gold.label == said.label


def cases_of(documents: Sequence[Document], predicted: Sequence[Iterable[Span]]) -> list[Case]:
    """Every span of every document, people's and the tagger's, in exactly one case.

    Args:
        documents: with people's spans. predicted: the tagger's spans of each.

    Raises:
        ValueError: the two differ in number.
    """
    if len(documents) != len(predicted):
        raise ValueError(f"{len(documents)} documents but {len(predicted)} answers")
    return [
        Case(at, gold, said)
        for at, (document, spans) in enumerate(zip(documents, predicted, strict=True))
        for gold, said in pair_spans(document.spans, spans)
    ]


def pair_spans(gold: Iterable[Span], predicted: Iterable[Span]) -> list[Pair]:
    """Pairs by the rules of this module, in reading order; a span that is given twice counts once."""
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
) -> Iterator[tuple[tuple[int, ...], tuple[int, int, str], tuple[int, int, str]]]:
    """Overlapping pairs as (rank, gold key, predicted key); the lowest is taken first."""
    for gold_span, predicted_span in _overlapping(gold, predicted):
        shared = min(gold_span.end, predicted_span.end) - max(gold_span.start, predicted_span.start)
        outside = len(gold_span) + len(predicted_span) - 2 * shared
        rank = (int(outside > 0), -shared, int(gold_span.label != predicted_span.label), outside)
        yield rank, gold_span.key, predicted_span.key


def _overlapping(gold: Iterable[Span], predicted: Iterable[Span]) -> Iterator[tuple[Span, Span]]:
    """Every pair that shares characters, found in one sweep: its time grows with the spans and such pairs."""
    sides = [(span, 0) for span in gold] + [(span, 1) for span in predicted]
    sides.sort(key=lambda side: side[0].start)
    reaching: tuple[list[Span], list[Span]] = ([], [])  # of each side, those that may reach what comes
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
    """Row and column of a case in the confusion of labels; ``places`` numbers the labels from 0.

    Raises:
        KeyError: a label has no place.
    """
    nothing = len(places)
    row = nothing if case.gold is None else places[case.gold.label]
    column = nothing if case.predicted is None else places[case.predicted.label]
    return row, column


def confusion(cases: Iterable[Case], labels: Sequence[str]) -> np.ndarray:
    """Counts ``[L + 1, L + 1]``: rows are what people said, columns what the tagger said.

    The last row holds what is spurious (people said nothing), the last column what was missed. A span with
    the right label and another extent stands on the diagonal: this is about labels.

    Raises:
        KeyError: a label is not in ``labels``.
    """
    places = {label: at for at, label in enumerate(labels)}
    counts = np.zeros((len(labels) + 1, len(labels) + 1), dtype=int)
    for case in cases:
        counts[cell_of(case, places)] += 1
    return counts


def edges_of(case: Case) -> tuple[Edge, Edge] | None:
    """How the tagger's left and right boundary lie to people's: too ``short``, ``right`` or too ``long``.

    None unless the case is a pair with two different extents.
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

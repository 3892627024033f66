"""Scores by a property of the spans: length, and whether training data and word list hold their words.

Properties depend only on the span, not on whether it is gold or predicted, so a correct span is in the same
bin on both sides, and precision, recall and F1 of a bin have their usual meaning.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import partial

from core.inspection.corpus.errors import Case
from core.text import Document, Span
from core.text.scoring import Score

# A bin's first and last value, None for open; they spread both short Chinese and long English names.
LENGTHS: tuple[tuple[int, int | None], ...] = (
    (1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (7, 10), (11, 20), (21, None),
)  # fmt: skip
FREQUENCIES: tuple[tuple[int, int | None], ...] = ((0, 0), (1, 1), (2, 5), (6, 20), (21, None))
NOVELTIES = ("unseen", "other_label", "seen")
LEXICON = ("hit", "miss")
_NONE: frozenset[str] = frozenset()
Property = Callable[[str, Span], int]


@dataclass(frozen=True, slots=True)
class Slices:
    """Scores of one property, bin by bin.

    Args:
        scores: of each bin.
        gold, predicted: for each bin, indices of the cases whose gold or predicted span is in it.
    """

    scores: tuple[Score, ...]
    gold: tuple[tuple[int, ...], ...]
    predicted: tuple[tuple[int, ...], ...]


class TrainingSurfaces:
    """Counts and labels of each surface labelled in the training documents."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._counts: Counter[str] = Counter()
        self._labels: defaultdict[str, set[str]] = defaultdict(set)
        for document in documents:
            for span in document.spans:
                surface = document.surface(span)
                self._counts[surface] += 1
                self._labels[surface].add(span.label)

    def count(self, surface: str) -> int:
        """Number of labelled spans with this surface."""
        return self._counts.get(surface, 0)

    def labels(self, surface: str) -> Set[str]:
        """The labels of these spans."""
        return self._labels.get(surface, _NONE)


def by_length() -> Property:
    """Bins of `LENGTHS`, in code points."""
    place = _bins(LENGTHS)
    return lambda surface, span: place(len(surface))


def by_frequency(training: TrainingSurfaces) -> Property:
    """Bins of `FREQUENCIES`: how often people labelled this surface in training, under any label."""
    place = _bins(FREQUENCIES)
    return lambda surface, span: place(training.count(surface))


def by_novelty(training: TrainingSurfaces) -> Property:
    """Bins of `NOVELTIES`: never labelled in training, only with other labels, or with this label."""
    return partial(_novelty, training)


def by_lexicon(words: Container[str]) -> Property:
    """Bins of `LEXICON`: whether the surface is a word of the list."""
    return lambda surface, span: 0 if surface in words else 1


def slice_scores(cases: Sequence[Case], documents: Sequence[Document], of: Property, bins: int) -> Slices:
    """The cases by the bin of their spans.

    A pair that differs in extent (or, for novelty, in label) may be in two bins: the gold span in one and the
    predicted span in the other.
    """
    gold: list[list[int]] = [[] for _ in range(bins)]
    predicted: list[list[int]] = [[] for _ in range(bins)]
    correct = [0] * bins
    for at, case in enumerate(cases):
        document = documents[case.document]
        if case.gold is not None:
            place = of(document.surface(case.gold), case.gold)
            gold[place].append(at)
            if case.is_correct:  # the same bin, so it need not be computed again
                predicted[place].append(at)
                correct[place] += 1
                continue
        if case.predicted is not None:
            predicted[of(document.surface(case.predicted), case.predicted)].append(at)
    return Slices(
        tuple(Score(len(g), len(p), c) for g, p, c in zip(gold, predicted, correct, strict=True)),
        tuple(map(tuple, gold)),
        tuple(map(tuple, predicted)),
    )


def _bins(bins: Sequence[tuple[int, int | None]]) -> Callable[[int], int]:
    """Finds the bin of a value."""
    firsts = [first for first, _ in bins]
    return lambda value: bisect_right(firsts, value) - 1


def _novelty(training: TrainingSurfaces, surface: str, span: Span) -> int:
    labels = training.labels(surface)
    return 0 if not labels else 2 if span.label in labels else 1

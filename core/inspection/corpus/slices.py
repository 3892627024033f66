"""Scores by a property of the spans: length, and whether training data and word list hold their words.

Properties depend only on the span, not on whether it is gold or predicted, so a correct span is in the same
bin on both sides, and precision, recall and F1 of a bin have their usual meaning.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import partial

import numpy as np

from core.text import Document, Span
from core.text.scoring import Score

# A bin's first and last value, None for open; they spread both short Chinese and long English names.
LENGTHS: tuple[tuple[int, int | None], ...] = (
    (1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (7, 10), (11, 20), (21, None),
)  # fmt: skip
FREQUENCIES: tuple[tuple[int, int | None], ...] = ((0, 0), (1, 1), (2, 5), (6, 20), (21, None))
NOVELTIES = ("unseen", "other_label", "seen")
LEXICON = ("hit", "miss")
NOWHERE = -1  # the bin of a span that is not there
_NONE: frozenset[str] = frozenset()
Property = Callable[[str, Span], int]


@dataclass(frozen=True, slots=True)
class Slices:
    """Scores of one property, bin by bin.

    Args:
        scores: of each bin.
        gold, predicted: for each case, the bin of its gold or predicted span, `NOWHERE` if it has none.
    """

    scores: tuple[Score, ...]
    gold: np.ndarray
    predicted: np.ndarray

    def cases(self, place: int) -> tuple[list[int], list[int]]:
        """Indices of the cases whose gold span is in a bin, and of those whose predicted span is."""
        return np.flatnonzero(self.gold == place).tolist(), np.flatnonzero(self.predicted == place).tolist()


class SliceColumns:
    """The bins of a property, filled case by case.

    A pair that differs in extent (or, for novelty, in label) may be in two bins: the gold span in one and the
    predicted span in the other.
    """

    def __init__(self, of: Property, bins: int) -> None:
        self._of, self._bins = of, bins
        self._gold, self._predicted, self._correct = array("b"), array("b"), [0] * bins

    def append(self, document: Document, gold: Span | None, predicted: Span | None, is_correct: bool) -> None:
        """Add a case."""
        place = NOWHERE if gold is None else self._of(document.surface(gold), gold)
        other = NOWHERE
        if is_correct:  # the same bin, so it need not be computed again
            other = place
            self._correct[place] += 1
        elif predicted is not None:
            other = self._of(document.surface(predicted), predicted)
        self._gold.append(place)
        self._predicted.append(other)

    def slices(self) -> Slices:
        """The scores of all cases so far."""
        gold, predicted = (np.array(column, dtype=np.int8) for column in (self._gold, self._predicted))
        counts = [np.bincount(side[side >= 0], minlength=self._bins) for side in (gold, predicted)]
        scores = zip(*(each.tolist() for each in counts), self._correct, strict=True)
        return Slices(tuple(Score(*each) for each in scores), gold, predicted)


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


def _bins(bins: Sequence[tuple[int, int | None]]) -> Callable[[int], int]:
    """Finds the bin of a value."""
    firsts = [first for first, _ in bins]
    return lambda value: bisect_right(firsts, value) - 1


def _novelty(training: TrainingSurfaces, surface: str, span: Span) -> int:
    labels = training.labels(surface)
    return 0 if not labels else 2 if span.label in labels else 1

"""PU bagging: out-of-bag averages of taggers' probabilities.

Mordelet and Vert, "A bagging SVM to learn from positive and unlabeled examples", Pattern Recognition Letters
2014: every classifier separates the positives from another random part of the unlabelled, and an unlabelled
example is scored by the classifiers not trained on it (algorithm 2).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise

import torch
from torch import Tensor

from core.taggers.pu.type_runs import read_runs
from core.text import Document, Span
from core.text.annotated_regions import REGIONS, annotated_regions


def halves(count: int, bags: int, seed: int) -> list[frozenset[int]]:
    """The texts of every bag: complementary random halves, so that each text is in half of the bags.

    Returns:
        An even number of sets, ``bags`` or one more.
    """
    made = []
    for pair in range((bags + 1) // 2):
        order = list(range(count))
        random.Random(f"bags {seed} {pair}").shuffle(order)  # noqa: S311 - a sample, not a secret
        made += [frozenset(order[: count // 2]), frozenset(order[count // 2 :])]
    return made


def in_bag(documents: Sequence[Document], bag: frozenset[int]) -> list[Document]:
    """Training data of one tagger: unlabelled text is negative in its bag; elsewhere only labels are used."""
    return [
        Document(document.id, document.text, document.spans)
        if index in bag and annotated_regions(document) is not None
        else document
        for index, document in enumerate(documents)
    ]


class OutOfBag:
    """Running sums of out-of-bag probabilities; single taggers' probabilities are not kept.

    Args:
        lengths: characters of each text. kinds: K.
    """

    def __init__(self, lengths: Sequence[int], kinds: int) -> None:
        self._starts = list(accumulate(lengths, initial=0))
        self._sums = torch.zeros(self._starts[-1], kinds)  # shape: (N, K), N characters of all texts
        self._counts = torch.zeros(self._starts[-1], 1)

    def add(self, text: int, start: int, answer: Tensor) -> None:
        """Add a tagger's probabilities for an out-of-bag text from character ``start`` on, ``[T, K]``."""
        first = self._starts[text] + start
        self._sums[first : first + len(answer)] += answer
        self._counts[first : first + len(answer)] += 1

    def means(self) -> Tensor:
        """Mean probabilities at the characters of all texts, concatenated, ``[N, K]``."""
        return self._sums / self._counts.clamp(min=1)

    def of_texts(self, means: Tensor) -> list[Tensor]:
        """The rows of each text."""
        return [means[start:end] for start, end in pairwise(self._starts)]


def thresholds_for(means: Tensor, labels: Sequence[str], priors: Mapping[str, float]) -> Tensor:
    """The threshold per type at which the share of characters equals its prior, ``[K]``.

    Trained with unlabelled text as negative, the probabilities are too low but well ordered.

    Args:
        means: ``[N, K]``.
    """
    sample = means[torch.linspace(0, len(means) - 1, min(len(means), 1_000_000)).long()]
    quantiles = [torch.quantile(sample[:, k], 1 - priors[label]) for k, label in enumerate(labels)]
    return torch.stack(quantiles).clamp(1e-4, 1 - 1e-4)


def consensus(
    documents: Sequence[Document], means: Sequence[Tensor], labels: Sequence[str], bounds: Tensor
) -> list[Document]:
    """Documents with the spans of the averaged probabilities; existing labels are kept.

    They count as fully annotated and are the training data of the run's tagger.
    """
    labelled = []
    for document, mean in zip(documents, means, strict=True):
        if annotated_regions(document) is None:
            labelled.append(document)
            continue
        scores = torch.logit(mean.clamp(1e-6, 1 - 1e-6)) - torch.logit(bounds)
        new = [
            Span(span.start, span.end, span.label)
            for span in read_runs(scores, labels)
            if not any(span.overlaps(existing) for existing in document.spans)
        ]
        meta = {key: value for key, value in document.meta.items() if key != REGIONS}
        labelled.append(Document(document.id, document.text, (*document.spans, *new), meta))
    return labelled

"""Masking for masked language models.

Pieces one by one (Devlin et al. 2019, section 3.1), whole words (Cui et al. 2019, section 3.1) or spans of
words (Joshi et al. 2020, section 3.1). Input is the word number of every piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Group = list[int]  # positions that share one random draw


def budget(count: int, share: float) -> int:
    """Number of pieces to predict: this share of ``count``, at least one."""
    return max(1, round(count * share)) if count else 0


def choose_pieces(count: int, share: float, rng: np.random.Generator) -> list[Group]:
    """Exactly `budget` random pieces."""
    return [[int(place)] for place in sorted(rng.permutation(count)[: budget(count, share)])]


def choose_words(words: Sequence[int], share: float, rng: np.random.Generator) -> list[Group]:
    """Random whole words within the budget.

    If every word is longer than the budget, the shortest is taken. Each piece of a word is replaced by a draw
    of its own, as in BERT's published code.

    Args:
        words: the word number of every piece, ascending.
    """
    groups = _places(words)
    left = budget(len(words), share)
    chosen: list[Group] = []
    for number in rng.permutation(len(groups)).tolist():
        if len(groups[number]) <= left:
            chosen.append(groups[number])
            left -= len(groups[number])
    if not chosen and groups:
        chosen.append(min(groups, key=len))
    return [[place] for group in sorted(chosen) for place in group]


def choose_spans(
    words: Sequence[int], share: float, rng: np.random.Generator, rate: float = 0.2, longest: int = 10
) -> list[Group]:
    """Spans of whole words with geometrically distributed lengths, until the budget is spent.

    Each span is one group: it is masked, replaced or kept as a whole. Spans do not overlap. A span that
    exceeds the remaining budget is redrawn; after many draws the rest stays unspent.

    Args:
        words: as for `choose_words`. rate, longest: p of the geometric distribution, and its maximum.
    """
    groups = _places(words)
    left = budget(len(words), share)
    shares = span_lengths(rate, longest)
    taken = [False] * len(groups)
    chosen: list[Group] = []
    for _ in range(20 * left + 20):
        if left <= 0 or not groups:
            break
        length = int(rng.choice(len(shares), p=shares)) + 1
        start = int(rng.integers(len(groups)))
        span = range(start, start + length)
        if span.stop > len(groups) or any(taken[start : span.stop]):
            continue
        places = [place for number in span for place in groups[number]]
        if len(places) <= left:
            chosen.append(places)
            left -= len(places)
            taken[start : span.stop] = [True] * length
    if not chosen and groups:
        chosen.append(min(groups, key=len))
    return sorted(chosen)


def span_lengths(rate: float, longest: int) -> NDArray[np.float64]:
    """Probability of 1, 2, … ``longest`` words: the geometric distribution, truncated and renormalised.

    With p = 0.2 and 10 words the mean is 3.8, as the paper says.
    """
    law = rate * (1 - rate) ** np.arange(longest)
    shares: NDArray[np.float64] = law / law.sum()
    return shares


@dataclass(frozen=True)
class Replacement:
    """Replacement of the pieces to predict.

    Args:
        mask: id of the mask. others: ids for random replacements, without special ones.
        masked, random: shares of groups that are masked and replaced; the others are kept.
    """

    mask: int
    others: Integers
    masked: float = 0.8
    random: float = 0.1

    def __call__(self, ids: Integers, groups: Sequence[Group], rng: np.random.Generator) -> Integers:
        """``ids`` after one draw per group; every piece of a replaced group gets its own random id."""
        changed = ids.copy()
        for group in groups:
            draw = rng.random()
            if draw < self.masked:
                changed[group] = self.mask
            elif draw < self.masked + self.random:
                changed[group] = rng.choice(self.others, size=len(group))
        return changed


def _places(words: Sequence[int]) -> list[Group]:
    """The positions of the pieces of every word, in order."""
    groups: list[Group] = []
    before = None
    for place, word in enumerate(words):
        if word != before:
            groups.append([])
            before = word
        groups[-1].append(place)
    return groups

"""Frequent n-grams of a token stream, with cohesion and branching entropy.

Works level by level: an n-gram can only be frequent if its prefix without the last token is, so every level
reads only the positions of the level below. A level is counted in slices that are small enough to sort.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.lexicon.discovery.token_stream import BREAK, TokenStream
from core.runtime.message import ToldValueError

SLICE = 2_000_000  # positions sorted together, more for a single n-gram that is more frequent
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Progress = Callable[[float], None]


@dataclass
class Level:
    """All frequent n-grams of one length, ``[k]`` each, in no particular order.

    Args:
        counts: occurrences, overlapping ones too. places: the first token of one occurrence.
        prefixes, suffixes: the n-gram without its last, and without its first token, in the level below.
        left_entropy, right_entropy: of the previous and the next token, in bits; every clause boundary is a
            distinct neighbour, as for accessor variety.
    """

    counts: Ints
    places: Ints
    prefixes: Ints
    suffixes: Ints
    left_entropy: Floats = field(default_factory=lambda: np.zeros(0))
    right_entropy: Floats = field(default_factory=lambda: np.zeros(0))


@dataclass
class _Growing:
    """The n-grams of the next level, collected slice by slice."""

    ids: NDArray[np.int32]
    counts: list[Ints] = field(default_factory=list)
    prefixes: list[Ints] = field(default_factory=list)
    size: int = 0


def frequent_ngrams(
    stream: TokenStream, longest: int, least: int, progress: Progress | None = None
) -> list[Level]:
    """The n-grams of 1 to ``longest`` tokens that occur at least ``least`` times, by length.

    Time is proportional to tokens times ``longest``, memory is 12 bytes per token.

    Args:
        progress: called with the fraction done; may raise to stop.

    Raises:
        ValueError: ``longest`` or ``least`` is less than 1.
    """
    if longest < 1 or least < 1:
        raise ToldValueError(
            "the longest word and the fewest occurrences must be 1 or more, got {longest} and {least}",
            longest=longest,
            least=least,
        )
    report = progress or (lambda share: None)
    # With breaks before and after, every position has neighbours.
    tokens = np.concatenate([[BREAK], stream.tokens, np.zeros(longest + 1, np.int32)]).astype(np.int32)
    level, ids = _unigrams(tokens, len(stream.names), least)
    levels = [level]
    for length in range(1, longest + 1):
        share = (length - 1) / longest
        level.left_entropy = _left_entropy(tokens, ids, level, len(stream.names))
        report(share + 0.5 / longest)
        grown = _extend(tokens, ids, level, length, len(stream.names), least)
        report(length / longest)
        if length < longest:
            above = _next_level(grown, ids)
            level, ids = above, grown.ids
            levels.append(level)
    for level in levels:
        level.places -= 1  # positions in the stream, without the first break
    return levels


def cohesion(levels: list[Level], length: int, tokens: int) -> Floats:
    """Pointwise mutual information of each n-gram of ``length`` tokens in bits, ``[k]``.

    It is the minimum over all splits into two (Church and Hanks, Computational Linguistics 16, 1990).

    Args:
        tokens: total number; probabilities are counts divided by it.
    """
    whole = levels[length - 1].counts
    least = np.full(len(whole), np.inf)
    for cut in range(1, length):
        left, right = np.arange(len(whole)), np.arange(len(whole))
        for at in range(length, cut, -1):
            left = levels[at - 1].prefixes[left]
        for at in range(length, length - cut, -1):
            right = levels[at - 1].suffixes[right]
        parts = levels[cut - 1].counts[left].astype(float) * levels[length - cut - 1].counts[right]
        least = np.minimum(least, np.log2(whole * float(tokens) / parts))
    return least


def _unigrams(tokens: NDArray[np.int32], kinds: int, least: int) -> tuple[Level, NDArray[np.int32]]:
    counts = np.bincount(tokens, minlength=kinds)
    counts[BREAK] = 0
    kept = np.flatnonzero(counts >= least)
    numbers = np.full(kinds, -1, np.int32)
    numbers[kept] = np.arange(len(kept), dtype=np.int32)
    ids = numbers[tokens]
    nothing = np.zeros(len(kept), np.int64)
    return Level(counts[kept], _places(ids, len(kept)), nothing, nothing.copy()), ids


def _left_entropy(tokens: NDArray[np.int32], ids: NDArray[np.int32], level: Level, kinds: int) -> Floats:
    entropy = np.zeros(len(level.counts))
    for low, high, places in _slices(ids, level.counts):
        keys = (ids[places].astype(np.int64) - low) * kinds + tokens[places - 1]
        keys.sort()
        distinct, times = _runs(keys)
        entropy[low:high] = _entropy(distinct, times, level.counts[low:high], kinds)
    return entropy


def _extend(
    tokens: NDArray[np.int32], ids: NDArray[np.int32], level: Level, length: int, kinds: int, least: int
) -> _Growing:
    """Compute ``right_entropy`` and the next level, whose n-grams are an n-gram with its next token."""
    level.right_entropy = np.zeros(len(level.counts))
    grown = _Growing(np.full(len(ids), -1, np.int32))
    for low, high, places in _slices(ids, level.counts):
        keys = (ids[places].astype(np.int64) - low) * kinds + tokens[places + length]
        order = np.argsort(keys)
        keys = keys[order]
        distinct, times = _runs(keys)
        level.right_entropy[low:high] = _entropy(distinct, times, level.counts[low:high], kinds)
        frequent = (times >= least) & (distinct % kinds != BREAK)
        number = np.where(frequent, np.cumsum(frequent) - 1 + grown.size, -1)
        grown.ids[places[order]] = np.repeat(number, times)
        grown.counts.append(times[frequent])
        grown.prefixes.append(distinct[frequent] // kinds + low)
        grown.size += int(frequent.sum())
    return grown


def _next_level(grown: _Growing, ids: NDArray[np.int32]) -> Level:
    empty = [np.zeros(0, np.int64)]
    places = _places(grown.ids, grown.size)
    suffixes = ids[places + 1].astype(np.int64)
    return Level(
        np.concatenate(grown.counts or empty), places, np.concatenate(grown.prefixes or empty), suffixes
    )


def _places(ids: NDArray[np.int32], size: int) -> Ints:
    """A position of every id."""
    places = np.zeros(size, np.int64)
    positions = np.flatnonzero(ids >= 0)
    places[ids[positions]] = positions
    return places


def _slices(ids: NDArray[np.int32], counts: Ints) -> Iterator[tuple[int, int, Ints]]:
    """Ranges of ids with all their positions, about `SLICE` positions at a time."""
    ends = np.cumsum(counts)
    low = 0
    while low < len(counts):
        before = int(ends[low - 1]) if low else 0
        high = max(low + 1, int(np.searchsorted(ends, before + SLICE, side="right")))
        yield low, high, np.flatnonzero((ids >= low) & (ids < high))
        low = high


def _runs(keys: Ints) -> tuple[Ints, Ints]:
    """The distinct values of a sorted array, and their counts."""
    starts = np.flatnonzero(np.concatenate([np.ones(min(len(keys), 1), np.bool_), keys[1:] != keys[:-1]]))
    return keys[starts], np.diff(np.append(starts, len(keys)))


def _entropy(distinct: Ints, times: Ints, totals: Ints, kinds: int) -> Floats:
    """Branching entropy in bits (Jin and Tanaka-Ishii, COLING/ACL 2006, section 2)."""
    rows = distinct // kinds
    total = totals[rows].astype(float)
    at_break = distinct % kinds == BREAK
    terms = np.where(at_break, times * np.log2(total), times * np.log2(total / times)) / total
    return np.bincount(rows, weights=terms, minlength=len(totals)).astype(np.float64)

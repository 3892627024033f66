"""The k best tag paths of every sentence with their scores.

Every tag keeps its k best prefixes instead of one: the parallel algorithm of Seshadri and Sundberg, List
Viterbi decoding algorithms with applications, IEEE Transactions on Communications 1994.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class ScoredPath(NamedTuple):
    """One tag per position, and the unnormalised log-score of taking them."""

    tags: list[int]
    score: float


def k_best_paths(
    emissions: Floats, lengths: Integers, transitions: Floats, start: Floats, end: Floats, count: int
) -> list[list[ScoredPath]]:
    """The ``count`` best distinct paths of every sentence, best first; fewer where no more exist.

    Paths that score minus infinity are left out. An empty sentence has one path, the empty one, of score 0.

    Args:
        emissions: ``[B, T, K]``. lengths: ``[B]``. count: k, at least 1.
        transitions: ``[K, K]`` from row to column; minus infinity forbids. start, end: ``[K]``.
    """
    batch, length, tags = emissions.shape
    if not batch * length:
        return [[ScoredPath([], 0.0)] for _ in range(batch)]
    with np.errstate(all="ignore"):  # padding may hold anything
        count = min(count, tags ** min(length, count.bit_length()))  # no more than exist, without huge powers
        best, origins = _prefixes(emissions, transitions, start, count)
        last = np.maximum(lengths - 1, 0)
        # shape: (B, K * count), the prefixes of a tag adjacent, in the order of the pointers
        final = best[last, :, :, np.arange(batch)].swapaxes(1, 2) + end[:, None]
        final = final.reshape(batch, tags * count)
    pointer = np.argsort(-final, axis=1, kind="stable")[:, :count]
    scores = np.take_along_axis(final, pointer, 1)
    paths = _follow(pointer, origins, last)
    best_paths = []
    for row, size in enumerate(lengths.tolist()):
        pairs = zip(paths[row, :, :size].tolist(), scores[row].tolist(), strict=True)
        legal = [ScoredPath(path, score) for path, score in pairs if score > -np.inf]
        best_paths.append(legal if size else [ScoredPath([], 0.0)])
    return best_paths


def _prefixes(
    emissions: Floats, transitions: Floats, start: Floats, count: int
) -> tuple[Floats, NDArray[np.int32]]:
    """The best prefixes that end at t in tag j, best first, with backpointers.

    Returns:
        scores ``[T, count, K, B]``, and pointers of the same shape: tag * count + place among that tag's
        prefixes, one position earlier.
    """
    batch, length, tags = emissions.shape
    emitted = np.ascontiguousarray(emissions.transpose(1, 2, 0))  # shape: (T, K, B)
    # One extra entry of minus infinity: the value of an exhausted tag.
    best = np.full((length, count + 1, tags, batch), -np.inf)
    best[0, 0] = start[:, None] + emitted[0]
    origins = np.zeros((length, count, tags, batch), dtype=np.int32)
    to, row = np.ogrid[:tags, :batch]
    existing = 1
    for step in range(1, length):
        existing = min(existing * tags, count)
        # shape: (K from, K to, B): the score each tag offers next, and the rank of its prefix
        offers = best[step - 1, 0][:, None] + transitions[:, :, None]
        ranks = np.zeros(offers.shape, dtype=np.int64)
        for rank in range(existing):
            origin = offers.argmax(0)  # shape: (K to, B)
            used = ranks[origin, to, row]
            best[step, rank] = offers[origin, to, row] + emitted[step]
            origins[step, rank] = origin * count + used
            ranks[origin, to, row] = used + 1
            offers[origin, to, row] = best[step - 1, used + 1, origin, row] + transitions[origin, to]
    return best[:, :count], origins


def _follow(pointer: Integers, origins: NDArray[np.int32], last: Integers) -> Integers:
    """Tags ``[B, count, T]`` of the paths whose last pointers are ``pointer`` ``[B, count]``."""
    length, count, _, batch = origins.shape
    rows = np.arange(batch)[:, None]
    tags = np.zeros((batch, pointer.shape[1], length), dtype=np.int64)
    current = pointer.copy()
    for step in range(length - 1, -1, -1):
        ending = last == step
        current[ending] = pointer[ending]
        tags[:, :, step] = current // count
        if step:
            current = origins[step, current % count, current // count, rows].astype(np.int64)
    return tags

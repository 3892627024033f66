"""Constrained Viterbi: the best path through given tags at given positions, and the best path that avoids
them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.layers.crf.k_best import Floats, ScoredPath, k_best_paths


def best_path_with(
    emissions: Floats, transitions: Floats, start: Floats, end: Floats, first: int, tags: Sequence[int]
) -> ScoredPath | None:
    """The best path with tag ``tags[m]`` at ``first + m``; None if every such path is forbidden.

    Args:
        emissions: ``[T, K]``. transitions: ``[K, K]`` from row to column; minus infinity forbids.
        start, end: ``[K]``. first, tags: inside the sentence.

    Raises:
        ValueError: ``tags`` is empty or extends beyond the sentence.
    """
    _check(emissions, first, tags)
    chain = np.array(emissions, dtype=np.float64)
    for step, tag in enumerate(tags):
        _force(chain[first + step], tag)
    return _best(chain[None], transitions, start, end)


def best_path_without(
    emissions: Floats, transitions: Floats, start: Floats, end: Floats, first: int, tags: Sequence[int]
) -> ScoredPath | None:
    """The best path that differs from ``tags`` somewhere; None if every such path is forbidden.

    Exact: these paths are partitioned by the first position at which they differ, and the best of each part
    is found separately. Arguments as :func:`best_path_with`.

    Raises:
        ValueError: ``tags`` is empty or extends beyond the sentence.
    """
    _check(emissions, first, tags)
    # shape: (M, T, K), one chain for each position that may be the first to differ
    chains = np.repeat(np.asarray(emissions, dtype=np.float64)[None], len(tags), axis=0)
    for differing, chain in enumerate(chains):
        for step in range(differing):
            _force(chain[first + step], tags[step])
        chain[first + differing, tags[differing]] = -np.inf
    return _best(chains, transitions, start, end)


def _check(emissions: Floats, first: int, tags: Sequence[int]) -> None:
    if not tags or first < 0 or first + len(tags) > len(emissions):
        raise ValueError(f"{len(tags)} tags from {first} on do not lie in {len(emissions)} positions")


def _force(scores: Floats, tag: int) -> None:
    """Forbid all other tags at a position."""
    kept = scores[tag]
    scores[:] = -np.inf
    scores[tag] = kept


def _best(chains: Floats, transitions: Floats, start: Floats, end: Floats) -> ScoredPath | None:
    lengths = np.full(len(chains), chains.shape[1])
    best = [ranked[0] for ranked in k_best_paths(chains, lengths, transitions, start, end, 1) if ranked]
    return max(best, key=lambda path: path.score, default=None)

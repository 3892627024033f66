"""Confidence intervals of scores and the significance of differences, by resampling documents.

Spans of one document are not independent, so whole documents are resampled and swapped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.runtime.message import ToldValueError

Array = np.ndarray[Any, Any]
RESAMPLES = 10_000
CONFIDENCE = 0.95
MOST_DRAWN = 1_000_000  # numbers in memory at once
# Called with the resamples drawn since the last call; may raise to stop.
Drawn = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class CountTable:
    """Span counts of several runs, by document; documents with the same counts share a row.

    Args:
        rows: ``[U, R, 3]``, distinct rows: correct, predicted and gold spans of each of R runs.
        times: ``[U]``, number of documents with each row.
    """

    rows: Array
    times: Array

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], times: Sequence[int], runs: int) -> CountTable:
        """From rows of ``3 R`` numbers."""
        counts = np.array(rows, dtype=np.int64).reshape(len(rows), runs, 3)
        return cls(counts, np.array(times, dtype=np.int64))

    @property
    def documents(self) -> int:
        """Number of documents."""
        return int(self.times.sum())

    @property
    def totals(self) -> Array:
        """``[R, 3]``: correct, predicted and gold spans of each run."""
        sums: Array = np.einsum("u,urc->rc", self.times, self.rows)
        return sums


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Percentile intervals, low and high, of precision, recall and F1.

    Args:
        scores: ``[R, 3, 2]``, of each run.
        differences: ``[R, 3, 2]``, of each run minus the first on the same resamples; zero for the first.
    """

    scores: Array
    differences: Array


@dataclass(frozen=True, slots=True)
class Measurement:
    """Precision, recall and F1 of several runs, compared with the first.

    Args:
        counts: ``[R, 3]``: correct, predicted and gold spans. scores: ``[R, 3]``.
        intervals: ``[R, 3, 2]``, 95%. differences: ``[R, 3]``, to the first run.
        difference_intervals: ``[R, 3, 2]``, 95%, paired. p_values: ``[R, 3]``; 1 for the first run.
        documents: their number.
    """

    counts: Array
    scores: Array
    intervals: Array
    differences: Array
    difference_intervals: Array
    p_values: Array
    documents: int


def measure(
    table: CountTable, resamples: int = RESAMPLES, seed: int = 0, progress: Drawn = lambda count: None
) -> Measurement:
    """The full measurement of a table.

    Args:
        progress: its counts sum to `draws` of the number of runs.

    Raises:
        ValueError: no documents.
    """
    drawn = bootstrap(table, resamples, seed, progress=progress)
    scores = ratios(table.totals)
    others = range(1, len(scores))
    tests = [randomisation_test(table, 0, other, resamples, seed, progress) for other in others]
    return Measurement(
        table.totals,
        scores,
        drawn.scores,
        scores - scores[:1],
        drawn.differences,
        np.stack([np.ones(3), *tests]),
        table.documents,
    )


def draws(runs: int, resamples: int = RESAMPLES) -> int:
    """How many resamples a measurement of so many runs draws: of the documents, and for the test of each
    run but the first."""
    return runs * resamples


def ratios(counts: Array) -> Array:
    """Precision, recall and F1 ``[..., 3]`` from correct, predicted and gold ``[..., 3]``.

    A ratio whose denominator is zero is 0, as in `core.text.scoring.Score`.
    """
    correct, predicted, gold = (counts[..., place].astype(float) for place in range(3))
    pairs = ((correct, predicted), (correct, gold), (2 * correct, predicted + gold))
    return np.stack([np.divide(a, b, out=np.zeros_like(a), where=b > 0) for a, b in pairs], axis=-1)


def bootstrap(
    table: CountTable,
    resamples: int = RESAMPLES,
    seed: int = 0,
    confidence: float = CONFIDENCE,
    progress: Drawn = lambda count: None,
) -> Bootstrap:
    """Percentile bootstrap over documents; every run is scored on the same resamples.

    Efron and Tibshirani, An Introduction to the Bootstrap (1993), section 13.3. The counts of the distinct
    rows in a resample of D documents are multinomial, so they are drawn directly.

    Raises:
        ValueError: no documents.
    """
    if not table.documents:
        raise ToldValueError("there are no documents to resample")
    generator = np.random.default_rng(seed)
    runs = table.rows.shape[1]
    flat = table.rows.reshape(len(table.rows), -1).astype(float)
    shares = table.times / table.documents
    parts = []
    for size in _portions(resamples, len(flat)):
        parts.append(generator.multinomial(table.documents, shares, size=size) @ flat)
        progress(size)
    scores = ratios(np.concatenate(parts).reshape(resamples, runs, 3))
    tail = (1 - confidence) / 2
    return Bootstrap(_interval(scores, tail), _interval(scores - scores[:, :1], tail))


def randomisation_test(
    table: CountTable,
    base: int = 0,
    other: int = 1,
    resamples: int = RESAMPLES,
    seed: int = 0,
    progress: Drawn = lambda count: None,
) -> Array:
    """Two-sided p-values ``[3]`` for the differences in precision, recall and F1 between two runs.

    Approximate randomisation: under the null hypothesis the runs' predictions on any document can be swapped.
    p = (r + 1) / (R + 1) if r of R random swaps give a difference at least as large. Yeh, More accurate tests
    for the statistical significance of result differences, COLING 2000.

    Of n documents with the same counts, the number swapped is binomial.
    """
    first, second = table.rows[:, base].astype(float), table.rows[:, other].astype(float)
    apart = (first != second).any(axis=1)
    step = (second - first)[apart]
    before, after = (table.totals[place].astype(float) for place in (base, other))
    observed = np.abs(ratios(after) - ratios(before))
    generator = np.random.default_rng(seed)
    reached = np.zeros(3)
    for size in _portions(resamples, len(step)):
        moved = generator.binomial(table.times[apart], 0.5, size=(size, len(step))) @ step
        drawn = np.abs(ratios(after - moved) - ratios(before + moved))
        reached += (drawn >= observed - 1e-12).sum(axis=0)
        progress(size)
    p_values: Array = (reached + 1) / (resamples + 1)
    return p_values


def _interval(drawn: Array, tail: float) -> Array:
    """The percentiles over the first axis, ``[..., 2]``."""
    return np.moveaxis(np.quantile(drawn, [tail, 1 - tail], axis=0), 0, -1)


def _portions(resamples: int, width: int) -> Iterator[int]:
    """Sizes that sum to ``resamples``, each small enough for memory."""
    most = max(1, MOST_DRAWN // max(1, width))
    while resamples > 0:
        yield min(most, resamples)
        resamples -= most

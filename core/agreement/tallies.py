"""Per-document sums that a coefficient is computed from, and its bootstrap interval.

Every coefficient here is a function of sums over documents. So a bootstrap resample only reweights documents,
and all resamples are one matrix product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.agreement.result import Reason, Result

if TYPE_CHECKING:
    from scipy import sparse

Array = np.ndarray[Any, Any]
RESAMPLES = 500
CONFIDENCE = 0.95
MOST_DRAWN = 5_000_000  # weights in memory at once
MOST_DENSE = 12  # columns up to which a table is multiplied as a dense one
LEAST_DEFINED = 0.95  # minimum share of defined resamples for an interval


@dataclass(frozen=True, slots=True)
class Tallies:
    """The sums of a coefficient over documents.

    Args:
        table: ``[D, K]`` sums by document.
        coefficient: from sums ``[..., K]`` to values ``[...]``, NaN where undefined.
        undefined: from sums ``[K]`` to the reason why the coefficient is undefined.
    """

    table: sparse.csr_matrix
    coefficient: Callable[[Array], Array]
    undefined: Callable[[Array], Reason]

    def result(self, interval: tuple[float, float] | None = None) -> Result:
        """The coefficient over all documents, with the interval from a `Resampling`."""
        totals = np.asarray(self.table.sum(axis=0), dtype=float).reshape(-1)
        value = float(self.coefficient(totals[None])[0])
        return Result(None, self.undefined(totals)) if np.isnan(value) else Result(value, None, interval)


@dataclass(frozen=True, slots=True)
class Resampling:
    """Bootstrap resamples of documents, shared by all coefficients.

    Percentile intervals: Efron and Tibshirani, An Introduction to the Bootstrap (1993), section 13.3.

    Args:
        documents: D, their number. resamples: B; 0 for no intervals. seed: of the draws.
    """

    documents: int
    resamples: int = RESAMPLES
    seed: int = 0

    def weights(self) -> Iterator[Array]:
        """The counts of each document in the resamples, ``[b, D]``, in portions that fit into memory; b sums
        to B."""
        generator = np.random.default_rng(self.seed)
        shares = np.full(self.documents, 1 / max(1, self.documents))
        most = max(1, MOST_DRAWN // max(1, self.documents))
        for first in range(0, self.resamples, most):
            count = min(most, self.resamples - first)
            yield generator.multinomial(self.documents, shares, size=count).astype(float)

    def intervals(
        self, tallies: Sequence[Tallies], progress: Callable[[int], None] = lambda done: None
    ) -> list[tuple[float, float] | None]:
        """The bounds of each; None for fewer than two documents or too many undefined resamples.

        Args:
            progress: called with the number of resamples done; what it raises ends the work.
        """
        if self.documents < 2 or not self.resamples:
            return [None] * len(tallies)
        drawn: list[list[Array]] = [[] for _ in tallies]
        factors = [_factor(tally.table) for tally in tallies]
        done = 0
        for weights in self.weights():
            progress(done)
            done += len(weights)
            for values, tally, factor in zip(drawn, tallies, factors, strict=True):
                dense = isinstance(factor, np.ndarray)
                totals = weights @ factor if dense else np.asarray((factor.T @ weights.T).T)
                values.append(tally.coefficient(totals))
        return [percentiles(np.concatenate(values)) for values in drawn]


def _factor(table: sparse.csr_matrix) -> Array | sparse.csr_matrix:
    """The table in the form that multiplies fastest."""
    return table.toarray() if table.shape[1] <= MOST_DENSE else table


def percentiles(values: Array) -> tuple[float, float] | None:
    """The bounds of the interval of resampled values ``[B]``; None if too many are undefined."""
    defined = values[~np.isnan(values)]
    if len(defined) < LEAST_DEFINED * len(values) or not len(defined):
        return None
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return float(low), float(high)


def tally_table(documents: int, *columns: tuple[Array, Array, Array, int]) -> sparse.csr_matrix:
    """A table of concatenated blocks ``(document, column, value, width)``; values of one cell are summed.

    Args:
        documents: D, its rows.
    """
    from scipy import sparse

    blocks = [
        sparse.coo_matrix((value.astype(float), (document, column)), shape=(documents, width))
        for document, column, value, width in columns
    ]
    return sparse.hstack(blocks, format="csr")


def safe_divide(above: Array, below: Array) -> Array:
    """``above / below``, NaN where ``below`` is zero."""
    out = np.full(np.broadcast(above, below).shape, np.nan)
    return np.divide(above, below, out=out, where=np.abs(below) > 1e-12)

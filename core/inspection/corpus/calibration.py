"""Calibration: are 80% of the spans with a confidence of 0.8 correct?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """The predictions with a confidence above ``low`` and up to ``high``.

    Args:
        count: their number. accuracy: the share of correct ones; None without any.
    """

    low: float
    high: float
    count: int
    accuracy: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """A reliability diagram over equal-width bins; ``M`` bins, ``N`` confidences.

    Args:
        edges: ``[M + 1]`` from 0 to 1. Bins exclude their lower and include their upper edge; the first also
            includes 0.
        bins: ``[N]``, the bin of each confidence.
        counts: ``[M]``. confidence: ``[M]``, the mean of each bin. accuracy: ``[M]``, the share of correct
            predictions. Both are NaN for empty bins.
    """

    edges: np.ndarray
    bins: np.ndarray
    counts: np.ndarray
    confidence: np.ndarray
    accuracy: np.ndarray

    def bin_of(self, confidence: float) -> Bin:
        """The bin of a confidence in [0, 1]."""
        at = max(int(np.searchsorted(self.edges, confidence, side="left")) - 1, 0)
        count = int(self.counts[at])
        low, high = self.edges[at : at + 2].tolist()
        return Bin(low, high, count, float(self.accuracy[at]) if count else None)

    @property
    def ece(self) -> float | None:
        """Expected calibration error: the mean gap between accuracy and confidence, weighted by the counts.

        On Calibration of Modern Neural Networks (Guo et al., ICML 2017), equation 3.
        None without confidences.
        """
        if not self.counts.sum():
            return None
        gaps = np.abs(self.accuracy - self.confidence)
        return float(np.nansum(gaps * self.counts) / self.counts.sum())


def calibration(confidences: Sequence[float], correct: Sequence[bool], bins: int = BINS) -> Calibration:
    """The calibration of predictions, binned as in Guo et al. (2017), section 2.

    Raises:
        ValueError: the lengths differ, a confidence is not in [0, 1], or there is no bin.
    """
    said, right = np.asarray(confidences, dtype=float), np.asarray(correct, dtype=bool)
    if said.shape != right.shape:
        raise ValueError(f"{said.size} confidences but {right.size} verdicts")
    if bins < 1:
        raise ValueError(f"there must be at least 1 bin, got {bins}")
    if not np.all((said >= 0) & (said <= 1)):  # also refuses NaN
        raise ValueError("a confidence lies outside [0, 1]")
    edges = np.linspace(0.0, 1.0, bins + 1)
    places = np.maximum(np.searchsorted(edges, said, side="left") - 1, 0)
    counts = np.bincount(places, minlength=bins)
    filled = np.maximum(counts, 1)
    empty = counts == 0
    confidence = np.where(empty, np.nan, np.bincount(places, weights=said, minlength=bins) / filled)
    accuracy = np.where(empty, np.nan, np.bincount(places, weights=right, minlength=bins) / filled)
    return Calibration(edges, places, counts, confidence, accuracy)

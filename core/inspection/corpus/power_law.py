"""A learning curve as a power law: the error as a function of the number of training documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LEAST_SIZES = 3  # with two, the line fits both points exactly and its uncertainty is unknown
CONFIDENCE = 0.95
LEAST_ERROR = 1e-3  # an F1 of 1 has no logarithm


@dataclass(frozen=True, slots=True)
class PowerLaw:
    """``1 − F1 = scale · n^(−slope)``, fitted on logarithms.

    Args:
        slope_interval: 95%, from the residuals.
        points: number fitted.
    """

    scale: float
    slope: float
    slope_interval: tuple[float, float]
    points: int
    _centre: float
    _spread: float
    _residual: float

    @property
    def rises(self) -> bool:
        """Whether more documents help significantly: the interval of the slope lies above zero."""
        return self.slope_interval[0] > 0

    def f1(self, documents: float) -> tuple[float, float, float]:
        """F1 for this number of training documents, with the bounds of its 95% prediction interval."""
        from scipy import stats  # takes a third of a second to load, so only if a curve is drawn

        place = np.log(documents)
        middle = np.log(self.scale) - self.slope * place
        width = self._residual * np.sqrt(1 + 1 / self.points + (place - self._centre) ** 2 / self._spread)
        reach = stats.t.ppf((1 + CONFIDENCE) / 2, self.points - 2) * width
        estimates = 1 - np.exp([middle, middle + reach, middle - reach])
        value, low, high = np.clip(estimates, 0, 1)
        return float(value), float(low), float(high)


def fit(documents: Sequence[int], f1: Sequence[float]) -> PowerLaw | None:
    """Least squares of ``log(1 − F1)`` on ``log n``; None for fewer than three distinct sizes.

    Hestness et al., Deep Learning Scaling is Predictable, Empirically (2017), section 2: generalisation error
    is a power of the training set size. There is no irreducible error, as a few points cannot separate it
    from the slope.

    Raises:
        ValueError: the lengths differ, or a size is not positive.
    """
    if len(documents) != len(f1):
        raise ValueError(f"{len(documents)} sizes but {len(f1)} scores")
    if any(size <= 0 for size in documents):
        raise ValueError("a training set has one document or more")
    if len(set(documents)) < LEAST_SIZES:
        return None
    from scipy import stats

    places = np.log(np.asarray(documents, dtype=float))
    errors = np.log(np.maximum(LEAST_ERROR, 1 - np.asarray(f1, dtype=float)))
    line = stats.linregress(places, errors)
    count = len(places)
    residuals = errors - (line.intercept + line.slope * places)
    reach = float(stats.t.ppf((1 + CONFIDENCE) / 2, count - 2) * line.stderr)
    slope = -float(line.slope)
    return PowerLaw(
        float(np.exp(line.intercept)),
        slope,
        (slope - reach, slope + reach),
        count,
        float(places.mean()),
        float(((places - places.mean()) ** 2).sum()),
        float(np.sqrt((residuals**2).sum() / (count - 2))),
    )

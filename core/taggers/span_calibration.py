"""The temperature that makes span scores probabilities (Guo et al., ICML 2017, section 4.2)."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

FEWEST = 20  # spans to fit one number to
LEAST, MOST = math.log(0.1), math.log(10.0)  # of the logarithm of the temperature
# Spans less likely than this before calibration are left out: nearly all pairs are, and they would decide.
BOUND = math.log(0.02 / 0.98)


def fit_temperature(scores: Tensor, gold: Tensor) -> float:
    """The logarithm of the T for which ``sigmoid(scores / T)`` makes the gold values most likely.

    0, which changes nothing, with fewer than ``FEWEST`` scores or if all of them are on the right side of 0:
    then the best T would be 0, and every probability 0 or 1.

    Args:
        scores: ``[N]``, above ``BOUND``. gold: whether each is a gold span, ``[N]``.
    """
    if len(scores) < FEWEST or bool(((scores > 0) == gold).all()):
        return 0.0
    scores, target = scores.double(), gold.double()

    def loss(logarithm: float) -> float:
        return float(functional.binary_cross_entropy_with_logits(scores * math.exp(-logarithm), target))

    # The loss is convex in 1 / T, hence has one minimum in log T too: golden sections close in on it.
    low, high, ratio = LEAST, MOST, (math.sqrt(5) - 1) / 2
    for _ in range(40):
        inner, outer = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, outer) if loss(inner) <= loss(outer) else (inner, high)
    return (low + high) / 2


def near(scores: Tensor, mask: Tensor) -> Tensor:
    """True at the scores to fit: those of ``mask`` above ``BOUND``."""
    return mask & (scores > BOUND) & torch.isfinite(scores)

"""What makes span scores probabilities: a slope and a shift of the log-odds (Platt, 1999)."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

FEWEST = 20  # spans to fit two numbers to
LEAST, MOST = 0.1, 10.0  # of the temperature
# Scores below this are left out: nearly all pairs are, and they would decide.
BOUND = -2.0
STEPS = 50


def fit_log_odds(scores: Tensor, gold: Tensor) -> tuple[float, float]:
    """The T and c for which ``sigmoid(s / T + c)`` makes the gold values most likely.

    A temperature alone is not enough: 0, above which a score says yes, is not where the loss puts a span that
    is as likely as not, because it weighs the gold spans of a row against all others together.

    (1, 0), which changes nothing, with fewer than ``FEWEST`` scores, if all of them are on the right side of
    0, or if higher ones are not likelier.

    Args:
        scores: ``[N]``, above ``BOUND``. gold: whether each is a gold span, ``[N]``.
    """
    if len(scores) < FEWEST or bool(((scores > 0) == gold).all()):
        return 1.0, 0.0
    right = float(gold.sum())
    # Platt's targets: they keep the fit finite where a bound parts gold spans from the others.
    target = torch.where(gold, (right + 1) / (right + 2), 1 / (len(gold) - right + 2)).double()
    inputs = torch.stack([scores.double(), torch.ones_like(scores, dtype=torch.float64)])  # shape: (2, N)
    weights = torch.zeros(2, dtype=torch.float64)
    for _ in range(STEPS):  # Newton's: the loss is convex
        odds = weights @ inputs
        slope = inputs @ (odds.sigmoid() - target)
        curve = (inputs * (odds.sigmoid() * (-odds).sigmoid())) @ inputs.T
        step = torch.linalg.solve(curve + 1e-9 * len(scores) * torch.eye(2, dtype=torch.float64), slope)
        # Halved until it helps: far from the best one a whole step may overshoot.
        while step.abs().max() > 1e-9 and _loss(weights - step, inputs, target) > _loss(
            weights, inputs, target
        ):
            step = step / 2
        weights = weights - step
        if step.abs().max() < 1e-9:
            break
    if weights[0] <= 0:
        return 1.0, 0.0
    temperature = min(max(1 / float(weights[0]), LEAST), MOST)
    return temperature, float(weights[1])


def near(scores: Tensor, mask: Tensor) -> Tensor:
    """True at the scores to fit: those of ``mask`` above ``BOUND``."""
    return mask & (scores > BOUND) & torch.isfinite(scores)


def log_odds(probability: float) -> float:
    """The log-odds of a probability between 0 and 1, both excluded."""
    return math.log(probability / (1 - probability))


def _loss(weights: Tensor, inputs: Tensor, target: Tensor) -> float:
    return float(functional.binary_cross_entropy_with_logits(weights @ inputs, target))

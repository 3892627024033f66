"""Draws the negative classes of a sampled softmax."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

DISTRIBUTIONS = ("log_uniform", "unigram")


class CandidateSampler(nn.Module):
    """Draws distinct classes for a whole batch, with a known inclusion probability for each class.

    Class c is included with probability ``1 - (1 - p_c) ^ draws``, its chance of occurring at least once in
    that many draws with replacement; ``draws`` is chosen so that ``samples`` distinct classes occur on
    average. The published code draws with replacement. Here every class is included independently, which is
    what the correction of a sampled softmax assumes, so it learns the distribution of the full softmax.

    Args:
        probabilities: p, ``[V]``, positive, summing to 1.
        samples: expected number of distinct classes; V or more takes all.

    Attributes:
        inclusion: the probability of every class, ``[V]``.

    Raises:
        ValueError: a probability is not positive, or ``samples`` is below 1.
    """

    inclusion: Tensor

    def __init__(self, probabilities: Tensor, samples: int) -> None:
        super().__init__()
        if samples < 1:
            raise ValueError(f"at least 1 sample is needed, got {samples}")
        if not bool((probabilities > 0).all()):
            raise ValueError("every class needs a positive probability")
        exact = probabilities.double() / probabilities.double().sum()
        self.classes = len(exact)
        whole = samples >= self.classes
        included = torch.ones_like(exact) if whole else _included(exact, _draws(exact, samples))
        # Derived from the probabilities, so not saved.
        self.register_buffer("inclusion", included.float(), persistent=False)

    @torch.no_grad()
    def sample(self) -> Tensor:
        """Classes in order, ``[S]``; S varies a little."""
        drawn = torch.rand(self.classes, device=self.inclusion.device) < self.inclusion
        return drawn.nonzero()[:, 0]


def log_uniform(classes: int) -> Tensor:
    """``p_c = log((c + 2) / (c + 1)) / log(V + 1)``, ``[V]``: nearly Zipf's law, for classes by frequency."""
    rank = torch.arange(classes, dtype=torch.float64)
    return torch.log1p(1 / (rank + 1)) / math.log(classes + 1)


def unigram(counts: Tensor, power: float = 1.0) -> Tensor:
    """Probabilities ``[V]`` proportional to ``counts ** power``; a count of zero is taken as one."""
    weights = counts.double().clamp(min=1.0) ** power
    return weights / weights.sum()


def _included(probabilities: Tensor, draws: float) -> Tensor:
    """``1 - (1 - p) ^ draws``, exact for tiny p too."""
    return -torch.expm1(draws * torch.log1p(-probabilities))


def _draws(probabilities: Tensor, samples: int) -> int:
    """The number of draws that give ``samples`` distinct classes on average."""
    low, high = samples, 2 * samples
    while float(_included(probabilities, high).sum()) < samples:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high) if float(_included(probabilities, middle).sum()) < samples else (low, middle)
        )
    return high

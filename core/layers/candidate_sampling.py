"""Which classes a sampled softmax looks at beside the right one."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

DISTRIBUTIONS = ("log_uniform", "unigram")


class CandidateSampler(nn.Module):
    """Distinct classes, drawn together for a whole batch, each with a known probability of being among them.

    A class c is included with probability ``1 - (1 - p_c) ^ draws``, that of being met in so many draws with
    replacement; ``draws`` is such that ``samples`` distinct classes are met on average. The published code
    makes the draws. Here every class is included or not by itself, which is what the correction of a sampled
    softmax assumes: it then learns the very distribution of the softmax over all classes.

    Args:
        probabilities: p, ``[V]``, positive, summing to 1.
        samples: distinct classes wanted; V or more take all.

    Attributes:
        inclusion: the probability of every class, ``[V]``.

    Raises:
        ValueError: a probability is not positive, or fewer than 1 sample is wanted.
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
    """Probabilities ``[V]`` in proportion to ``counts ** power``; a class never counted counts as one."""
    weights = counts.double().clamp(min=1.0) ** power
    return weights / weights.sum()


def _included(probabilities: Tensor, draws: float) -> Tensor:
    """``1 - (1 - p) ^ draws``, exact also where p is tiny."""
    return -torch.expm1(draws * torch.log1p(-probabilities))


def _draws(probabilities: Tensor, samples: int) -> int:
    """How many draws give ``samples`` distinct classes on average."""
    low, high = samples, 2 * samples
    while float(_included(probabilities, high).sum()) < samples:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high) if float(_included(probabilities, middle).sum()) < samples else (low, middle)
        )
    return high

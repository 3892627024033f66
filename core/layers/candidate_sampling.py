"""Which classes a sampled softmax looks at beside the right one."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

DISTRIBUTIONS = ("log_uniform", "unigram")


class CandidateSampler(nn.Module):
    """Distinct classes, drawn together for a whole batch, with the probability that each is among them.

    A fixed number of draws with replacement is made and repeats are dropped, so a class c is included with
    probability ``1 - (1 - p_c) ^ draws`` exactly. There are as many draws as give ``samples`` distinct
    classes on average. (The original draws until there are that many, and then uses the same formula.)

    Args:
        probabilities: p, ``[V]``, positive, summing to 1.
        samples: distinct classes wanted; V or more take all.

    Raises:
        ValueError: a probability is not positive, or fewer than 1 sample is wanted.
    """

    inclusion: Tensor
    cumulative: Tensor

    def __init__(self, probabilities: Tensor, samples: int) -> None:
        super().__init__()
        if samples < 1:
            raise ValueError(f"at least 1 sample is needed, got {samples}")
        if not bool((probabilities > 0).all()):
            raise ValueError("every class needs a positive probability")
        exact = probabilities.double() / probabilities.double().sum()
        self.classes = len(exact)
        self.draws = 0 if samples >= self.classes else _draws(exact, samples)
        included = _included(exact, self.draws) if self.draws else torch.ones_like(exact)
        # Derived from the probabilities, so not saved.
        self.register_buffer("inclusion", included.float(), persistent=False)
        self.register_buffer("cumulative", exact.cumsum(0), persistent=False)

    @torch.no_grad()
    def sample(self) -> Tensor:
        """Distinct classes, sorted, ``[S]``; S varies a little."""
        device = self.cumulative.device
        if not self.draws:
            return torch.arange(self.classes, device=device)
        # In double precision: a float has fewer steps than a large vocabulary has classes.
        drawn = torch.rand(self.draws, dtype=torch.float64, device=device) * self.cumulative[-1]
        return torch.searchsorted(self.cumulative, drawn, right=True).clamp(max=self.classes - 1).unique()


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

"""Forward-backward in the log domain: handles any scores, forbidden ones too, at several times the cost."""

from __future__ import annotations

import torch
from torch import Tensor

from core.layers.crf.scaled_chain import Gradients
from core.layers.wide import wide


class LogChain:
    """The textbook recursions; arguments and methods as for :class:`ScaledChain`."""

    def __init__(
        self, emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
    ) -> None:
        # Scores in this case are large; float32 sums over a sentence would lose the digits of a probability.
        emissions, transitions, start, end = (wide(each) for each in (emissions, transitions, start, end))
        self.mask, self.transitions = mask, transitions
        self.emissions = emissions.masked_fill(~mask[..., None], 0.0)
        length = emissions.shape[1]
        alphas = [start + self.emissions[:, 0]]
        for step in range(1, length):
            arrived = torch.logsumexp(alphas[-1][:, :, None] + transitions, dim=1)
            arrived = arrived + self.emissions[:, step]
            alphas.append(torch.where(mask[:, step, None], arrived, alphas[-1]))
        betas = [end.expand(len(emissions), -1)]
        for step in range(length - 1, 0, -1):
            leaving = torch.logsumexp(self._entered(step, betas[-1])[:, None, :] + transitions, dim=2)
            betas.append(torch.where(mask[:, step, None], leaving, betas[-1]))
        self.alpha, self.beta = torch.stack(alphas, 1), torch.stack(betas[::-1], 1)
        self.partition = torch.logsumexp(alphas[-1] + end, dim=1).masked_fill(~mask[:, 0], 0.0)

    def log_alpha(self) -> Tensor:
        """Prefixes ending at t in tag k, emission t included, ``[B, T, K]``."""
        return self.alpha

    def log_beta(self) -> Tensor:
        """Suffixes after t given tag k at t, ``[B, T, K]``."""
        return self.beta

    def log_partition(self) -> Tensor:
        """All paths, ``[B]``; 0 for empty sentences."""
        return self.partition

    def gradients(self, weights: Tensor) -> Gradients:
        """Expected counts times ``weights`` ``[B]``: of emissions, transitions, start and end."""
        above = self.partition[:, None, None]
        marginals = (self.alpha + self.beta - above).exp() * (weights[:, None] * self.mask)[..., None]
        pairs = torch.zeros_like(self.transitions)
        for step in range(1, self.mask.shape[1]):
            # shape: (B, K, K)
            scores = self.alpha[:, step - 1, :, None] + self.transitions
            scores = scores + self._entered(step, self.beta[:, step])[:, None, :]
            weight = (weights * self.mask[:, step])[:, None, None]
            pairs = pairs + ((scores - above).exp() * weight).sum(0)
        last = (self.mask.sum(1) - 1).clamp(min=0)
        end = marginals[torch.arange(len(last), device=last.device), last].sum(0)
        return marginals, pairs, marginals[:, 0].sum(0), end

    def _entered(self, step: int, beta: Tensor) -> Tensor:
        """Suffixes from ``step`` on, its emission included, ``[B, K]``."""
        return self.emissions[:, step] + beta

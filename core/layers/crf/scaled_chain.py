"""Forward-backward on scaled probabilities: fast, and exact as long as none underflows."""

from __future__ import annotations

import torch
from torch import Tensor

Gradients = tuple[Tensor, Tensor, Tensor, Tensor]


class ScaledChain:
    """Both recursions at once, on probabilities that are normalised every few steps, in float64.

    The backward recursion runs over reversed sentences, on suffixes *including* the emission at t
    (``gamma``), so that both have the same form: ``x[t] = (x[t - 1] @ M) * e[t]``, up to a factor.

    Args:
        emissions: ``[B, T, K]``; minus infinity forbids. mask: ``[B, T]`` bool, tokens first.
        transitions: ``[K, K]`` from row to column; minus infinity forbids. start, end: ``[K]``.
        stride: steps between normalisations; neither direction may underflow within them.
    """

    def __init__(
        self,
        emissions: Tensor,
        mask: Tensor,
        transitions: Tensor,
        start: Tensor,
        end: Tensor,
        stride: int = 1,
    ) -> None:
        length, batch = emissions.shape[1], len(emissions)
        self.lengths = mask.sum(1)
        self.inside = mask.T  # shape: (T, B)
        self.step = torch.arange(length, device=mask.device)[:, None]
        reverse = (self.lengths - 1 - self.step).clamp(min=0) * batch
        self._reverse = (reverse + torch.arange(batch, device=mask.device)).flatten()  # shape: (T * B)
        self.transitions, self.transitions_top = _shares(transitions)
        begin, begin_top = _shares(start)
        self.end, self.end_top = _shares(end)
        scores = emissions.transpose(0, 1).double().masked_fill(~self.inside[..., None], 0.0).contiguous()
        highest = scores.amax(2)  # shape: (T, B)
        shares = scores.sub_(highest[..., None]).exp_()
        # shape: (T, 2, B, K): forward and backward
        shares = torch.stack([shares, self._reversed(shares)], 1)
        moves = torch.stack([self.transitions, self.transitions.T])
        states, sums = _recur(shares, moves, torch.stack([begin, self.end])[:, None], stride)
        # shape: (T, 2, B)
        scales = (sums.log() + torch.stack([highest, self._reversed(highest)], 1)) * self.inside[:, None]
        scales = scales.cumsum(0) + torch.stack([begin_top, self.end_top])[:, None]
        scales = scales + self.transitions_top * self.step[..., None]
        # shape: (T, B, K) and (T, B)
        self.alpha, self.alpha_scale = states[:, 0], scales[:, 0]
        self.gamma, self.gamma_scale = self._reversed(states[:, 1]), self._reversed(scales[:, 1])

    def log_alpha(self) -> Tensor:
        """Prefixes ending at t in tag k, emission t included, ``[B, T, K]``."""
        return (self.alpha.log() + self.alpha_scale[..., None]).transpose(0, 1)

    def log_beta(self) -> Tensor:
        """Suffixes after t given tag k at t, ``[B, T, K]``."""
        scale = torch.where(
            self.step >= self.lengths - 1, self.end_top, self.gamma_scale.roll(-1, 0) + self.transitions_top
        )
        return (self._beta().log() + scale[..., None]).transpose(0, 1)

    def log_partition(self) -> Tensor:
        """All paths, ``[B]``; 0 for empty sentences."""
        last = (self.lengths - 1).clamp(min=0)
        rows = torch.arange(len(last), device=last.device)
        total = (self.alpha[last, rows] * self.end).sum(1).log() + self.alpha_scale[last, rows]
        return (total + self.end_top).masked_fill(self.lengths == 0, 0.0)

    def gradients(self, weights: Tensor) -> Gradients:
        """Expected counts times ``weights`` ``[B]``: of emissions, transitions, start and end."""
        joint = self.alpha * self._beta()  # shape: (T, B, K)
        share = weights.double() * self.inside / joint.sum(2)  # shape: (T, B)
        # shape: (T - 1, B, K)
        before = self.alpha[:-1] * (share[:-1] * self.inside[1:])[..., None]
        pairs = (before.flatten(0, 1).T @ self.gamma[1:].flatten(0, 1)) * self.transitions
        marginals = joint.mul_(share[..., None])
        rows = torch.arange(len(self.lengths), device=weights.device)
        end = marginals[(self.lengths - 1).clamp(min=0), rows].sum(0)
        return marginals.transpose(0, 1), pairs, marginals[0].sum(0), end

    def _beta(self) -> Tensor:
        """Suffixes after t up to a factor for each t and sentence, ``[T, B, K]``."""
        after = self.gamma.roll(-1, 0) @ self.transitions.T
        return torch.where((self.step == self.lengths - 1)[..., None], self.end, after)

    def _reversed(self, x: Tensor) -> Tensor:
        """Every sentence of ``[T, B, ...]`` reversed."""
        return x.flatten(0, 1).index_select(0, self._reverse).view(x.shape)


def _shares(scores: Tensor) -> tuple[Tensor, Tensor]:
    """Exponentiated scores scaled to a maximum of 1, and the maximum score."""
    scores = scores.double()
    return (scores - scores.max()).exp(), scores.max()


def _recur(shares: Tensor, moves: Tensor, edges: Tensor, stride: int) -> tuple[Tensor, Tensor]:
    """States ``[T, 2, B, K]`` and their divisors ``[T, 2, B]``: the sum every ``stride`` steps, else 1."""
    states, sums = torch.empty_like(shares), shares.new_ones(*shares.shape[:3], 1)
    before: Tensor | None = None
    for step, (share, state) in enumerate(zip(shares, states, strict=True)):
        if before is None:
            torch.mul(share, edges, out=state)
        else:
            torch.bmm(before, moves, out=state).mul_(share)
        if step % stride == 0:
            state.div_(torch.sum(state, 2, keepdim=True, out=sums[step]))
        before = state
    return states, sums.squeeze(3)

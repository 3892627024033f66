"""Sums over all tag paths of a linear chain by the forward-backward recursion."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

# Below this spread of scores nothing can underflow in the scaled recursion: normalised at every step, a tag's
# share is at least exp(-spread), and exp(-600) is well above the smallest float64.
_SAFE_SPREAD = 600.0


def forward_backward(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Log-sums of path prefixes and suffixes.

    Args:
        emissions: ``[B, T, K]``. mask: ``[B, T]`` bool, tokens first.
        transitions: ``[K, K]`` from row to column; minus infinity forbids. start, end: ``[K]``.

    Returns:
        alpha ``[B, T, K]``, all prefixes ending at t in tag k, emission t included; beta ``[B, T, K]``, all
        suffixes after t given tag k at t; log partition ``[B]``, 0 for empty ones. Padding is undefined.
    """
    if not emissions.shape[1]:
        return emissions, emissions, emissions.new_zeros(len(emissions))
    if not _is_safe(emissions, mask, transitions, start, end):
        return _forward_backward_in_logs(emissions, mask, transitions, start, end)
    chain = _ScaledChain(emissions, mask, transitions, start, end)
    alpha = chain.alpha.log() + chain.alpha_scale[..., None]
    beta = chain.beta().log() + chain.beta_scale()[..., None]
    return alpha.to(emissions), beta.to(emissions), chain.partition().to(emissions)


def log_partition(emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor) -> Tensor:
    """Log of the summed exponentiated scores of all paths, ``[B]``; arguments as :func:`forward_backward`."""
    if not emissions.shape[1]:
        return emissions.new_zeros(len(emissions))
    if not _is_safe(emissions, mask, transitions, start, end):
        return _forward_backward_in_logs(emissions, mask, transitions, start, end)[2]
    return _LogPartition.apply(emissions, mask, transitions, start, end)


@torch.no_grad()
def _is_safe(emissions: Tensor, mask: Tensor, *scores: Tensor) -> bool:
    if emissions.device.type == "mps":  # has no float64
        return False
    spread = (emissions.amax(2) - emissions.amin(2)).mul(mask).amax()
    for score in scores:
        spread = spread + (score.max() - score.min())
    return bool(spread < _SAFE_SPREAD)  # False for NaN and infinity


def _forward_backward_in_logs(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The recursion in log space: any spread, forbidden transitions too, at several times the cost."""
    length = emissions.shape[1]
    alphas = [start + emissions[:, 0]]
    for step in range(1, length):
        arrived = torch.logsumexp(alphas[-1][:, :, None] + transitions, dim=1) + emissions[:, step]
        alphas.append(torch.where(mask[:, step, None], arrived, alphas[-1]))
    betas = [end.expand(len(emissions), -1)]
    for step in range(length - 1, 0, -1):
        leaving = (emissions[:, step] + betas[-1])[:, None, :] + transitions
        betas.append(torch.where(mask[:, step, None], torch.logsumexp(leaving, dim=2), betas[-1]))
    partition = torch.logsumexp(alphas[-1] + end, dim=1).masked_fill(~mask[:, 0], 0.0)
    return torch.stack(alphas, 1), torch.stack(betas[::-1], 1), partition


class _ScaledChain:
    """Both recursions at once, on probabilities normalised at every step, in float64.

    The backward one runs over each sentence reversed, on suffixes *including* the emission at t (``gamma``),
    so that it has the form of the forward one: ``x[t] = normalise((x[t - 1] @ M) * e[t])``.
    """

    def __init__(
        self, emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
    ) -> None:
        self.mask, self.lengths = mask, mask.sum(1)
        self.transitions, self.transitions_top = _shares(transitions)
        self.end, self.end_top = _shares(end)
        begin, begin_top = _shares(start)
        step = torch.arange(emissions.shape[1], device=emissions.device)
        self.flip = (self.lengths[:, None] - 1 - step).clamp(min=0)  # shape: (B, T)
        scores = emissions.double().masked_fill(~mask[..., None], 0.0)
        highest = scores.amax(2)  # shape: (B, T)
        shares = (scores - highest[..., None]).exp()
        # shape: (2, T, B, K) and (2, K, K): forward and backward
        both = torch.stack([shares, self._flipped(shares)]).transpose(1, 2).contiguous()
        moves = torch.stack([self.transitions, self.transitions.T])
        edges = torch.stack([begin, self.end])[:, None]
        states, sums = _recur(both, moves, edges)
        # shape: (2, B, T)
        scales = (sums.log() + torch.stack([highest, self._flipped(highest)])) * mask
        scales = scales.cumsum(2) + torch.stack([begin_top, self.end_top])[:, None, None]
        scales = scales + self.transitions_top * step
        self.alpha, self.alpha_scale = states[0], scales[0]
        self.gamma, self.gamma_scale = self._flipped(states[1]), self._flipped(scales[1])

    def beta(self) -> Tensor:
        """Suffixes after t, ``[B, T, K]``, each to be scaled by ``beta_scale``."""
        # shape: (B, T, K)
        after = torch.matmul(self.gamma.roll(-1, 1), self.transitions.T)
        last = torch.arange(after.shape[1], device=after.device) == (self.lengths - 1)[:, None]
        return torch.where(last[..., None], self.end, after)

    def beta_scale(self) -> Tensor:
        """Logarithm of what ``beta`` was divided by, ``[B, T]``."""
        last = torch.arange(self.mask.shape[1], device=self.mask.device) >= (self.lengths - 1)[:, None]
        return torch.where(last, self.end_top, self.gamma_scale.roll(-1, 1) + self.transitions_top)

    def partition(self) -> Tensor:
        """Log partition, ``[B]``."""
        last = (self.lengths - 1).clamp(min=0)
        rows = torch.arange(len(last), device=last.device)
        total = (self.alpha[rows, last] * self.end).sum(1).log() + self.alpha_scale[rows, last]
        return (total + self.end_top).masked_fill(self.lengths == 0, 0.0)

    def _flipped(self, x: Tensor) -> Tensor:
        """Every sentence ``[B, T, ...]`` in the other direction."""
        index = self.flip if x.dim() == 2 else self.flip[..., None].expand_as(x)
        return x.gather(1, index)


def _shares(scores: Tensor) -> tuple[Tensor, Tensor]:
    """Exponentiated scores with the highest at 1, and that highest score."""
    scores = scores.double()
    return (scores - scores.max()).exp(), scores.max()


def _recur(shares: Tensor, moves: Tensor, edges: Tensor) -> tuple[Tensor, Tensor]:
    """States ``[2, B, T, K]`` and the sums they were divided by, ``[2, B, T]``."""
    state = shares[:, 0] * edges
    states, sums = [], []
    for step in range(shares.shape[1]):
        if step:
            state = torch.bmm(state, moves) * shares[:, step]
        total = state.sum(2, keepdim=True)
        state = state / total
        states.append(state)
        sums.append(total)
    return torch.stack(states, 2), torch.cat(sums, 2)


class _LogPartition(torch.autograd.Function):
    """Log partition, with expected counts as its explicit gradient."""

    @staticmethod
    def forward(
        ctx: Any, emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
    ) -> Tensor:
        chain = _ScaledChain(emissions, mask, transitions, start, end)
        if any(ctx.needs_input_grad):
            ctx.chain, ctx.dtype = chain, emissions.dtype
        return chain.partition().to(emissions.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        chain: _ScaledChain = ctx.chain
        beta = chain.beta()
        joint = chain.alpha * beta  # shape: (B, T, K)
        total = joint.sum(2, keepdim=True)
        weight = (grad.double()[:, None] * chain.mask)[..., None]
        marginals = joint / total * weight
        # shape: (B * (T - 1), K)
        before = (chain.alpha / total * weight)[:, :-1] * chain.mask[:, 1:, None]
        pairs = torch.matmul(before.flatten(0, 1).T, chain.gamma[:, 1:].flatten(0, 1)) * chain.transitions
        rows = torch.arange(len(marginals), device=grad.device)
        last = marginals[rows, (chain.lengths - 1).clamp(min=0)]
        start = marginals[:, 0].sum(0)
        gradients = (marginals, pairs, start, last.sum(0))
        d_emissions, d_transitions, d_start, d_end = (g.to(ctx.dtype) for g in gradients)
        return d_emissions, None, d_transitions, d_start, d_end

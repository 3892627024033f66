"""Sums over all tag paths of a linear chain by the forward-backward recursion."""

from __future__ import annotations

import torch
from torch import Tensor


def forward_backward(
    emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Log-sums of path prefixes and suffixes.

    Args:
        emissions: ``[B, T, K]``. mask: ``[B, T]`` bool, tokens first.
        transitions: ``[K, K]`` from row to column; minus infinity forbids. start, end: ``[K]``.

    Returns:
        alpha ``[B, T, K]``, all prefixes ending at t in tag k, emission t included; beta ``[B, T, K]``, all
        suffixes after t given tag k at t; log partition ``[B]``. Values at padding mean nothing.
    """
    batch, length, tags = emissions.shape
    if not length:
        return emissions, emissions, emissions.new_zeros(batch)
    alphas = [start + emissions[:, 0]]
    for step in range(1, length):
        arrived = torch.logsumexp(alphas[-1][:, :, None] + transitions, dim=1) + emissions[:, step]
        alphas.append(torch.where(mask[:, step, None], arrived, alphas[-1]))
    betas = [end.expand(batch, tags)]
    for step in range(length - 1, 0, -1):
        leaving = (emissions[:, step] + betas[-1])[:, None, :] + transitions
        betas.append(torch.where(mask[:, step, None], torch.logsumexp(leaving, dim=2), betas[-1]))
    partition = torch.logsumexp(alphas[-1] + end, dim=1)
    partition = partition.masked_fill(~mask[:, 0], 0.0)
    return torch.stack(alphas, 1), torch.stack(betas[::-1], 1), partition


def log_partition(emissions: Tensor, mask: Tensor, transitions: Tensor, start: Tensor, end: Tensor) -> Tensor:
    """Log of the summed exponentiated scores of all paths, ``[B]``; arguments as :func:`forward_backward`."""
    return forward_backward(emissions, mask, transitions, start, end)[2]

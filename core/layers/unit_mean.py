"""Characters that answer together: the mean of what they say, for each of them."""

from __future__ import annotations

import torch
from torch import Tensor


def unit_mean(scores: Tensor, units: Tensor) -> Tensor:
    """Every position's row is replaced by the mean over its unit.

    Args:
        scores: ``[B, T, K]``. units: number of the unit each position is in, from 0 and below T, ``[B, T]``;
            numbers of different sentences are different units.

    Returns:
        ``[B, T, K]``, equal within a unit.
    """
    slots, sizes = _slots(units)
    rows = scores.flatten(0, 1)
    sums = torch.zeros_like(rows).index_add(0, slots, rows)
    means = sums / sizes.clamp(min=1).to(rows.dtype)[:, None]
    return means[slots].view_as(scores)


def unit_shares(units: Tensor) -> Tensor:
    """One over the size of every position's unit, ``[B, T]``: summed over a unit it is 1."""
    slots, sizes = _slots(units)
    return (1.0 / sizes[slots]).view(units.shape)


def _slots(units: Tensor) -> tuple[Tensor, Tensor]:
    """A number of its own for every unit of the batch, ``[B * T]``, and how many positions each has."""
    batch, length = units.shape
    slots = (units + length * torch.arange(batch, device=units.device)[:, None]).flatten()
    sizes = torch.zeros(batch * length, device=units.device).index_add(
        0, slots, torch.ones(len(slots), device=units.device)
    )
    return slots, sizes

"""Mean pooling of scores over units of characters, such as the characters of a word."""

from __future__ import annotations

import torch
from torch import Tensor


def unit_mean(scores: Tensor, units: Tensor) -> Tensor:
    """Replace the scores of every position by the mean over its unit.

    Args:
        scores: ``[B, T, K]``. units: unit of each position, from 0 to T - 1, ``[B, T]``; units never span
            sentences.

    Returns:
        ``[B, T, K]``, constant within a unit.
    """
    slots, sizes = _slots(units)
    rows = scores.flatten(0, 1)
    sums = torch.zeros_like(rows).index_add(0, slots, rows)
    means = sums / sizes.clamp(min=1).to(rows.dtype)[:, None]
    return means[slots].view_as(scores)


def unit_shares(units: Tensor) -> Tensor:
    """The reciprocal size of every position's unit, ``[B, T]``; sums to 1 over a unit."""
    slots, sizes = _slots(units)
    return (1.0 / sizes[slots]).view(units.shape)


def _slots(units: Tensor) -> tuple[Tensor, Tensor]:
    """The unit of every position, numbered over the batch, ``[B * T]``, and the size of each unit."""
    batch, length = units.shape
    slots = (units + length * torch.arange(batch, device=units.device)[:, None]).flatten()
    sizes = torch.zeros(batch * length, device=units.device).index_add(
        0, slots, torch.ones(len(slots), device=units.device)
    )
    return slots, sizes

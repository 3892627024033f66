"""Dot products of every position with those from it onwards, without those beyond a maximum width."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

BLOCK = 32  # starts per block: a block of wide spans computes few products that no span needs


def band_products(left: Tensor, right: Tensor, width: int) -> Tensor:
    """``left[i] · right[i + o]`` for ``o`` from 0 to ``width - 1``; 0 where ``i + o`` is beyond the sentence.

    Sentences are cut into blocks of starts, each multiplied with the ends that its spans can have, so memory
    grows with ``T * width`` rather than ``T * T``.

    Args:
        left, right: ``[..., T, D]``; leading dimensions broadcast.

    Returns:
        ``[..., T, width]``.
    """
    length = left.shape[-2]
    blocks = -(-length // BLOCK)
    padded = blocks * BLOCK
    left = functional.pad(left, (0, 0, 0, padded - length)).unflatten(-2, (blocks, BLOCK))
    right = functional.pad(right, (0, 0, 0, padded + width - 1 - length))
    # shape: (..., blocks, D, BLOCK + width - 1)
    windows = right.unfold(-2, BLOCK + width - 1, BLOCK)
    products = left @ windows  # shape: (..., blocks, BLOCK, BLOCK + width - 1)
    first = torch.arange(BLOCK, device=left.device)[:, None]
    ends = first + torch.arange(width, device=left.device)
    band = products.gather(-1, ends.expand(*products.shape[:-1], -1))
    return band.flatten(-3, -2)[..., :length, :]


def band_of(ends: Tensor, width: int) -> Tensor:
    """Values of ends ``[..., T]`` at every span: ``[..., T, width]``, 0 (or False) beyond the sentence."""
    return functional.pad(ends, (0, width - 1)).unfold(-1, width, 1)


def span_mask(starts: Tensor, ends: Tensor, width: int) -> Tensor:
    """True at the spans that may be: ``[B, T, width]``, ``[b, i, o]`` being the span from i to i + o.

    Args:
        starts, ends: True where a span may start, or end (inclusive), ``[B, T]``.
    """
    return starts[..., None] & band_of(ends, width)

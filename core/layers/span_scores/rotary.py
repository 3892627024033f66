"""Rotary position embedding (Su et al., RoFormer, arXiv 2104.09864, equation 34)."""

from __future__ import annotations

import torch
from torch import Tensor

BASE = 10_000.0


def rotate(x: Tensor) -> Tensor:
    """Vectors rotated by their positions, so that dot products depend on the distance of two positions only.

    The pair of features ``2 t`` and ``2 t + 1`` at position m is rotated by the angle
    ``m * BASE ** (-2 t / D)``.

    Args:
        x: ``[..., T, D]`` with an even D.

    Raises:
        ValueError: D is odd.
    """
    length, width = x.shape[-2:]
    if width % 2:
        raise ValueError(f"rotary positions turn pairs of features, but there are {width}")
    exponents = torch.arange(0, width, 2, device=x.device, dtype=torch.float64 if _wide(x) else torch.float32)
    # shape: (T, D / 2)
    angles = torch.arange(length, device=x.device)[:, None] * BASE ** (-exponents / width)
    cosine, sine = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    even, odd = x[..., ::2], x[..., 1::2]
    return torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], dim=-1).flatten(-2)


def _wide(x: Tensor) -> bool:
    return x.dtype == torch.float64

"""FLAT's relative position encodings: sinusoids of distances, fused (Li et al., ACL 2020, eq. 4 to 8)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def sinusoids(positions: Tensor, width: int) -> Tensor:
    """Sinusoid of every position, ``[..., width]``: all sines, then all cosines, as in tensor2tensor.

    The frequencies are ``10000 ** (-k / (width // 2 - 1))``, as published; an odd width ends in a zero.

    Args:
        positions: floating point, any shape, negative ones too.
    """
    half = width // 2
    step = math.log(10000.0) / max(half - 1, 1)
    # shape: (half,)
    frequencies = torch.exp(torch.arange(half, dtype=positions.dtype, device=positions.device) * -step)
    angles = positions[..., None] * frequencies
    return nn.functional.pad(torch.cat([angles.sin(), angles.cos()], dim=-1), (0, width - 2 * half))


class RelativePositions(nn.Module):
    """``R_ij = ReLU(W_r [p_hh; p_ht; p_th; p_tt] + b_r)``, with p the sinusoid of a distance.

    Args:
        hidden: width H of the encodings.
        four_distances: False keeps p_hh and p_tt only, the published code's ``ff_two``.
    """

    def __init__(self, hidden: int, *, four_distances: bool = True) -> None:
        super().__init__()
        self.hidden = hidden
        self.four_distances = four_distances
        self.fusion = nn.Linear(hidden * (4 if four_distances else 2), hidden)

    def forward(self, head_from: Tensor, tail_from: Tensor, head_to: Tensor, tail_to: Tensor) -> Tensor:
        """Encodings of pairs of nodes, ``[..., H]``; the four arguments broadcast to ``[...]``."""
        distances = [head_from - head_to, head_from - tail_to, tail_from - head_to, tail_from - tail_to]
        if not self.four_distances:
            distances = [distances[0], distances[3]]
        dtype = self.fusion.weight.dtype
        fused = self.fusion(torch.cat([sinusoids(d.to(dtype), self.hidden) for d in distances], dim=-1))
        return torch.relu(fused)

"""Variational dropout for recurrent networks (Gal and Ghahramani, NIPS 2016)."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class VariationalDropout(nn.Module):
    """Dropout with one mask for all steps of a sentence.

    Args:
        rate: probability of dropping a feature in training.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        """``[B, T, H]`` to ``[B, T, H]``."""
        if not self.training or not self.rate:
            return x
        keep = torch.rand(len(x), 1, x.shape[2], device=x.device) >= self.rate
        return x * keep / (1 - self.rate)

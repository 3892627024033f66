"""Multi-scale feature attention: weighs features of different context widths at each character."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ScaleAttention(nn.Module):
    """Attention over S layers of features, per character.

    From "Densely Connected CNN with Multi-scale Feature Attention for Text Classification" (Wang, Huang and
    Deng, IJCAI 2018), which LR-CNN follows: each layer is summarised by the sum of its features, and an MLP
    over the S sums gives the weights.

    Args:
        scales: S. dropout: on the inputs of the MLP's layers.
    """

    def __init__(self, scales: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.inner, self.outer = nn.Linear(scales, scales), nn.Linear(scales, scales)
        self.dropout = nn.Dropout(dropout)

    def forward(self, layers: Tensor) -> tuple[Tensor, Tensor]:
        """``[B, T, S, H]`` to ``[B, T, H]``, and the weights ``[B, T, S]``, which sum to one."""
        hidden = torch.tanh(self.inner(self.dropout(layers.sum(-1))))
        weights = torch.tanh(self.outer(self.dropout(hidden))).softmax(-1)
        return (weights[..., None] * layers).sum(-2), weights

"""Highway layers (Srivastava, Greff and Schmidhuber 2015, "Highway Networks", eq. 3)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

CARRY_BIAS = -2.0  # fresh gates pass most of their input, as in the paper and the published biLM


class Highway(nn.Module):
    """``y = T * relu(W_H x + b_H) + (1 - T) * x`` with the gate ``T = sigmoid(W_T x + b_T)``, repeated.

    Args:
        width: width H of input and output. layers: number of layers.
    """

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.transforms = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        self.gates = nn.ModuleList(nn.Linear(width, width) for _ in range(layers))
        for gate in self.gates:
            assert isinstance(gate, nn.Linear)
            nn.init.constant_(gate.bias, CARRY_BIAS)

    def forward(self, x: Tensor) -> Tensor:
        """``[..., H]`` to ``[..., H]``."""
        for transform, gate in zip(self.transforms, self.gates, strict=True):
            x = torch.lerp(x, torch.relu(transform(x)), torch.sigmoid(gate(x)))
        return x

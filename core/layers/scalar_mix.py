"""Scalar mix: a learned weighted mean of layers (Peters et al. 2018, Deep contextualized word
representations, eq. 1)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional


class ScalarMix(nn.Module):
    """``gamma * sum_j s_j h_j`` with ``s = softmax(w)``; initially the plain mean of the layers.

    Args:
        layers: number of states to mix.
        normalise: apply layer norm, without gain and bias, to every state at every position first. (The
            published code takes mean and variance over the whole batch; here no sentence depends on others.)

    Attributes:
        scalars: the weights before the softmax, w of the published code, ``[layers]``. gamma: scale, ``[]``.
    """

    def __init__(self, layers: int, normalise: bool = False) -> None:
        super().__init__()
        if layers < 1:
            raise ValueError(f"a scalar mix needs at least 1 layer, got {layers}")
        self.normalise = normalise
        self.scalars = nn.Parameter(torch.zeros(layers))
        self.gamma = nn.Parameter(torch.ones(()))

    @property
    def weights(self) -> Tensor:
        """The weight ``s_j`` of every layer, ``[layers]``, summing to 1."""
        return self.scalars.softmax(0)

    def penalty(self) -> Tensor:
        """The L2 penalty ``sum_j w_j^2``, to be added to the loss times lambda (section 3.4); it favours
        equal weights."""
        return self.scalars.square().sum()

    def forward(self, states: Sequence[Tensor]) -> Tensor:
        """Mix states, each ``[B, T, H]``, to ``[B, T, H]``.

        Raises:
            ValueError: there are more or fewer states than layers.
        """
        if len(states) != len(self.scalars):
            raise ValueError(f"a scalar mix of {len(self.scalars)} layers got {len(states)} states")
        mixed = torch.zeros_like(states[0])
        for weight, state in zip(self.weights, states, strict=True):
            if self.normalise:
                state = functional.layer_norm(state, state.shape[-1:])
            mixed = mixed + weight * state
        return self.gamma * mixed

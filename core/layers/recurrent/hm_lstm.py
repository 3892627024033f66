"""Hierarchical Multiscale Recurrent Neural Networks (Chung, Ahn and Bengio, 2017, arXiv 1609.01704)."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional

STEEPEST, STEEPER = 5.0, 0.04  # the slope ends at 5 and grows by 0.04 an epoch (section 4.1)


def slope_of(epoch: int) -> float:
    """The slope of the hard sigmoid in an epoch, 0-based."""
    return min(STEEPEST, 1.0 + STEEPER * epoch)


class HmLstm(nn.Module):
    """LSTMs one over the other, of which each decides where a segment ends.

    At the end of a segment (``z_t = 1``) a layer hands its state up and begins anew. With the boundary ``z``
    of this layer one step ago and ``z_below`` of the layer below at this step (1 at the lowest), it does one
    of three things (equations 2 to 7):

    - ``z = 1``, FLUSH: ``c' = i ⊙ g`` and ``h' = o ⊙ tanh(c')``
    - ``z = 0, z_below = 1``, UPDATE: ``c' = f ⊙ c + i ⊙ g`` and ``h' = o ⊙ tanh(c')``
    - ``z = 0, z_below = 0``, COPY: ``c' = c`` and ``h' = h``

    with ``f, i, o, g, z̃`` from ``U h + z U_above h_above + z_below W h_below + b`` and ``z' = [z̃ > 1/2]`` for
    the hard sigmoid ``z̃ = max(0, min(1, (a s + 1) / 2))``. Its gradient passes the step unchanged (the
    straight-through estimator); the slope a grows from epoch to epoch. The last layer has no boundaries and
    reads none from above. The output is ``ReLU(Σ_l g_l W_l h_l)`` with ``g_l = σ(w_l · [h_1; …; h_L])``
    (equations 11 and 12).

    Args:
        width: of the input. hidden: H, of each layer and of the output. layers: L, at least 2.
        dropout: on what a layer reads of the one below.

    Attributes:
        width: H. slope: a; see :func:`slope_of`.

    Raises:
        ValueError: fewer than two layers, which have no boundary.
    """

    def __init__(self, width: int, hidden: int, layers: int = 2, dropout: float = 0.0) -> None:
        super().__init__()
        if layers < 2:
            raise ValueError(f"segments need a layer above the first, got {layers} layer")
        self.width, self.dropout, self.slope = hidden, dropout, slope_of(0)
        rows = [4 * hidden + 1] * (layers - 1) + [4 * hidden]  # f, i, o, g, z̃
        widths = [width] + [hidden] * (layers - 1)
        self.own = nn.ModuleList(nn.Linear(hidden, row, bias=False) for row in rows)
        self.above = nn.ModuleList(nn.Linear(hidden, row, bias=False) for row in rows[:-1])
        self.below = nn.ModuleList(
            nn.Linear(size, row, bias=False) for size, row in zip(widths, rows, strict=True)
        )
        self.biases = nn.ParameterList(torch.zeros(row) for row in rows)
        self.gates = nn.Linear(layers * hidden, layers, bias=False)
        self.outputs = nn.ModuleList(nn.Linear(hidden, hidden, bias=False) for _ in range(layers))
        self.output_bias = nn.Parameter(torch.zeros(hidden))

    def forward(self, x: Tensor) -> Tensor:
        """``[B, T, width]`` to ``[B, T, H]``."""
        return self.read(x)[0]

    def read(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The output ``[B, T, H]``, and the boundaries of all layers but the last, ``[B, T, L - 1]``."""
        layers, zeros = len(self.own), x.new_zeros(len(x), self.width)
        states, cells = [zeros] * layers, [zeros] * layers
        ends = [x.new_zeros(len(x), 1)] * (layers - 1)
        lowest = self.below[0](x)  # of all steps at once
        every, boundaries = [], []
        for t in range(x.shape[1]):
            below, z_below = lowest[:, t], torch.ones_like(zeros[:, :1])
            for layer in range(layers):
                last = layer == layers - 1
                z = zeros[:, :1] if last else ends[layer]
                if layer:
                    lower = functional.dropout(states[layer - 1], self.dropout, self.training)
                    below = z_below * self.below[layer](lower)
                total = self.own[layer](states[layer]) + below + self.biases[layer]
                if not last:
                    # states[layer + 1] is still that of the step before.
                    total = total + z * self.above[layer](states[layer + 1])
                states[layer], cells[layer] = self._step(total, states[layer], cells[layer], z, z_below)
                if not last:
                    z_below = _boundary(total[:, 4 * self.width :], self.slope)
                    ends[layer] = z_below
            every.append(torch.stack(states, dim=1))
            boundaries.append(torch.cat(ends, dim=-1))
        if not every:
            return x.new_zeros(len(x), 0, self.width), x.new_zeros(len(x), 0, layers - 1)
        return self._output(torch.stack(every, dim=1)), torch.stack(boundaries, dim=1)

    def _step(
        self, total: Tensor, state: Tensor, cell: Tensor, z: Tensor, z_below: Tensor
    ) -> tuple[Tensor, Tensor]:
        size = self.width
        forget, enter, out = total[:, : 3 * size].sigmoid().chunk(3, dim=-1)
        fresh = enter * total[:, 3 * size : 4 * size].tanh()
        flush, update, copy = z, (1 - z) * z_below, (1 - z) * (1 - z_below)
        cell = flush * fresh + update * (forget * cell + fresh) + copy * cell
        return copy * state + (1 - copy) * (out * cell.tanh()), cell

    def _output(self, states: Tensor) -> Tensor:
        """``[B, T, L, H]`` to ``[B, T, H]``."""
        gates = self.gates(states.flatten(2)).sigmoid()
        mapped = torch.stack([output(states[:, :, at]) for at, output in enumerate(self.outputs)], dim=2)
        return ((gates[..., None] * mapped).sum(2) + self.output_bias).relu()


class _StraightThrough(torch.autograd.Function):
    """1 above a half and 0 elsewhere, with the gradient of the identity."""

    @staticmethod
    def forward(ctx: Any, value: Tensor) -> Tensor:
        return (value > 0.5).to(value.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return gradient


def _boundary(score: Tensor, slope: float) -> Tensor:
    found: Tensor = _StraightThrough.apply(((slope * score + 1) / 2).clamp(0, 1))
    return found

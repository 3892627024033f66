"""Grid Long Short-Term Memory (Kalchbrenner, Danihelka and Graves, 2015, arXiv 1507.01526)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class GridLstm(nn.Module):
    """A grid of two dimensions, time and depth, with LSTM cells along both (the 2-LSTM of section 3).

    A block reads ``H = [h_time; h_depth]`` and passes on a new state and memory along each dimension, from
    weights of its own: ``m' = g_f ⊙ m + g_u ⊙ g_c`` and ``h' = tanh(g_o ⊙ m')`` with
    ``g_u, g_f, g_o = σ(W H + b)`` and ``g_c = tanh(W H + b)``. The first block of a column gets its depth
    state and memory from the input by a linear layer; the output is the depth state of the last one.

    Args:
        width: of the input. hidden: H. layers: blocks of a column.
        dropout: on the depth state between two blocks.

    Attributes:
        width: H. weights: ``[layers, 8H, 2H]``, of the time cell (u, f, o, c), then of the depth cell.
    """

    def __init__(self, width: int, hidden: int, layers: int = 1, dropout: float = 0.0) -> None:
        super().__init__()
        self.width, self.dropout = hidden, dropout
        self.entry = nn.Linear(width, 2 * hidden)
        scale = hidden**-0.5
        self.weights = nn.Parameter(torch.empty(layers, 8 * hidden, 2 * hidden).uniform_(-scale, scale))
        self.biases = nn.Parameter(torch.zeros(layers, 8 * hidden))

    def forward(self, x: Tensor) -> Tensor:
        """``[B, T, width]`` to ``[B, T, H]``."""
        entered = self.entry(x)
        layers = len(self.weights)
        zeros = entered.new_zeros(len(x), self.width)
        states, memories = [zeros] * layers, [zeros] * layers
        read = []
        for t in range(x.shape[1]):
            depth, depth_memory = entered[:, t].chunk(2, dim=-1)
            for layer in range(layers):
                if layer:
                    depth = functional.dropout(depth, self.dropout, self.training)
                joined = torch.cat([states[layer], depth], dim=-1)
                time_gates, depth_gates = functional.linear(
                    joined, self.weights[layer], self.biases[layer]
                ).chunk(2, dim=-1)
                states[layer], memories[layer] = _step(time_gates, memories[layer])
                depth, depth_memory = _step(depth_gates, depth_memory)
            read.append(depth)
        return torch.stack(read, dim=1) if read else x.new_zeros(len(x), 0, self.width)


def _step(gates: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
    """The new state and memory ``[B, H]``, from gates ``[B, 4H]`` in the order u, f, o, c."""
    size = memory.shape[-1]
    update, forget, output = gates[:, : 3 * size].sigmoid().chunk(3, dim=-1)
    memory = forget * memory + update * gates[:, 3 * size :].tanh()
    return (output * memory).tanh(), memory

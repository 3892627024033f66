"""Gated Feedback Recurrent Neural Networks (Chung, Gulcehre, Cho and Bengio, 2015, arXiv 1502.02367)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional


class GatedFeedbackLstm(nn.Module):
    """Stacked LSTMs in which every layer reads every layer's last state, as much as a gate lets through.

    Layer j computes its input, forget and output gates from what lies below, ``b``, and its own last state,
    and its candidate as ``c̃ = tanh(W b + Σ_i g_ij U_ij h_i)``, where ``g_ij = σ(w_ij · b + u_ij · h*)`` is
    one number, the global reset gate, and ``h*`` are the last states of all layers (section 3.2).

    Args:
        width: of the input. hidden: H, of each layer. layers: how many.
        dropout: on what a layer reads of the one below.

    Attributes:
        width: H; the output is the state of the last layer.
    """

    def __init__(self, width: int, hidden: int, layers: int = 2, dropout: float = 0.0) -> None:
        super().__init__()
        self.width, self.dropout = hidden, dropout
        widths = [width] + [hidden] * (layers - 1)
        # Rows: input, forget and output gate, candidate, then the global reset gates.
        self.below = nn.ModuleList(nn.Linear(size, 4 * hidden + layers) for size in widths)
        self.own = nn.ModuleList(nn.Linear(hidden, 3 * hidden, bias=False) for _ in widths)
        self.resets = nn.ModuleList(nn.Linear(layers * hidden, layers, bias=False) for _ in widths)
        self.feedback = nn.ModuleList(nn.Linear(layers * hidden, hidden, bias=False) for _ in widths)

    def forward(self, x: Tensor) -> Tensor:
        """``[B, T, width]`` to ``[B, T, H]``."""
        size, layers = self.width, len(self.own)
        states = x.new_zeros(len(x), layers, size)
        cells = [x.new_zeros(len(x), size)] * layers
        lowest = self.below[0](x)  # of all steps at once
        read = []
        for t in range(x.shape[1]):
            every = states.flatten(1)
            new: list[Tensor] = []
            below = lowest[:, t]
            for layer in range(layers):
                if layer:
                    below = self.below[layer](functional.dropout(new[-1], self.dropout, self.training))
                gates = (below[:, : 3 * size] + self.own[layer](states[:, layer])).sigmoid()
                enter, forget, out = gates.chunk(3, dim=-1)
                reset = (below[:, 4 * size :] + self.resets[layer](every)).sigmoid()  # shape: (B, layers)
                fed_back = self.feedback[layer]((reset[..., None] * states).flatten(1))
                candidate = (below[:, 3 * size : 4 * size] + fed_back).tanh()
                cells[layer] = forget * cells[layer] + enter * candidate
                new.append(out * cells[layer].tanh())
            states = torch.stack(new, dim=1)
            read.append(new[-1])
        return torch.stack(read, dim=1) if read else x.new_zeros(len(x), 0, size)

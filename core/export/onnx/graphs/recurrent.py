"""Recurrences as ONNX's own operators."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch._higher_order_ops.scan import scan  # public nowhere yet; torch's ONNX exporter knows it

from core.layers.recurrent.birnn import BiRnn
from core.layers.recurrent.lstmp import Lstmp

# The order in which ONNX stacks the gates, by their place in torch's: input, output, forget, cell, and for
# a GRU update, reset, new.
_GATES = {nn.LSTM: (0, 3, 1, 2), nn.GRU: (1, 0, 2)}


class OnnxBiRnn(nn.Module):
    """A `BiRnn` in a traced graph: one operator a layer, in place of torch's loop and its reversals.

    Run by torch itself, it gives zeros.

    Args:
        source: whose weights it takes.
    """

    def __init__(self, source: BiRnn) -> None:
        super().__init__()
        self.width = source.width
        self.hidden = source.rnn.hidden_size
        self.is_lstm = isinstance(source.rnn, nn.LSTM)
        order = _GATES[type(source.rnn)]
        self.layers = source.rnn.num_layers
        for layer in range(self.layers):
            pair = source.rnn.all_weights[2 * layer : 2 * layer + 2]
            inputs, states, input_biases, state_biases = (
                torch.stack([_reordered(direction[part].detach(), order) for direction in pair])
                for part in range(4)
            )
            self.register_buffer(f"inputs_{layer}", inputs)
            self.register_buffer(f"states_{layer}", states)
            self.register_buffer(f"biases_{layer}", torch.cat([input_biases, state_biases], dim=1))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """``[B, T, width]`` to ``[B, T, 2H]``, zero where ``mask`` ``[B, T]`` is False."""
        batch, length = x.shape[0], x.shape[1]
        sizes = mask.sum(1).clamp(min=1).to(torch.int32)
        attributes: dict[str, Any] = {
            "hidden_size": self.hidden,
            "direction": "bidirectional",
        }
        if not self.is_lstm:
            attributes["linear_before_reset"] = 1
        for layer in range(self.layers):
            weights = [getattr(self, f"{part}_{layer}") for part in ("inputs", "states", "biases")]
            states = torch.onnx.ops.symbolic(
                "LSTM" if self.is_lstm else "GRU",
                [x.transpose(0, 1), *weights, sizes],
                attributes,
                dtype=torch.float32,
                shape=(length, 2, batch, self.hidden),
            )
            x = states.permute(2, 0, 1, 3).flatten(2)
        return x * mask[..., None]


class OnnxLstmp(nn.Module):
    """An `Lstmp` in a traced graph, as ONNX's operator Scan, since its LSTM has no projection.

    Args:
        source: whose weights it takes.
    """

    def __init__(self, source: Lstmp) -> None:
        super().__init__()
        self.source = source

    def forward(self, x: Tensor, mask: Tensor, state: None = None) -> tuple[Tensor, None]:
        """Outputs ``[G, B, T, P]``, zero where ``mask`` ``[B, T]`` is False, which is after a row's end."""
        source, (groups, batch, length, _) = self.source, x.shape
        read = x.transpose(1, 2).flatten(1, 2)
        gates = torch.baddbmm(source.bias[:, None], read, source.weight_input)
        initial = (x.new_zeros(groups, batch, source.projection), x.new_zeros(groups, batch, source.cells))
        _last, outputs = scan(self._step, initial, gates.unflatten(1, (length, batch)).transpose(0, 1))
        return outputs.permute(1, 2, 0, 3) * mask[..., None], None

    def _step(self, before: tuple[Tensor, Tensor], gates: Tensor) -> tuple[tuple[Tensor, Tensor], Tensor]:
        (output, cell), source = before, self.source
        gates = gates + torch.bmm(output, source.weight_recurrent)  # shape: (G, B, 4C)
        i, f, o = gates[..., : 3 * source.cells].sigmoid().chunk(3, dim=-1)
        cell = f * cell + i * gates[..., 3 * source.cells :].tanh()
        if source.cell_clip < math.inf:
            cell = cell.clamp(-source.cell_clip, source.cell_clip)
        output = torch.bmm(o * cell.tanh(), source.weight_projection)
        if source.projection_clip < math.inf:
            output = output.clamp(-source.projection_clip, source.projection_clip)
        return (output, cell), output.clone()


_OPERATORS: dict[type[nn.Module], Callable[[Any], nn.Module]] = {BiRnn: OnnxBiRnn, Lstmp: OnnxLstmp}


def with_onnx_operators(module: nn.Module) -> nn.Module:
    """``module`` with ONNX's own recurrences in place of those inside it."""
    for name, child in module.named_children():
        if type(child) in _OPERATORS:
            setattr(module, name, _OPERATORS[type(child)](child))
        else:
            with_onnx_operators(child)
    return module


def _reordered(weight: Tensor, order: tuple[int, ...]) -> Tensor:
    parts = weight.chunk(len(order))
    return torch.cat([parts[place] for place in order])

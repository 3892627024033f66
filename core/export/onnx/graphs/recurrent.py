"""LSTMs and GRUs as ONNX's own operators, which know the length of every sentence."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from core.layers.recurrent.birnn import BiRnn

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


def with_onnx_operators(module: nn.Module) -> nn.Module:
    """``module`` with an `OnnxBiRnn` in place of every `BiRnn` inside it."""
    for name, child in module.named_children():
        if isinstance(child, BiRnn):
            setattr(module, name, OnnxBiRnn(child))
        else:
            with_onnx_operators(child)
    return module


def _reordered(weight: Tensor, order: tuple[int, ...]) -> Tensor:
    parts = weight.chunk(len(order))
    return torch.cat([parts[place] for place in order])

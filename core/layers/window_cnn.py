"""A character-level CNN over a window around each character, for text without word boundaries."""

from __future__ import annotations

from functools import reduce

import torch
from torch import Tensor, nn
from torch.nn import functional


class WindowCnn(nn.Module):
    """Convolution, tanh, and the maximum of each filter within a window around each position.

    Chiu and Nichols (TACL 2016) run filters of width 3 over the letters of a word and take the maximum. A
    Chinese character has no letters, so the window around it stands for the word: ``2 * radius + 1``
    placements of the filters, centred on it.

    Args:
        width: of a character's vector. filters: H. kernel: of a filter, odd. radius: placements on each side.
    """

    def __init__(self, width: int, filters: int, kernel: int = 3, radius: int = 1) -> None:
        super().__init__()
        if kernel % 2 == 0:
            raise ValueError(f"a filter centred on its position needs an odd kernel, got {kernel}")
        self.width = filters
        self.convolution = nn.Conv1d(width, filters, kernel, padding=kernel // 2)
        self.radius = radius

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """``[B, T, width]`` to ``[B, T, H]``, zero where ``mask`` ``[B, T]`` is False."""
        inside = mask[:, None]
        hidden = torch.tanh(self.convolution(x.transpose(1, 2) * inside))
        # Placements beyond the end must not win the maximum.
        hidden = functional.pad(hidden.masked_fill(~inside, -torch.inf), (self.radius,) * 2, value=-torch.inf)
        # As MaxPool1d, in which torch's ONNX exporter fixes the length.
        maxima = reduce(
            torch.maximum, (hidden[..., at : at + x.shape[1]] for at in range(2 * self.radius + 1))
        )
        return maxima.masked_fill(~inside, 0.0).transpose(1, 2)

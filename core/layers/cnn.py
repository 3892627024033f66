"""A convolutional encoder over sentences of different lengths."""

from __future__ import annotations

from torch import Tensor, nn


class Cnn(nn.Module):
    """Stacked convolutions with ReLU that keep the number of positions.

    Args:
        width: of the input. hidden: H, number of filters of every layer. layers: number of stacked layers.
        kernel: positions a filter covers; odd.
        dropout: between layers.
    """

    def __init__(
        self, width: int, hidden: int, layers: int = 1, kernel: int = 3, dropout: float = 0.0
    ) -> None:
        super().__init__()
        if kernel % 2 == 0:
            raise ValueError(f"a filter centred on its position needs an odd kernel, got {kernel}")
        self.width = hidden
        widths = [width, *[hidden] * (layers - 1)]
        self.layers = nn.ModuleList(nn.Conv1d(size, hidden, kernel, padding=kernel // 2) for size in widths)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """``[B, T, width]`` to ``[B, T, H]``, zero where ``mask`` ``[B, T]`` is False."""
        inside = mask[:, None].to(x.dtype)
        hidden = x.transpose(1, 2) * inside  # shape: (B, width, T)
        for index, layer in enumerate(self.layers):
            if index:
                hidden = self.dropout(hidden)
            # Masked again: filters near the end must see zeros at padding, not biases.
            hidden = layer(hidden).relu() * inside
        return hidden.transpose(1, 2)

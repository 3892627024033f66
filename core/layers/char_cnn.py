"""A token's vector from its characters: the CNN of Kim et al. (AAAI 2016) as ELMo uses it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from core.layers.highway import Highway

ACTIVATIONS = {"relu": torch.relu, "tanh": torch.tanh}


class CharConvolutions(nn.Module):
    """Convolutions of several widths over a token's characters, max-pooling over time, highway layers,
    projection.

    Args:
        char_width: width of a character's vector.
        filters: (width, number) of each group of filters. highways: number of highway layers over all F
            filters.
        output: width P of a token's vector; without a projection if it equals F.
        activation: ``"relu"`` or ``"tanh"``, after the maximum.
    """

    def __init__(
        self,
        char_width: int,
        filters: Sequence[tuple[int, int]],
        highways: int,
        output: int,
        activation: str = "relu",
    ) -> None:
        super().__init__()
        count = sum(number for _, number in filters)
        self.widest = max(width for width, _ in filters)
        self.activation = ACTIVATIONS[activation]
        self.convolutions = nn.ModuleList(nn.Conv1d(char_width, number, width) for width, number in filters)
        self.highway = Highway(count, highways)
        self.projection = nn.Linear(count, output) if output != count else None

    def forward(self, characters: Tensor) -> Tensor:
        """Vectors ``[U, P]`` of tokens from those of their characters, ``[U, C, D]``.

        C is at least the width of the widest filter.
        """
        x = characters.transpose(1, 2)  # shape: (U, D, C)
        maxima = [convolution(x).amax(dim=2) for convolution in self.convolutions]
        tokens = self.highway(self.activation(torch.cat(maxima, dim=1)))  # shape: (U, F)
        return tokens if self.projection is None else self.projection(tokens)


class CharCnn(CharConvolutions):
    """`CharConvolutions` over a table of characters.

    Args:
        characters: rows of the table. The others are those of `CharConvolutions`.
    """

    def __init__(
        self,
        characters: int,
        char_width: int,
        filters: Sequence[tuple[int, int]],
        highways: int,
        output: int,
        activation: str = "relu",
    ) -> None:
        # Not nn.Embedding(...): its normal_() takes over a second on the "meta" device.
        table = torch.empty(characters, char_width).uniform_(-1.0, 1.0)
        super().__init__(char_width, filters, highways, output, activation)
        self.embedding = nn.Embedding.from_pretrained(table, freeze=False)

    def forward(self, rows: Tensor) -> Tensor:
        """Vectors ``[U, P]`` of tokens whose characters are ``rows`` ``[U, C]``.

        C is at least the width of the widest filter.
        """
        return super().forward(self.embedding(rows))

"""A token's vector from its characters: the CNN of Kim et al. (AAAI 2016) as ELMo uses it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from core.layers.highway import Highway

ACTIVATIONS = {"relu": torch.relu, "tanh": torch.tanh}


class CharCnn(nn.Module):
    """Character embeddings, convolutions of several widths, max-pooling over time, highway layers,
    projection.

    Args:
        characters: rows of the character table. char_width: width of a character's vector.
        filters: (width, number) of each group of filters. highways: number of highway layers over all F
            filters.
        output: width P of a token's vector; without a projection if it equals F.
        activation: ``"relu"`` or ``"tanh"``, after the maximum.
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
        super().__init__()
        count = sum(number for _, number in filters)
        self.widest = max(width for width, _ in filters)
        self.activation = ACTIVATIONS[activation]
        # Not nn.Embedding(...): its normal_() takes over a second on the "meta" device.
        table = torch.empty(characters, char_width).uniform_(-1.0, 1.0)
        self.embedding = nn.Embedding.from_pretrained(table, freeze=False)
        self.convolutions = nn.ModuleList(nn.Conv1d(char_width, number, width) for width, number in filters)
        self.highway = Highway(count, highways)
        self.projection = nn.Linear(count, output) if output != count else None

    def forward(self, rows: Tensor) -> Tensor:
        """Vectors ``[U, P]`` of tokens whose characters are ``rows`` ``[U, C]``.

        C is at least the width of the widest filter.
        """
        x = self.embedding(rows).transpose(1, 2)  # shape: (U, D, C)
        maxima = [convolution(x).amax(dim=2) for convolution in self.convolutions]
        tokens = self.highway(self.activation(torch.cat(maxima, dim=1)))  # shape: (U, F)
        return tokens if self.projection is None else self.projection(tokens)

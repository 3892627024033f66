"""The span boundary objective (Joshi et al. 2020, SpanBERT, section 3.2)."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class SpanBoundaryHead(nn.Module):
    """Predicts the pieces of a masked span from the states of the two pieces at its outer boundary.

    ``y = LN(GELU(W_2 LN(GELU(W_1 [x_before; x_after; p]))))``, with p of the piece's place in the span; its
    score for every piece is that of the encoder's own embeddings, plus a bias. (Where these are narrower than
    the states, W_2 makes y as narrow.)

    Args:
        width: W, of a state. table: the encoder's embeddings, ``[ids, E]``; shared, not copied.
        longest: places that differ; those beyond have the vector of the last.
    """

    def __init__(self, width: int, table: nn.Parameter, longest: int) -> None:
        super().__init__()
        self.places = nn.Embedding(longest, width)
        self.layers = nn.Sequential(
            nn.Linear(3 * width, width),
            nn.GELU(),
            nn.LayerNorm(width),
            nn.Linear(width, table.shape[1]),
            nn.GELU(),
            nn.LayerNorm(table.shape[1]),
        )
        self.bias = nn.Parameter(torch.zeros(len(table)))
        self._table = [table]  # in a list, so that it is no parameter of this head

    def forward(self, states: Tensor, beside: Tensor) -> Tensor:
        """Scores of every id, ``[M, ids]``.

        Args:
            states: of the pieces of a batch, ``[B * P, W]``. beside: as in `MlmBatch`, without the -1s.
        """
        before, after, place = beside.unbind(1)
        places = self.places(place.clamp(max=self.places.num_embeddings - 1))
        known: Tensor = self.layers(torch.cat([states[before], states[after], places], dim=-1))
        return known @ self._table[0].T + self.bias

"""Replaced token detection (Clark et al., ICLR 2020, ELECTRA, section 3.1) in one model.

The model is generator and discriminator: its guesses at the hidden pieces fill them, and a head tells of
every piece whether it was replaced. Section 3.2 shares all weights so where both are of one size.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from core.learning.mlm.batch import MlmBatch


class ReplacedDetectionHead(nn.Module):
    """Scores pieces by ``w^T GELU(W x + b) + c``: above 0 for a replaced one.

    Args:
        width: W, of a state.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))

    def forward(self, states: Tensor) -> Tensor:
        """States ``[B, P, W]`` to scores ``[B, P]``."""
        scores: Tensor = self.layers(states)
        return scores.squeeze(-1)


def replaced(batch: MlmBatch, scores: Tensor) -> tuple[Tensor, Tensor]:
    """The text with hidden pieces drawn from the model's distribution, ``[B, P]``, and where it differs from
    the original; a piece that was guessed right counts as the original.

    Args:
        scores: of every id at the hidden positions, ``[M, ids]``; no gradient runs through the draw.
    """
    if not len(scores):
        return batch.ids, torch.zeros_like(batch.mask)
    guesses = torch.multinomial(scores.detach().softmax(-1), 1).squeeze(-1)
    ids = batch.ids.flatten().index_copy(0, batch.hidden, guesses)
    changed = torch.zeros_like(ids, dtype=torch.bool).index_copy(0, batch.hidden, guesses != batch.expected)
    return ids.view_as(batch.ids), changed.view_as(batch.ids)

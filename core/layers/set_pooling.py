"""Pooling of the word sets over a character into one vector: SoftLexicon (Ma et al., ACL 2020)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

SETS = 4  # B, M, E, S: words that begin, continue or end at a position, and single-character words


class SetPooling(nn.Module):
    """``v(S) = 4 / Z * sum_{w in S} z(w) e(w)``, with Z the sum of z over the four sets of a position.

    An empty set holds the special word NONE once, as in the published code; its vector is learned here. Where
    all sets hold words and all counts are 0, v is zero.

    Args:
        dimension: D, of a word's vector.
    """

    def __init__(self, dimension: int) -> None:
        super().__init__()
        bound = math.sqrt(3.0 / dimension)  # unit expected length, like the vectors of words
        self.none = nn.Parameter(torch.empty(dimension).uniform_(-bound, bound))

    def forward(self, vectors: Tensor, counts: Tensor, slots: Tensor, positions: int) -> Tensor:
        """The concatenated vectors of the four sets of every position, ``[P, 4 D]``.

        Args:
            vectors: e(w) of every entry of every set, ``[E, D]``. counts: z(w), integers, ``[E]``.
            slots: ``4 * position + set`` of every entry, ``[E]``. positions: P.
        """
        weights, nothing = self.weights(counts, slots, positions)
        pooled = vectors.new_zeros(SETS * positions, vectors.shape[1])
        # The order of summation on CUDA is not fixed; deterministic forms are slower (docs/training.md).
        pooled.index_add_(0, slots, vectors * weights[:, None].to(vectors.dtype))
        # shape: (P, 4, D)
        sets = pooled.unflatten(0, (positions, SETS)) + nothing[..., None].to(vectors.dtype) * self.none
        return sets.flatten(1)

    @staticmethod
    def weights(counts: Tensor, slots: Tensor, positions: int) -> tuple[Tensor, Tensor]:
        """``4 z(w) / Z`` of every entry, ``[E]``, and of NONE in every set, 0 if absent: ``[P, 4]``."""
        empty = counts.new_ones(SETS * positions).index_fill_(0, slots, 0.0).unflatten(0, (positions, SETS))
        position = slots // SETS
        total = empty.sum(1).index_add_(0, position, counts).clamp(min=1.0)  # shape: (P,)
        return SETS * counts / total[position], SETS * empty / total[:, None]


def place_tags(slots: Tensor, positions: int) -> Tensor:
    """ExSoftword's multi-hot vector of every position: which of B, M, E, S hold words, O if none: ``[P, 5]``.

    Args:
        slots: ``4 * position + set`` of every word, ``[E]``. positions: P.
    """
    filled = torch.zeros(SETS * positions, device=slots.device).index_fill_(0, slots, 1.0)
    filled = filled.unflatten(0, (positions, SETS))
    return torch.cat([filled, 1.0 - filled.amax(1, keepdim=True)], dim=1)

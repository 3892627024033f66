"""Efficient GlobalPointer (Su et al., Global Pointer, arXiv 2208.03054, section 3.4)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from core.layers.span_scores.prior import LOW
from core.layers.span_scores.rotary import rotate
from core.layers.span_scores.terms import SpanTerms


class GlobalPointer(nn.Module):
    """``s_k(i, j) = (R_i q_i)ᵀ (R_j k_j) / √D + w_kᵀ [q_i; k_i; q_j; k_j] + b_k``.

    Whether characters i to j are a span at all is one product of a query and a key for all labels, with
    rotary positions R so that it depends on j - i; which label it has is linear in both ends. As in the
    published code, products are divided by the root of their width. The biases start low, since nearly no
    pair is a span.

    Args:
        width: H, of the states. labels: K. inner: D, of queries and keys, an even number.
        dropout: on queries and keys. rotary: whether queries and keys are rotated by their positions.

    Raises:
        ValueError: ``inner`` is odd.
    """

    def __init__(
        self, width: int, labels: int, inner: int, dropout: float = 0.0, rotary: bool = True
    ) -> None:
        super().__init__()
        if inner % 2:
            raise ValueError(f"rotary positions turn pairs of features, but there are {inner}")
        self.query = nn.Linear(width, inner)
        self.key = nn.Linear(width, inner)
        self.dropout = nn.Dropout(dropout)
        self.start_score = nn.Linear(2 * inner, labels, bias=False)
        self.end_score = nn.Linear(2 * inner, labels)
        self.rotary = rotary
        nn.init.constant_(self.end_score.bias, LOW)

    def forward(self, states: Tensor, width: int) -> Tensor:
        """``[B, T, H]`` to ``[B, K, T, width]``, as `SpanTerms.band` has it."""
        return self.terms(states).band(width)

    def terms(self, states: Tensor) -> SpanTerms:
        """The terms of the scores of all spans of ``[B, T, H]``."""
        query, key = self.dropout(self.query(states)), self.dropout(self.key(states))  # shape: (B, T, D)
        both = torch.cat([query, key], dim=-1)
        starts, ends = self.start_score(both).mT, self.end_score(both).mT  # shape: (B, K, T)
        if self.rotary:
            query, key = rotate(query), rotate(key)
        return SpanTerms(starts, ends, query, key, math.sqrt(query.shape[-1]))

"""The biaffine span scorer (Yu, Bohnet and Poesio, ACL 2020, section 3)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.layers.span_scores.prior import LOW
from core.layers.span_scores.terms import SpanTerms


class Biaffine(nn.Module):
    """``s_k(i, j) = h_s(i)ᵀ U_k h_e(j) + W_k [h_s(i); h_e(j)] + b_k`` for label k and span i to j.

    ``h_s`` and ``h_e`` are two feed-forward layers over the states of characters. ``W_k [h_s; h_e]`` is the
    sum of a term of the start and one of the end, so no ``[T, T, 2 D]`` tensor is built. The biases start
    low, since nearly no pair is a span.

    Args:
        width: H, of the states. labels: K. inner: D, of ``h_s`` and ``h_e``. dropout: on them.
    """

    def __init__(self, width: int, labels: int, inner: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.start = nn.Linear(width, inner)
        self.end = nn.Linear(width, inner)
        self.dropout = nn.Dropout(dropout)
        self.bilinear = nn.Parameter(torch.empty(labels, inner, inner))
        self.start_score = nn.Linear(inner, labels, bias=False)
        self.end_score = nn.Linear(inner, labels)
        bound = 1 / math.sqrt(inner)
        nn.init.uniform_(self.bilinear, -bound / math.sqrt(inner), bound / math.sqrt(inner))
        nn.init.constant_(self.end_score.bias, LOW)

    def forward(self, states: Tensor, width: int) -> Tensor:
        """``[B, T, H]`` to ``[B, K, T, width]``, as `SpanTerms.band` has it."""
        return self.terms(states).band(width)

    def terms(self, states: Tensor) -> SpanTerms:
        """The terms of the scores of all spans of ``[B, T, H]``."""
        start = self.dropout(functional.gelu(self.start(states)))  # shape: (B, T, D)
        end = self.dropout(functional.gelu(self.end(states)))
        left = torch.einsum("btd,kde->bkte", start, self.bilinear)
        starts, ends = self.start_score(start).mT, self.end_score(end).mT  # shape: (B, K, T)
        return SpanTerms(starts, ends, left, end[:, None])

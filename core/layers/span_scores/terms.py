"""What the score of every span is the sum of: a product of its two ends, and a term of each."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from core.layers.span_scores.band import band_of, band_products


class SpanTerms(NamedTuple):
    """``left_i · right_j / divisor + starts_i + ends_j`` for the span from i to j (inclusive), by label.

    Args:
        starts, ends: ``[B, K, T]``. left, right: ``[B, T, D]``, or ``[B, K or 1, T, D]``; None without
            products. divisor: of the products.
    """

    starts: Tensor
    ends: Tensor
    left: Tensor | None = None
    right: Tensor | None = None
    divisor: float = 1.0

    def band(self, width: int) -> Tensor:
        """``[B, K, T, width]``: at ``[b, k, i, o]`` the span from i to i + o.

        Spans that leave the sentence have an arbitrary score.
        """
        sums = self.starts[..., None], band_of(self.ends, width)
        if self.left is None or self.right is None:
            return sums[1] + sums[0]
        products = band_products(self.left, self.right, width) / self.divisor
        return (products[:, None] if products.dim() == 3 else products) + sums[0] + sums[1]

    def square(self) -> Tensor:
        """``[B, K, T, T]``: at ``[b, k, i, j]`` the span from i to j; arbitrary where j is before i."""
        sums = self.starts[..., None], self.ends[..., None, :]
        if self.left is None or self.right is None:
            return sums[1] + sums[0]
        products = self.left @ self.right.transpose(-1, -2) / self.divisor
        return (products[:, None] if products.dim() == 3 else products) + sums[0] + sums[1]

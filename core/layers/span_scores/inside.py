"""What the characters between the two ends say about a span."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.layers.span_scores.terms import SpanTerms

PRIOR = 3.0  # log-odds with which a character begins: a fresh layer changes no score by much


class Inside(nn.Module):
    """``s_k(i, j) = Σ_t log σ(w_kᵀ h_t + b_k)`` over the characters t from i to j, for label k.

    The published scorers see a span by its ends alone. This is the log-probability that every character of
    it fits the label, and never above 0: one character that does not fit tells against all spans across it,
    however long they are. Sums of a sentence are taken once, so a span costs one subtraction.

    Args:
        width: H, of the states. labels: K.
    """

    def __init__(self, width: int, labels: int) -> None:
        super().__init__()
        self.score = nn.Linear(width, labels)
        nn.init.zeros_(self.score.weight)
        nn.init.constant_(self.score.bias, PRIOR)

    def forward(self, states: Tensor, width: int) -> Tensor:
        """``[B, T, H]`` to ``[B, K, T, width]``, as `SpanTerms.band` has it."""
        return self.terms(states).band(width)

    def terms(self, states: Tensor) -> SpanTerms:
        """The terms of the scores of all spans of ``[B, T, H]``."""
        fits = functional.logsigmoid(self.score(states)).mT  # shape: (B, K, T)
        # Half precision is too coarse for differences of sums.
        until = fits.to(torch.promote_types(fits.dtype, torch.float32)).cumsum(-1)
        before = functional.pad(until[..., :-1], (1, 0))
        return SpanTerms(-before, until)

"""Divergences between two sets of token decisions."""

from __future__ import annotations

import torch
from torch import Tensor

from core.taggers.base.tagger import TokenScores


def kl_divergence(first: Tensor, second: Tensor, mask: Tensor) -> Tensor:
    """Sum over tokens of ``KL(softmax(first) ‖ softmax(second)) = Σ_k p_k (log p_k - log q_k)``, ``[]``.

    Args:
        first, second: logits of the same decisions, ``[..., K]``. mask: True where there is one, ``[...]``.
    """
    log_p, log_q = log_probabilities(first, mask), log_probabilities(second, mask)
    return (log_p.exp() * (log_p - log_q)).sum()


def log_probabilities(logits: Tensor, mask: Tensor) -> Tensor:
    """Log-softmax of the unmasked decisions, ``[N, K]``, in at least single precision."""
    # Masked first: values at padding, even infinite ones, must not reach the sum or its gradient.
    chosen = logits[mask]
    return chosen.to(torch.promote_types(chosen.dtype, torch.float32)).log_softmax(-1)


def symmetric_divergence(first: TokenScores, second: TokenScores) -> Tensor:
    """``½ [KL(p ‖ q) + KL(q ‖ p)]``, summed over tokens, ``[]``."""
    there = kl_divergence(first.logits, second.logits, first.mask)
    return 0.5 * (there + kl_divergence(second.logits, first.logits, first.mask))

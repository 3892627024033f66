"""The multi-label cross-entropy of Su et al. (arXiv 2208.03054, section 3.3; ZLPR, arXiv 2208.02955)."""

from __future__ import annotations

import torch
from torch import Tensor


def multilabel_loss(scores: Tensor, gold: Tensor, mask: Tensor) -> Tensor:
    """``log(1 + Σ_neg e^s) + log(1 + Σ_pos e^-s)`` of every row, ``[...]``.

    Every gold score is pushed above 0 and every other one below it, however few the gold ones are. Both sums
    are taken in the log domain, so that no score overflows.

    Args:
        scores: ``[..., N]``. gold: True where the class holds. mask: True where there is a score at all;
            others are neither gold nor not.
    """
    outside = float("-inf")
    threshold = scores.new_zeros(*scores.shape[:-1], 1)
    negative = torch.cat([threshold, scores.masked_fill(gold | ~mask, outside)], dim=-1)
    positive = torch.cat([threshold, (-scores).masked_fill(~(gold & mask), outside)], dim=-1)
    return negative.logsumexp(-1) + positive.logsumexp(-1)

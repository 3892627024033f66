"""The multi-label cross-entropy of Su et al. (arXiv 2208.03054, section 3.3; ZLPR, arXiv 2208.02955)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def multilabel_loss(scores: Tensor, gold: Tensor, mask: Tensor) -> Tensor:
    """``log(1 + Σ_neg e^s) + log(1 + Σ_pos e^-s)`` of every row, ``[...]``.

    Every gold score is pushed above 0 and every other one below it, however few the gold ones are. Both sums
    are taken in the log domain, so that no score overflows.

    Args:
        scores: ``[..., N]``. gold: True where the class holds. mask: True where there is a score at all;
            others are neither gold nor not.
    """
    gold = gold & mask
    losses = _log_one_plus_sum(scores, mask & ~gold)
    # Few rows have a gold class; in the others the second term is 0.
    rows = gold.any(-1)
    return losses.index_put((rows,), _log_one_plus_sum(-scores[rows], gold[rows]), accumulate=True)


def _log_one_plus_sum(scores: Tensor, mask: Tensor) -> Tensor:
    """``log(1 + Σ e^s)`` over the scores of the mask, ``[...]``."""
    # A finite number in place of minus infinity: the gradient of a row without any score is 0, not NaN.
    outside = torch.finfo(scores.dtype).min / 2
    return functional.softplus(scores.masked_fill(~mask, outside).logsumexp(-1))

"""Focal loss: Focal Loss for Dense Object Detection (Lin et al., ICCV 2017)."""

from __future__ import annotations

from torch import Tensor

NEAREST = 1e-8  # lower bound of 1 - p; a fractional power has no gradient at 0


def focal_factor(log_p: Tensor, gold: Tensor, gamma: float) -> Tensor:
    """``(1 - p_gold)^γ``, the factor of a token's cross-entropy (equation 4), ``[N]``.

    Args:
        log_p: log-probabilities, ``[N, K]``. gold: gold classes, ``[N]``. gamma: γ; at 0 all factors are 1.
    """
    right = log_p.gather(-1, gold[:, None]).squeeze(-1)
    missing: Tensor = -right.expm1()
    return missing.clamp_min(NEAREST) ** gamma

"""Label smoothing: Rethinking the Inception Architecture for Computer Vision (Szegedy et al., CVPR 2016)."""

from __future__ import annotations

from torch import Tensor


def smoothed_cross_entropy(log_p: Tensor, gold: Tensor, epsilon: float) -> Tensor:
    """``-Σ_k q_k log p_k`` with ``q_k = (1 - ε) [k = gold] + ε / K`` (section 7), ``[N]``.

    Args:
        log_p: log-probabilities, ``[N, K]``. gold: gold classes, ``[N]``.
        epsilon: ε; at 0 this is the cross entropy.
    """
    right = -log_p.gather(-1, gold[:, None]).squeeze(-1)
    if not epsilon:
        return right
    return (1 - epsilon) * right - epsilon * log_p.mean(-1)

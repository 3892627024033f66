"""Class weights that increase the loss of rare classes."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from core.layers.evaluating import evaluating
from core.taggers.base.tagger import Batch, Tagger

BETA = 0.9999


def class_weights(counts: Tensor, kind: str) -> Tensor:
    """A weight for every class, so that the mean weight of a token is 1: ``[K]``.

    ``balanced``: ``w_k ∝ 1 / n_k``. ``root``: ``w_k ∝ 1 / √n_k``. ``effective``: ``w_k ∝ (1 - β) /
    (1 - β^{n_k})`` with β = 0.9999, one over the effective number of samples (Cui et al., Class-Balanced Loss
    Based on Effective Number of Samples, CVPR 2019, equation 2).

    Args:
        counts: tokens of every class, ``[K]``; a class without tokens gets the weight 1.
        kind: one of the three.
    """
    number = counts.double()
    occurs = number > 0
    safe = torch.where(occurs, number, 1.0)
    if kind == "effective":
        raw = (1 - BETA) / (1 - BETA**safe)
    else:
        raw = 1 / safe.sqrt() if kind == "root" else 1 / safe
    scale = number.sum() / (raw * number).sum().clamp_min(1e-12)
    return torch.where(occurs, raw * scale, 1.0).float()


@torch.no_grad()
def class_counts(tagger: Tagger, batches: Iterable[Batch]) -> Tensor:
    """Number of decisions by gold class, ``[K]`` int64 on the CPU."""
    with evaluating(tagger):
        counts = torch.zeros(0, dtype=torch.long)
        for batch in batches:
            scores = tagger.token_scores(batch)
            classes = scores.logits.shape[-1]
            of_batch = torch.bincount(scores.gold[scores.mask].cpu(), minlength=classes)
            counts = of_batch if not len(counts) else counts + of_batch
        return counts

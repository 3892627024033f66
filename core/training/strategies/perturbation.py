"""Perturbations of embedding tables: norms, scaling, applying and removing.

A perturbation is one tensor per table. Lengths are Euclidean over all tables together. The tables are
perturbed, not the vectors of single sentences, so a token is perturbed in the same way wherever it occurs in
a batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from core.taggers.base.tagger import Tagger
from core.training.run.errors import TrainingError

TINY = 1e-30  # keeps a direction of length zero at zero instead of dividing by it


def norm(parts: Sequence[Tensor]) -> Tensor:
    """Euclidean length of all ``parts`` together, ``[]``."""
    return torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(part) for part in parts]))


def rescaled(parts: Sequence[Tensor], size: float) -> list[Tensor]:
    """``size · parts / ‖parts‖₂``; a direction of length zero stays zero."""
    factor = size / norm(parts).clamp_min(TINY)
    return [part * factor for part in parts]


def project(parts: Sequence[Tensor], radius: float) -> list[Tensor]:
    """The nearest point of the ball of this radius around zero."""
    factor = (radius / norm(parts).clamp_min(TINY)).clamp_max(1.0)
    return [part * factor for part in parts]


def rows_rescaled(parts: Sequence[Tensor], size: float) -> list[Tensor]:
    """Scaled so that the root mean square length of the nonzero rows is this."""
    rows = torch.stack([part.flatten(1).any(dim=1).sum() for part in parts]).sum()
    factor = size * rows.sqrt() / norm(parts).clamp_min(TINY)
    return [part * factor for part in parts]


@contextmanager
def perturbed(weights: Sequence[nn.Parameter], perturbation: Sequence[Tensor]) -> Iterator[None]:
    """Add the perturbation to the tables in the block, and restore them exactly afterwards."""
    before = [weight.detach().clone() for weight in weights]
    try:
        with torch.no_grad():
            for weight, part in zip(weights, perturbation, strict=True):
                weight.add_(part)
        yield
    finally:
        with torch.no_grad():
            for weight, value in zip(weights, before, strict=True):
                weight.copy_(value)


def embedding_tables(tagger: Tagger, strategy: str) -> list[nn.Parameter]:
    """The tables that a strategy perturbs; currently frozen ones are left out.

    Raises:
        TrainingError: this tagger has no embeddings at all.
    """
    if not any(isinstance(module, nn.Embedding) for module in tagger.modules()) and not (
        tagger.embedding_weights()
    ):
        raise TrainingError(
            "{strategy} perturbs embeddings, but this tagger has none; switch it off", strategy=strategy
        )
    return [weight for weight in tagger.embedding_weights() if weight.requires_grad]

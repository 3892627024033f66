"""Down-sampling of the documents that have nothing to find in them."""

from __future__ import annotations

import random
from collections.abc import Sequence

from core.text import Document


def epoch_documents(documents: Sequence[Document], keep: float, *, seed: int, epoch: int) -> list[int]:
    """Indices of what an epoch learns from: all documents with a span, and a share of the others.

    Args:
        keep: that share, 0 to 1; the number is rounded, at 0 none is kept.
        seed, epoch: the same pair draws the same documents, whatever ran before.
    """
    if keep >= 1.0:
        return list(range(len(documents)))
    negatives = [index for index, document in enumerate(documents) if not document.spans]
    chance = random.Random(f"negatives {seed} {epoch}")  # noqa: S311 - a sample, not a secret
    kept = set(chance.sample(negatives, round(keep * len(negatives))))
    return [index for index, document in enumerate(documents) if document.spans or index in kept]

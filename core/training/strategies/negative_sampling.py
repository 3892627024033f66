"""Down-sampling of documents without spans."""

from __future__ import annotations

import random
from collections.abc import Sequence

from core.text import Document


def epoch_documents(documents: Sequence[Document], keep: float, *, seed: int, epoch: int) -> list[int]:
    """The document indices of an epoch: all documents with a span, and a share of the others.

    Args:
        keep: that share, 0 to 1; the number is rounded, and 0 keeps none.
        seed, epoch: determine the sample, independently of earlier random draws.
    """
    if keep >= 1.0:
        return list(range(len(documents)))
    negatives = [index for index, document in enumerate(documents) if not document.spans]
    chance = random.Random(f"negatives {seed} {epoch}")  # noqa: S311 - a sample, not a secret
    kept = set(chance.sample(negatives, round(keep * len(negatives))))
    return [index for index, document in enumerate(documents) if document.spans or index in kept]

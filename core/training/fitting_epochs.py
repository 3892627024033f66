"""The default number of epochs for a corpus size: a small corpus needs more passes to get enough steps."""

from __future__ import annotations

import math

# Ten passes over Resume NER: 3,821 documents in batches of 16 (docs/results.md).
STEPS = 2400
LEAST, MOST = 10, 100


def fitting_epochs(documents: int, batch_size: int, share: float = 1.0) -> int:
    """The epochs that a tagger trained from scratch needs, 10 to 100.

    Args:
        documents: number of training documents. batch_size: documents per step.
        share: of these epochs, if fewer are enough.
    """
    steps = max(1, math.ceil(documents / batch_size))
    return math.ceil(share * min(MOST, max(LEAST, math.ceil(STEPS / steps))))

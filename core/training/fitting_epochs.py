"""How many passes a corpus of a given size wants: over a small one a few passes are few steps."""

from __future__ import annotations

import math

# Ten passes over Resume NER: 3,821 documents in batches of 16 (docs/results.md).
STEPS = 2400
LEAST, MOST = 10, 100


def fitting_epochs(documents: int, batch_size: int, share: float = 1.0) -> int:
    """Epochs after which a tagger that starts from scratch has made its steps, 10 to 100.

    Args:
        documents: to learn from. batch_size: documents of one step.
        share: of these epochs, where less is enough.
    """
    steps = max(1, math.ceil(documents / batch_size))
    return math.ceil(share * min(MOST, max(LEAST, math.ceil(STEPS / steps))))

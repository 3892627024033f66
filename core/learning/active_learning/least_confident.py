"""Least confident: the document whose most doubtful predicted span is the most doubtful of all."""

from __future__ import annotations

from core.learning.active_learning.predictions import predictions
from core.learning.active_learning.strategy import Pool, Strategy, Watch

NOTHING_FOUND = 1.0  # where nothing is predicted, no prediction is in doubt


class LeastConfident(Strategy):
    """Lowest span probability of a document; the lowest comes first.

    A span's probability is the CRF's exact marginal of the whole span (constrained forward-backward: Culotta
    and McCallum, Confidence estimation for information extraction, NAACL 2004), or whatever score in [0, 1]
    the tagger gives its spans. Uncertainty sampling: Lewis and Gale, SIGIR 1994.
    """

    def score(self, pool: Pool, watch: Watch) -> list[float | None]:
        found = predictions(pool, watch)
        return [
            min((span.score for span in spans if span.score is not None), default=NOTHING_FOUND)
            for spans in found
        ]

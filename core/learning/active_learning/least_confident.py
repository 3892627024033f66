"""Least confident: documents ordered by the confidence of their least confident span."""

from __future__ import annotations

from core.learning.active_learning.acquisition import Acquisition, Pool, Progress
from core.learning.active_learning.predictions import predictions

NOTHING_FOUND = 1.0  # without predicted spans none is uncertain


class LeastConfident(Acquisition):
    """Lowest span probability of a document; the lowest comes first.

    A span's probability is the CRF's exact marginal of the whole span (constrained forward-backward: Culotta
    and McCallum, Confidence estimation for information extraction, NAACL 2004), or whatever score in [0, 1]
    the tagger gives its spans. Uncertainty sampling: Lewis and Gale, SIGIR 1994.
    """

    def score(self, pool: Pool, progress: Progress) -> list[float | None]:
        predicted = predictions(pool, progress)
        return [
            min((span.score for span in spans if span.score is not None), default=NOTHING_FOUND)
            for spans in predicted
        ]

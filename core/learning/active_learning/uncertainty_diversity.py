"""Uncertainty times diversity: uncertain documents that differ from each other."""

from __future__ import annotations

import numpy as np

from core.learning.active_learning.acquisition import Acquisition, Pool, Progress
from core.learning.active_learning.k_centre import greedy_order, ranks
from core.learning.active_learning.mnlp import Mnlp
from core.learning.active_learning.sentence_vectors import sentence_vectors


class UncertaintyDiversity(Acquisition):
    """Rank of a document in a weighted k-centre greedy, from 1; the lowest comes first.

    The next document has the highest product of uncertainty (minus its MNLP) and distance to labelled or
    already chosen ones. Uncertainty alone chooses batches of similar documents; distance alone chooses
    outliers. Combines Shen et al., ICLR 2018, section 4, with Sener and Savarese, ICLR 2018; the product is
    the information density of Settles and Craven, EMNLP 2008, eq. 9, with distance for density.
    """

    def score(self, pool: Pool, progress: Progress) -> list[float | None]:
        count = len(pool.documents)
        if not count:
            return []
        likely = Mnlp().score(pool, lambda share: progress(share / 3))
        doubt = np.array([0.0 if value is None else max(-value, 0.0) for value in likely])
        everything = [*pool.documents, *pool.labelled]
        vectors = sentence_vectors(everything, pool.tagger, lambda share: progress((1 + share) / 3))
        return ranks(greedy_order(vectors, count, doubt, lambda share: progress((2 + share) / 3)))

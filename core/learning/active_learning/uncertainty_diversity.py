"""Doubtful and diverse: what the tagger doubts, without asking twice about the same."""

from __future__ import annotations

import numpy as np

from core.learning.active_learning.acquisition import Acquisition, Pool, Progress
from core.learning.active_learning.k_centre import greedy_order, places
from core.learning.active_learning.mnlp import Mnlp
from core.learning.active_learning.sentence_vectors import sentence_vectors


class UncertaintyDiversity(Acquisition):
    """The place at which a weighted k-centre greedy chooses a document, from 1; the lowest comes first.

    The next document is the one with the highest product of doubt (minus its MNLP) and distance to what is
    labelled or chosen before it. Doubt alone asks for a batch of documents that are alike; distance alone
    asks for odd ones. Combines Shen et al., ICLR 2018, section 4, with Sener and Savarese, ICLR 2018; the
    product is the information density of Settles and Craven, EMNLP 2008, eq. 9, with distance for density.
    """

    def score(self, pool: Pool, progress: Progress) -> list[float | None]:
        count = len(pool.documents)
        if not count:
            return []
        likely = Mnlp().score(pool, lambda share: progress(share / 3))
        doubt = np.array([0.0 if value is None else max(-value, 0.0) for value in likely])
        everything = [*pool.documents, *pool.labelled]
        vectors = sentence_vectors(everything, pool.tagger, lambda share: progress((1 + share) / 3))
        return places(greedy_order(vectors, count, doubt, lambda share: progress((2 + share) / 3)))

"""A part of a collection that is indexed at once; bm25s, with numba and scipy, is a second to import."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import bm25s
import numpy as np
from numpy.typing import NDArray

from core.retrieval.collection_statistics import Statistics

Floats = NDArray[np.float32]

K1, B = 1.5, 0.75  # Robertson and Zaragoza 2009, section 3.4.4: 1.2 < k1 < 2, 0.5 < b < 0.8


class Segment(bm25s.BM25):
    """bm25s over part of a collection, scored with the statistics of the whole.

    The library computes statistics from the texts it indexes, so a few new texts would be scored on another
    scale. Scores are computed when indexing; a query only sums them.
    """

    def __init__(self, texts: Sequence[Sequence[int]], terms: int, statistics: Statistics) -> None:
        super().__init__(k1=K1, b=B, method="lucene", backend="numpy", csc_backend="numpy")
        self.statistics = statistics
        self.nonoccurrence_array = None
        self.terms = terms
        self.scores = self.build_index_from_ids(range(terms), texts)

    def build_index_from_ids(
        self,
        unique_token_ids: Sequence[int],
        corpus_token_ids: Sequence[Sequence[int]],
        show_progress: bool = False,
        leave_progress: bool = False,
    ) -> dict[str, Any]:
        """``tf / (k1 ((1 - b) + b dl / avdl) + tf)`` times the inverse document frequency, for every term of
        every text.

        Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, equation 3.15.
        """
        width = max(self.terms, 1)
        sizes = np.array([len(text) for text in corpus_token_ids], dtype=np.int64)
        flat = np.fromiter(chain.from_iterable(corpus_token_ids), dtype=np.int64, count=int(sizes.sum()))
        rows = np.repeat(np.arange(len(sizes)), sizes)
        places, counts = np.unique(flat * len(sizes) + rows, return_counts=True)  # by term, then by text
        terms, rows = np.divmod(places, max(len(sizes), 1))
        length = (1 - self.b) + self.b * sizes[rows] / self.statistics.average
        weights = self.statistics.rarity(width)[terms] * counts / (self.k1 * length + counts)
        starts = np.zeros(width + 1, dtype=np.int64)
        np.cumsum(np.bincount(terms, minlength=width), out=starts[1:])
        return {
            "data": weights.astype(self.dtype),
            "indices": rows.astype(self.int_dtype),
            "indptr": starts,
            "num_docs": len(sizes),
        }

    def weigh(self, terms: Sequence[int]) -> Floats:
        """The score of every text for these terms, counted with repetitions."""
        weights: Floats = self.get_scores_from_ids([term for term in terms if term < self.terms])
        return weights

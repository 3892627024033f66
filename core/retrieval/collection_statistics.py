"""What BM25 counts of a collection of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Statistics:
    """Statistics of a collection: number of texts, mean terms per text, document frequency of each term."""

    texts: int
    average: float
    having: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[Sequence[int]], terms: int) -> Statistics:
        sizes = [len(text) for text in texts]
        once = np.fromiter(chain.from_iterable(set(text) for text in texts), dtype=np.int64)
        average = sum(sizes) / len(sizes) if sizes else 0.0
        return cls(len(sizes), average or 1.0, np.bincount(once, minlength=terms))

    def rarity(self, terms: int) -> NDArray[np.float64]:
        """The inverse document frequency ``log(1 + (N - n + 0.5) / (n + 0.5))`` of the first ``terms`` terms.

        Robertson and Spärck Jones' weight (equation 3.3) with 1 added, as in Lucene: otherwise terms in more
        than half of the texts would have negative weights, and one or two texts could not be searched.
        """
        having = np.zeros(terms)
        counted = min(terms, len(self.having))
        having[:counted] = self.having[:counted]
        weights: NDArray[np.float64] = np.log1p((self.texts - having + 0.5) / (having + 0.5))
        return weights

"""k-centre greedy: the next document is the one farthest from all chosen so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from core.learning.active_learning.acquisition import Acquisition, Pool, Progress
from core.learning.active_learning.sentence_vectors import Vectors, sentence_vectors

MOST_CENTRES = 2000  # chosen one by one; nobody labels more before scoring again
CHUNK = 512  # labelled documents compared at a time
Floats = NDArray[np.float64]


class KCentre(Acquisition):
    """The rank at which k-centre greedy chooses a document, from 1; the lowest comes first.

    Sener and Savarese, Active learning for convolutional neural networks: a core-set approach, ICLR 2018,
    algorithm 1, over directions of sentence vectors. Labelled documents are centres from the start. After
    `MOST_CENTRES` choices the others follow, the farthest first.
    """

    def score(self, pool: Pool, progress: Progress) -> list[float | None]:
        count = len(pool.documents)
        if not count:
            return []
        everything = [*pool.documents, *pool.labelled]
        vectors = sentence_vectors(everything, pool.tagger, lambda share: progress(share / 2))
        order = greedy_order(vectors, count, np.ones(count), lambda share: progress(0.5 + share / 2))
        return ranks(order)


def greedy_order(vectors: Vectors, count: int, weights: Floats, progress: Progress) -> list[int]:
    """Rows ``0 … count - 1`` in the order in which the greedy algorithm chooses them.

    The next row is the one with the highest product of weight and distance to its nearest centre, ties in
    order. Rows from ``count`` on are the initial centres; without any, the row nearest the mean comes first.

    Args:
        vectors: ``[N, D]``, unit length. count: rows to order. weights: ``[count]``, not negative.
    """
    nearest = _to_centres(vectors, count)
    chosen: list[int] = []
    left = np.ones(count, dtype=bool)
    while len(chosen) < min(count, MOST_CENTRES):
        worth = weights * (_centrality(vectors, count) if np.isinf(nearest[0]) else nearest)
        pick = int(np.where(left, worth, -1.0).argmax())
        chosen.append(pick)
        left[pick] = False
        np.minimum(nearest, _distances(vectors, count, pick), out=nearest)
        if len(chosen) % 50 == 0:
            progress(len(chosen) / min(count, MOST_CENTRES))
    rest = np.flatnonzero(left)
    return [*chosen, *rest[np.argsort(-(weights * nearest)[rest], kind="stable")].tolist()]


def ranks(order: Sequence[int]) -> list[float | None]:
    """The rank of each row in ``order``, from 1."""
    by_row: list[float | None] = [None] * len(order)
    for place, row in enumerate(order, start=1):
        by_row[row] = float(place)
    return by_row


def _to_centres(vectors: Vectors, count: int) -> Floats:
    """Distance of the first ``count`` rows to the nearest of the others; infinity without any."""
    nearest = np.full(count, np.inf)
    for start in range(count, vectors.shape[0], CHUNK):
        products: Any = vectors[:count] @ vectors[start : start + CHUNK].T
        dense = products.toarray() if issparse(products) else products
        np.minimum(nearest, _from_products(dense.max(axis=1)), out=nearest)
    return nearest


def _distances(vectors: Vectors, count: int, row: int) -> Floats:
    """Distance of the first ``count`` rows to one of them."""
    vector: Any = vectors[[row]]
    column = vector.toarray()[0] if issparse(vector) else vector[0]
    return _from_products(vectors[:count] @ column)


def _from_products(products: NDArray[np.floating]) -> Floats:
    """Euclidean distances of unit vectors from their scalar products."""
    distances: Floats = np.sqrt(np.clip(2.0 - 2.0 * np.asarray(products, dtype=np.float64), 0.0, None))
    return distances


def _centrality(vectors: Vectors, count: int) -> Floats:
    """Scalar product with the mean of all, shifted to [0, 2] so that it can be multiplied by weights."""
    mean = np.asarray(vectors[:count].mean(axis=0)).ravel()
    central: Floats = np.asarray(vectors[:count] @ mean, dtype=np.float64) + 1.0
    return central

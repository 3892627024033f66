"""Vectors in two dimensions: principal components, or t-SNE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.runtime.message import ToldValueError

LEAST = 3  # minimum number of points
PERPLEXITY = 30.0
FIRST_COMPONENTS = 50  # wider vectors are reduced to these for t-SNE (van der Maaten and Hinton, 2008)


class TooFewVectors(ToldValueError):
    """Fewer vectors than a projection needs; ``count`` of them."""

    def __init__(self, count: int) -> None:
        super().__init__("a projection needs at least {least} vectors, got {count}", least=LEAST, count=count)
        self.count = count


@dataclass(frozen=True, slots=True)
class Projection:
    """Points in the plane.

    Args:
        points: ``[N, 2]``. explained: share of variance along each axis; None if the axes have no meaning
            (t-SNE).
    """

    points: np.ndarray
    explained: tuple[float, float] | None = None


def principal_components(vectors: np.ndarray) -> Projection:
    """The first two principal components of ``[N, D]``, computed exactly (Pearson 1901).

    Raises:
        TooFewVectors: there are fewer than three.
    """
    from sklearn.decomposition import PCA

    _check(vectors)
    if vectors.shape[1] < 2:
        vectors = np.pad(vectors, ((0, 0), (0, 2 - vectors.shape[1])))
    if not vectors.var(axis=0).any():  # identical vectors have no principal components
        return Projection(np.zeros((len(vectors), 2)), (0.0, 0.0))
    solver: Any = "covariance_eigh" if len(vectors) > vectors.shape[1] else "full"
    pca = PCA(2, svd_solver=solver)
    points = pca.fit_transform(vectors.astype(np.float64))
    first, second = pca.explained_variance_ratio_
    return Projection(points, (float(first), float(second)))


def neighbour_embedding(vectors: np.ndarray, *, seed: int = 0) -> Projection:
    """t-SNE (van der Maaten and Hinton, JMLR 2008): preserves neighbourhoods, not distances.

    Initialised with the principal components, so that it is deterministic; vectors wider than fifty are first
    reduced to their first fifty components.

    Raises:
        TooFewVectors: there are fewer than three.
    """
    from sklearn.decomposition import PCA
    from sklearn.manifold import TSNE

    _check(vectors)
    given = vectors.astype(np.float64)
    if not given.var(axis=0).any():
        return Projection(np.zeros((len(given), 2)))
    most = min(FIRST_COMPONENTS, len(given), given.shape[1])
    if given.shape[1] > most:
        given = PCA(most, svd_solver="full").fit_transform(given)
    wanted = min(PERPLEXITY, (len(given) - 1) / 3)
    start: Any = "pca" if given.shape[1] >= 2 else "random"
    tsne = TSNE(2, perplexity=wanted, init=start, random_state=seed)
    return Projection(tsne.fit_transform(given).astype(np.float64))


def _check(vectors: np.ndarray) -> None:
    if len(vectors) < LEAST:
        raise TooFewVectors(len(vectors))

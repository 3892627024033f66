"""Nearest neighbours among word vectors, by cosine."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from core.encoders.subword_vectors import with_subword_vectors
from core.encoders.word_vectors import read_vec


class Neighbour(NamedTuple):
    """A token and the cosine between its vector and that of the query."""

    token: str
    cosine: float


def nearest(path: Path, token: str, count: int = 10) -> list[Neighbour]:
    """The tokens of a ``.vec`` file nearest to a token, nearest first.

    A token missing from the file gets a vector from its subwords, if fastText left them beside it; without
    those, and for a zero vector, there are no neighbours.

    Raises:
        VectorsError: the file cannot be read.
    """
    stored = read_vec(path)
    with_subwords = with_subword_vectors(stored, str(path), [token])
    if token not in with_subwords.tokens:
        return []
    query = with_subwords.values[with_subwords.tokens.index(token)].astype(np.float64)
    lengths = np.linalg.norm(stored.values.astype(np.float64), axis=1)
    if not np.linalg.norm(query):
        return []
    cosines = stored.values @ query / np.maximum(lengths * np.linalg.norm(query), 1e-12)
    order = np.argsort(-cosines, kind="stable")
    neighbours = [Neighbour(stored.tokens[row], float(cosines[row])) for row in order[: count + 1]]
    return [neighbour for neighbour in neighbours if neighbour.token != token][:count]

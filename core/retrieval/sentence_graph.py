"""TextRank: the key sentences of a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from sklearn.feature_extraction.text import CountVectorizer

from core.text.segmentation import sentences

DAMPING = 0.85  # the paper's d
NEIGHBOURS = 30  # strongest edges kept per sentence; a full graph of 20,000 would have 200 million
COMMON = 2000  # bigrams of more sentences are ignored; the cost is quadratic in their number
CHUNK = 256
LONG = 12  # minimum sentences of a text with key sentences
MOST_RANKED = 5000  # per text, about 150,000 characters of Chinese; later ones are not ranked
SHARE = 10  # sentences per key sentence
FEWEST, MOST = 3, 10
Floats = NDArray[np.float64]
Progress = Callable[[float], None]  # called with the fraction done; may raise to stop


@dataclass(frozen=True, slots=True)
class KeySentence:
    """The offsets of a sentence, and its rank relative to the mean."""

    start: int
    end: int
    rank: float


def key_sentences(text: str, count: int | None = None) -> list[KeySentence]:
    """The sentences that are most similar to the others, highest rank first.

    Mihalcea and Tarau, TextRank: bringing order into texts, EMNLP 2004, section 5, on `similarity_graph`;
    the ranks are networkx's PageRank. Ties are in reading order. A text of fewer than `LONG` sentences, or
    without shared terms, has none.

    Args:
        count: their number; None for one per `SHARE` sentences, from `FEWEST` to `MOST`.
    """
    import networkx

    places = [place for place in _trimmed(text) if place[0] < place[1]][:MOST_RANKED]
    if len(places) < LONG:
        return []
    graph = similarity_graph([text[start:end] for start, end in places])
    if not graph.nnz:
        return []
    ranks = networkx.pagerank(networkx.from_scipy_sparse_array(graph), alpha=DAMPING, tol=1e-10, max_iter=200)
    if count is None:
        count = min(max(len(places) // SHARE, FEWEST), MOST)
    # Rounded, because ranks of similar sentences differ only in the last digits.
    chosen = sorted(range(len(places)), key=lambda number: (-round(ranks[number] * len(places), 6), number))
    return [KeySentence(*places[number], ranks[number] * len(places)) for number in chosen[:count]]


def _trimmed(text: str) -> list[tuple[int, int]]:
    """The sentences without surrounding blanks."""
    trimmed = []
    for start, end in sentences(text):
        piece = text[start:end]
        trimmed.append((start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())))
    return trimmed


def similarity_graph(texts: Sequence[str], progress: Progress = lambda share: None) -> csr_array:
    """Symmetric weights ``[N, N]``: shared bigrams divided by the sum of the logarithms of their numbers.

    ``|A ∩ B| / (log |A| + log |B|)``, the paper's equation in section 5.1; 0 if both have one bigram.
    Character bigrams replace words, because Chinese has no blanks between words. Two limits bound the cost:
    `NEIGHBOURS` edges per sentence, and bigrams in more than `COMMON` sentences are ignored.
    """
    if not any(len(text) > 1 for text in texts):
        return csr_array((len(texts), len(texts)), dtype=np.float64)
    reader = CountVectorizer(analyzer="char", ngram_range=(2, 2), lowercase=False, binary=True)
    incidence = csr_array(reader.fit_transform(texts), dtype=np.float64)
    logs = np.log(np.maximum(incidence.sum(axis=1), 1.0))
    rare = np.flatnonzero(incidence.sum(axis=0) <= COMMON)
    incidence = csr_array(incidence[:, rare])
    columns = csr_array(incidence.T)
    rows: list[NDArray[np.int64]] = []
    others: list[NDArray[np.int64]] = []
    weights: list[Floats] = []
    for start in range(0, len(texts), CHUNK):
        shared = csr_array(incidence[start : start + CHUNK] @ columns)
        for at in range(shared.shape[0]):
            row = start + at
            near = slice(shared.indptr[at], shared.indptr[at + 1])
            neighbours, strength = _strongest(row, shared.indices[near], shared.data[near], logs)
            rows.append(np.full(len(neighbours), row))
            others.append(neighbours)
            weights.append(strength)
        progress(min(start + CHUNK, len(texts)) / len(texts))
    place = (np.concatenate(rows), np.concatenate(others))
    kept = csr_array(coo_array((np.concatenate(weights), place), shape=(len(texts), len(texts))))
    return csr_array(kept.maximum(kept.T))


def _strongest(
    row: int, others: NDArray[np.int32], shared: Floats, logs: Floats
) -> tuple[NDArray[np.int64], Floats]:
    """The strongest neighbours of a sentence, with their weights."""
    scale = logs[row] + logs[others]
    fit = (others != row) & (scale > 0)
    neighbours, strength = others[fit].astype(np.int64), shared[fit] / scale[fit]
    if len(neighbours) > NEIGHBOURS:
        top = np.argpartition(-strength, NEIGHBOURS)[:NEIGHBOURS]
        neighbours, strength = neighbours[top], strength[top]
    return neighbours, strength

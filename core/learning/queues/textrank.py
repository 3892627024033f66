"""TextRank: the sentences that most others resemble."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from sklearn.feature_extraction.text import CountVectorizer

from core.learning.queues.strategy import Pool, Strategy, Watch
from core.text import Document
from core.text.segmentation import sentences

DAMPING = 0.85  # the paper's d
NEIGHBOURS = 30  # strongest edges a sentence keeps: a full graph of 20,000 would have 200 million
COMMON = 2000  # a bigram of more sentences than this joins none; it would cost their square
CHUNK = 256
TOLERANCE = 1e-8
MOST_ROUNDS = 200
Floats = NDArray[np.float64]


class TextRank(Strategy):
    """TextRank of a document's foremost sentence, times the number of sentences; the highest comes first.

    1 is what an average sentence has. Mihalcea and Tarau, TextRank: bringing order into texts, EMNLP 2004,
    section 5.1, with character bigrams for words, since Chinese has no blanks between them. Two limits keep
    it cheap: `NEIGHBOURS` edges a sentence, and bigrams of more than `COMMON` sentences are not read.
    """

    def score(self, pool: Pool, watch: Watch) -> list[float | None]:
        texts, owner = split_sentences(pool.documents)
        if not texts:
            return [None for _ in pool.documents]
        ranks = pagerank(similarity_graph(texts, watch)) * len(texts)
        best: list[float | None] = [None for _ in pool.documents]
        for index, rank in zip(owner, ranks.tolist(), strict=True):
            before = best[index]
            best[index] = rank if before is None else max(before, rank)
        return best


def split_sentences(documents: Sequence[Document]) -> tuple[list[str], list[int]]:
    """Every sentence of every document, and the number of the document each is from."""
    texts, owner = [], []
    for index, document in enumerate(documents):
        for start, end in sentences(document.text):
            texts.append(document.text[start:end].strip())
            owner.append(index)
    return texts, owner


def similarity_graph(texts: Sequence[str], watch: Watch) -> csr_array:
    """Symmetric weights ``[N, N]``: shared bigrams over the summed logarithms of how many each has.

    ``|A ∩ B| / (log |A| + log |B|)``, the paper's equation in section 5.1; 0 where both have one bigram.
    """
    if not any(len(text) > 1 for text in texts):
        return csr_array((len(texts), len(texts)), dtype=np.float64)
    reader = CountVectorizer(analyzer="char", ngram_range=(2, 2), lowercase=False, binary=True)
    held = csr_array(reader.fit_transform(texts), dtype=np.float64)
    logs = np.log(np.maximum(held.sum(axis=1), 1.0))
    rare = np.flatnonzero(held.sum(axis=0) <= COMMON)
    held = csr_array(held[:, rare])
    columns = csr_array(held.T)
    rows: list[NDArray[np.int64]] = []
    others: list[NDArray[np.int64]] = []
    weights: list[Floats] = []
    for start in range(0, len(texts), CHUNK):
        shared = csr_array(held[start : start + CHUNK] @ columns)
        for at in range(shared.shape[0]):
            row = start + at
            near = slice(shared.indptr[at], shared.indptr[at + 1])
            found, strength = _strongest(row, shared.indices[near], shared.data[near], logs)
            rows.append(np.full(len(found), row))
            others.append(found)
            weights.append(strength)
        watch(min(start + CHUNK, len(texts)) / len(texts))
    place = (np.concatenate(rows), np.concatenate(others))
    kept = csr_array(coo_array((np.concatenate(weights), place), shape=(len(texts), len(texts))))
    return csr_array(kept.maximum(kept.T))


def _strongest(
    row: int, others: NDArray[np.int32], shared: Floats, logs: Floats
) -> tuple[NDArray[np.int64], Floats]:
    """The neighbours of one sentence that it keeps, and how strongly each resembles it."""
    scale = logs[row] + logs[others]
    fit = (others != row) & (scale > 0)
    found, strength = others[fit].astype(np.int64), shared[fit] / scale[fit]
    if len(found) > NEIGHBOURS:
        top = np.argpartition(-strength, NEIGHBOURS)[:NEIGHBOURS]
        found, strength = found[top], strength[top]
    return found, strength


def pagerank(graph: csr_array) -> Floats:
    """Weighted PageRank of every node of an undirected graph, summing to 1.

    ``(1 - d) / N + d * sum_j w_ji / sum_k w_jk * rank_j`` until it rests; a node without edges gives its rank
    to all alike.
    """
    count = graph.shape[0]
    degree = np.asarray(graph.sum(axis=1)).ravel()
    alone = degree == 0
    ranks = np.full(count, 1.0 / count)
    for _ in range(MOST_ROUNDS):
        given = np.where(alone, 0.0, ranks / np.where(alone, 1.0, degree))
        spread = DAMPING * (graph.T @ given + ranks[alone].sum() / count) + (1.0 - DAMPING) / count
        change = float(np.abs(spread - ranks).sum())
        ranks = spread
        if change < TOLERANCE:
            break
    return ranks / math.fsum(ranks.tolist())

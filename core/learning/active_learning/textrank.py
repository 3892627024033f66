"""TextRank: documents whose sentences resemble many others."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from core.learning.active_learning.acquisition import Acquisition, Pool, Progress
from core.retrieval.sentence_graph import DAMPING, Floats, similarity_graph
from core.text import Document
from core.text.segmentation import sentences

TOLERANCE = 1e-8
MOST_ROUNDS = 200


class TextRank(Acquisition):
    """Highest TextRank of a document's sentences times the number of all; the highest comes first.

    An average sentence has 1. Mihalcea and Tarau, TextRank: bringing order into texts, EMNLP 2004, section
    5.1, on the graph of `similarity_graph`.
    """

    def score(self, pool: Pool, progress: Progress) -> list[float | None]:
        texts, owner = split_sentences(pool.documents)
        if not texts:
            return [None for _ in pool.documents]
        ranks = pagerank(similarity_graph(texts, progress)) * len(texts)
        best: list[float | None] = [None for _ in pool.documents]
        for index, rank in zip(owner, ranks.tolist(), strict=True):
            before = best[index]
            best[index] = rank if before is None else max(before, rank)
        return best


def split_sentences(documents: Sequence[Document]) -> tuple[list[str], list[int]]:
    """The sentences of all documents, and the document index of each."""
    texts, owner = [], []
    for index, document in enumerate(documents):
        for start, end in sentences(document.text):
            texts.append(document.text[start:end].strip())
            owner.append(index)
    return texts, owner


def pagerank(graph: csr_array) -> Floats:
    """Weighted PageRank of every node of an undirected graph, summing to 1.

    Iterates ``(1 - d) / N + d * sum_j w_ji / sum_k w_jk * rank_j`` until convergence; a node without edges
    distributes its rank evenly. networkx gives the same numbers, but for a whole queue its graph of
    dictionaries would double the time of the similarities (docs/results.md).
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

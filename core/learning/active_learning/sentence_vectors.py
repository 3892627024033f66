"""Text vectors: the mean of the tagger's token states, or bigrams without a tagger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from core.learning.active_learning.acquisition import Progress
from core.taggers.base.tagger import Tagger
from core.taggers.base.tagging import batches_by_cost, pieces_to_tag
from core.text import Document

# Rows of unit length, or zeros for empty texts.
Vectors: TypeAlias = NDArray[np.float32] | csr_array
Floats = NDArray[np.float32]


def sentence_vectors(documents: Sequence[Document], tagger: Tagger | None, progress: Progress) -> Vectors:
    """One row for each document, ``[N, D]``, of unit length."""
    if tagger is not None:
        vectors = state_vectors(documents, tagger, progress)
        if vectors is not None:
            return vectors
    return bigram_vectors(documents)


def state_vectors(documents: Sequence[Document], tagger: Tagger, progress: Progress) -> Floats | None:
    """Mean of the hidden states the tagger scores; None for a tagger without any, like the dictionary."""
    pieces = pieces_to_tag(tagger, documents)
    sums: Floats | None = None
    done = 0
    for group in batches_by_cost(pieces):
        batch = tagger.collate([piece.text for piece in group]).to(tagger.device)
        layers = tagger.layer_states(batch)
        if not layers:
            return None
        states = layers[-1].states.float().cpu().numpy()
        if sums is None:
            sums = np.zeros((len(documents), states.shape[2]), dtype=np.float32)
        for row, piece in enumerate(group):
            sums[piece.document] += states[row, piece.core].sum(0)
        done += len(group)
        progress(done / len(pieces))
    if sums is None:
        return None
    unit: Floats = normalize(sums)  # the mean has the direction of the sum
    return unit


def bigram_vectors(documents: Sequence[Document]) -> csr_array:
    """TF-IDF of the character bigrams of each text, sparse."""
    texts = [document.text for document in documents]
    if not any(len(text) > 1 for text in texts):
        return csr_array((len(texts), 1), dtype=np.float32)
    weights = TfidfVectorizer(
        analyzer="char", ngram_range=(2, 2), sublinear_tf=True, dtype=np.float32, lowercase=False
    )
    return csr_array(weights.fit_transform(texts))

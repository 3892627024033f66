"""The arrays of FLAT."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.export.onnx.features.features import Arrays
from core.export.onnx.features.sequence import CharacterFeatures
from core.text import Document


class FlatFeatures(CharacterFeatures):
    """And the words of the lattice, with the relative distances of all nodes.

    A batch has few different pairs of span lengths and distances: the encodings are computed once for each
    (``distances``), and ``char_pairs`` and ``word_pairs`` say which of them a character and a word have, and
    a word and any node. Those of two characters need no array.
    """

    def __call__(self, documents: Sequence[Document]) -> Arrays:
        arrays = super().__call__(documents)
        lattices = self.sources.lattices(documents)
        table = self.sources.vocabularies["words"]
        # One word column at least, masked where there is none: graphs keep their shape.
        counts = np.array([len(lattice.words) for lattice in lattices])
        words = max(int(counts.max(initial=0)), 1)
        chars = arrays["mask"].shape[1]
        rows = np.zeros((len(lattices), words), dtype=np.int64)
        heads = np.zeros((len(lattices), chars + words), dtype=np.int64)
        heads[:, :chars] = np.arange(chars)
        gaps = np.zeros_like(heads)
        for number, lattice in enumerate(lattices):
            count = len(lattice.words)
            rows[number, :count] = table.rows([word.word for word in lattice.words])
            heads[number, chars : chars + count] = [word.head for word in lattice.words]
            gaps[number, chars : chars + count] = [word.tail - word.head for word in lattice.words]
        characters, both, after = slice(0, chars), slice(None), slice(chars, None)
        distances, char_pairs = _encoded_pairs(heads, gaps, characters, after)
        arrays.update(
            word_rows=rows,
            word_mask=np.arange(words) < counts[:, None],
            char_distances=distances,
            char_pairs=char_pairs,
        )
        if self.sources.word_queries:
            arrays["word_distances"], arrays["word_pairs"] = _encoded_pairs(heads, gaps, after, both)
        return arrays


def _encoded_pairs(
    heads: NDArray[np.int64], gaps: NDArray[np.int64], queries: slice, keys: slice
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The four distances of every different pair ``[U, 4]`` (Li et al. 2020, eq. 4 to 7), and the pair of
    each query and key, ``[B, Q, K]``."""
    d = heads[:, queries, None] - heads[:, None, keys]  # shape: (B, Q, K)
    a = gaps[:, queries, None]
    b = gaps[:, None, keys]
    farthest, widest = int(heads.max(initial=0)), int(gaps.max(initial=0)) + 1
    code = ((d + farthest) * widest + a) * widest + b
    present = np.zeros((2 * farthest + 1) * widest * widest, dtype=np.bool_)
    present[code] = True
    codes = np.flatnonzero(present)
    place = np.cumsum(present) - 1
    d, a, b = codes // (widest * widest) - farthest, codes // widest % widest, codes % widest
    return np.stack([d, d - b, d + a, d + a - b], axis=1), place[code]

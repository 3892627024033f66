"""Texts to the arrays that a graph reads, without torch: one class per kind of tagger.

The names of the arrays are those of the graph's inputs; `core.export.onnx.graphs` has the other side.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.encoders.piece_pooling import word_indices
from core.encoders.piece_windows import PieceWindows
from core.encoders.vocabulary import Vocabulary, bigrams
from core.lexicon import Lattice, Lexicon
from core.taggers.sequence.spellings import token_rows
from core.taggers.soft_lexicon.word_sets import WordEntries, segment_tags
from core.text import Document
from core.text.units import Units, units_of

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Sources:
    """What the features of every tagger are made from.

    Args:
        unit: ``character`` or ``word``. vocabularies: by the name of their table.
        lexicon: the words to match; None for none. longest_word: longer ones are left out; 0 keeps all.
        pieces: tokenises for a transformer; None without one.
        pooling: words: ``first`` or ``mean`` of a word's pieces.
        lexicon_features: of SoftLexicon: ``soft``, ``softword`` or ``exsoftword``.
        word_queries: of FLAT: whether words attend too, as in every layer but the last.
    """

    unit: str
    vocabularies: Mapping[str, Vocabulary]
    lexicon: Lexicon | None = None
    longest_word: int = 0
    pieces: PieceWindows | None = None
    pooling: str = "first"
    lexicon_features: str = "soft"
    word_queries: bool = False

    def units(self, document: Document) -> Units:
        """The units of a document."""
        return units_of(document, "word" if self.unit == "word" else "character")

    def lattices(self, documents: Sequence[Document]) -> list[Lattice]:
        """The units of every document, and the words matched over them."""
        return [
            Lattice.of(document.text, self.lexicon, self.longest_word, self.units(document))
            for document in documents
        ]


class Features(ABC):
    """Documents with at least one unit each to the inputs of a graph.

    Args:
        sources: vocabularies, lexicon, tokeniser.
    """

    def __init__(self, sources: Sources) -> None:
        self.sources = sources

    @abstractmethod
    def __call__(self, documents: Sequence[Document]) -> Arrays:
        """The inputs by name; the first axis of ``mask`` ``[B, T]`` counts the documents."""

    @staticmethod
    def edges(arrays: Arrays) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Where a span may start, and where it may end (inclusive), ``[B, T]``: with word pieces at the first
        and the last unit of each, as in `core.taggers.base.pair_labels.piece_edges`, otherwise anywhere."""
        if "unit_pieces" not in arrays:
            return arrays["mask"], arrays["mask"]
        pieces: NDArray[np.int64] = arrays["unit_pieces"]
        starts: NDArray[np.bool_] = np.any(pieces >= 0, axis=2)
        ends = starts.copy()
        same: NDArray[np.bool_] = np.all(pieces[:, 1:] == pieces[:, :-1], axis=2)
        starts[:, 1:] &= ~same
        ends[:, :-1] &= ~same
        return starts, ends

    def mask(self, documents: Sequence[Document]) -> NDArray[np.bool_]:
        """True at units, ``[B, T]``."""
        lengths = np.array([len(self.sources.units(document)) for document in documents])
        return np.arange(lengths.max(initial=0)) < lengths[:, None]

    def piece_arrays(self, documents: Sequence[Document]) -> Arrays:
        """The pieces of a transformer, and those of every unit; nothing without one."""
        if self.sources.pieces is None:
            return {}
        texts = [document.text for document in documents]
        arrays = {name: part for name, part in self.sources.pieces.arrays(texts).items() if part is not None}
        characters: NDArray[np.int64] = arrays["characters"].astype(np.int64)
        if self.sources.unit == "word":
            units = [self.sources.units(document) for document in documents]
            characters = word_indices(characters, arrays["start"], arrays["end"], units, self.sources.pooling)
        return {
            "piece_ids": arrays["ids"],
            "piece_mask": arrays["mask"].astype(np.int64),
            "piece_types": arrays["types"],
            # One column more than needed, so that a batch of blanks has one too.
            "unit_pieces": np.pad(characters, ((0, 0), (0, 0), (0, 1)), constant_values=-1),
        }


class PieceFeatures(Features):
    """Of a fine-tuned transformer."""

    def __call__(self, documents: Sequence[Document]) -> Arrays:
        return {"mask": self.mask(documents), **self.piece_arrays(documents)}


class CharacterFeatures(Features):
    """Of a tagger over tables of characters and bigrams, or of words."""

    def __call__(self, documents: Sequence[Document]) -> Arrays:
        tables = self.sources.vocabularies
        texts = [document.text for document in documents]
        if self.sources.unit == "word":
            surfaces = [self.sources.units(document).surfaces(document.text) for document in documents]
            rows = token_rows(surfaces, tables)
        else:
            rows = {"characters": [tables["characters"].rows(text) for text in texts]}
            if "bigrams" in tables:
                rows["bigrams"] = [tables["bigrams"].rows(bigrams(text)) for text in texts]
        arrays = {name: padded(part) for name, part in rows.items()}
        return {"mask": self.mask(documents), **arrays, **self.piece_arrays(documents)}


class SoftLexiconFeatures(CharacterFeatures):
    """And the word sets of every character."""

    def __call__(self, documents: Sequence[Document]) -> Arrays:
        arrays = super().__call__(documents)
        lattices = self.sources.lattices(documents)
        if self.sources.lexicon_features == "softword":
            arrays["segments"] = padded([segment_tags(lattice) for lattice in lattices])
            return arrays
        entries = WordEntries.of(lattices, [self.sources.lexicon] * len(lattices), arrays["mask"].shape[1])
        slots, rows = entries.slots, np.zeros(0, dtype=np.int64)
        if self.sources.lexicon_features == "soft":
            found = np.array(self.sources.vocabularies["words"].rows(entries.surfaces), dtype=np.int64)
            rows = found[entries.word]
        arrays["slots"] = slots
        if self.sources.lexicon_features == "soft":
            arrays["words"] = rows
        return arrays


class LrCnnFeatures(CharacterFeatures):
    """And the words of every length, with the positions of their first and last characters."""

    def __call__(self, documents: Sequence[Document]) -> Arrays:
        arrays = super().__call__(documents)
        chars = arrays["mask"].shape[1]
        words = [
            (row * chars + word.head, row * chars + word.tail, word.word)
            for row, lattice in enumerate(self.sources.lattices(documents))
            for word in lattice.words
        ]
        # One word of no length, which no layer reads: graphs keep their shape.
        firsts, lasts = [0, *(first for first, _, _ in words)], [0, *(last for _, last, _ in words)]
        rows = [0, *self.sources.vocabularies["words"].rows([word for _, _, word in words])]
        arrays["words"] = np.array(rows, dtype=np.int64)
        arrays["word_first"] = np.array(firsts, dtype=np.int64)
        arrays["word_last"] = np.array(lasts, dtype=np.int64)
        arrays["word_length"] = np.array([0, *(last - first + 1 for first, last, _ in words)], dtype=np.int64)
        return arrays


class FlatFeatures(CharacterFeatures):
    """And the words of the lattice, with the relative distances of all nodes.

    A batch has few different pairs of span lengths and distances: the encodings are computed once for each
    (``distances``), and ``char_pairs`` and ``word_pairs`` say which of them a pair of nodes has.
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
        distances, char_pairs = _encoded_pairs(heads, gaps, slice(0, chars))
        arrays.update(
            word_rows=rows,
            word_mask=np.arange(words) < counts[:, None],
            char_distances=distances,
            char_pairs=char_pairs,
        )
        if self.sources.word_queries:
            arrays["word_distances"], arrays["word_pairs"] = _encoded_pairs(heads, gaps, slice(chars, None))
        return arrays


def _encoded_pairs(
    heads: NDArray[np.int64], gaps: NDArray[np.int64], queries: slice
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The four distances of every different pair ``[U, 4]`` (Li et al. 2020, eq. 4 to 7), and the pair of
    each query and key, ``[B, Q, L]``."""
    d = heads[:, queries, None] - heads[:, None]  # shape: (B, Q, L)
    a = gaps[:, queries, None]
    b = gaps[:, None]
    farthest, widest = int(heads.max(initial=0)), int(gaps.max(initial=0)) + 1
    code = ((d + farthest) * widest + a) * widest + b
    present = np.zeros((2 * farthest + 1) * widest * widest, dtype=np.bool_)
    present[code] = True
    codes = np.flatnonzero(present)
    place = np.cumsum(present) - 1
    d, a, b = codes // (widest * widest) - farthest, codes // widest % widest, codes % widest
    return np.stack([d, d - b, d + a, d + a - b], axis=1), place[code]


def padded(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Rows of different lengths as ``[B, longest]``, padded with zeros."""
    table = np.zeros((len(rows), max(map(len, rows), default=0)), dtype=np.int64)
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    return table


FEATURES: dict[str, type[Features]] = {
    "bert": PieceFeatures,
    "bilstm_crf": CharacterFeatures,
    "flat": FlatFeatures,
    "lr_cnn": LrCnnFeatures,
    "soft_lexicon": SoftLexiconFeatures,
}

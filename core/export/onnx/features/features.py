"""What the arrays that a graph reads are made from, and the base of what makes them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.encoders.piece_pooling import word_indices
from core.encoders.piece_windows import PieceWindows
from core.encoders.vocabulary import Vocabulary
from core.lexicon import Lattice, Lexicon
from core.text import Document
from core.text.units import Units, units_of

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class ElmoReading:
    """How an ELMo reads text.

    Args:
        unit: of a token, ``word`` or ``character``. longest: maximum rows of a token. widest: width of the
            widest filter.
    """

    unit: str
    longest: int
    widest: int


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
        queries: of BERT-MRC: that of every label. elmo: how an ELMo reads; None without one.
    """

    unit: str
    vocabularies: Mapping[str, Vocabulary]
    lexicon: Lexicon | None = None
    longest_word: int = 0
    pieces: PieceWindows | None = None
    pooling: str = "first"
    lexicon_features: str = "soft"
    word_queries: bool = False
    queries: tuple[str, ...] = ()
    elmo: ElmoReading | None = None

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

    def queries(self, documents: Sequence[Document]) -> Sequence[str] | None:
        """What is read before each text; None for nothing."""
        return None

    def piece_arrays(self, documents: Sequence[Document]) -> Arrays:
        """The pieces of a transformer, and those of every unit; nothing without one."""
        if self.sources.pieces is None:
            return {}
        texts, queries = [document.text for document in documents], self.queries(documents)
        found = self.sources.pieces.arrays(texts, queries)
        arrays = {name: part for name, part in found.items() if part is not None}
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


def padded(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Rows of different lengths as ``[B, longest]``, padded with zeros."""
    table = np.zeros((len(rows), max(map(len, rows), default=0)), dtype=np.int64)
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
    return table

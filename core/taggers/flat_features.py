"""What FLAT reads: characters, bigrams and the words of the lattice, as rows of embedding tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from core import layers
from core.encoders.vocabulary import Vocabulary
from core.lexicon import Lattice
from core.taggers.tagger import Batch
from core.text import Document


@dataclass(frozen=True)
class FlatBatch(Batch):
    """Sentences as FLAT reads them. B sentences, T most characters, W most words, L most nodes.

    Args:
        documents: the sentences.
        lattices: their lattices, for traces.
        characters, bigrams: table rows, ``[B, T]``.
        words: table rows, ``[B, W]``.
        source: where node l of a sentence stands in its characters followed by its words, that is in
            ``T + W`` columns, ``[B, L]``; 0 at padding.
        nodes: positions and lengths. tags: gold tags, ``[B, T]``; 0 at padding.
    """

    documents: tuple[Document, ...]
    lattices: tuple[Lattice, ...]
    characters: Tensor
    bigrams: Tensor | None
    words: Tensor
    source: Tensor
    nodes: layers.Lattice
    tags: Tensor

    def to(self, device: torch.device | str) -> FlatBatch:
        return FlatBatch(
            self.documents,
            self.lattices,
            self.characters.to(device),
            None if self.bigrams is None else self.bigrams.to(device),
            self.words.to(device),
            self.source.to(device),
            self.nodes.to(device),
            self.tags.to(device),
        )


def node_sources(lattices: Sequence[Lattice]) -> Tensor:
    """See ``source`` of :class:`FlatBatch`."""
    most = max((lattice.characters for lattice in lattices), default=0)
    rows = [[*range(lattice.characters), *range(most, most + len(lattice.words))] for lattice in lattices]
    return padded(rows)


def node_positions(lattices: Sequence[Lattice]) -> layers.Lattice:
    """Heads, tails and lengths as tensors."""
    return layers.Lattice.of_words(
        [lattice.characters for lattice in lattices],
        [[(word.head, word.tail) for word in lattice.words] for lattice in lattices],
    )


def padded(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of unequal length as one ``[B, longest]`` int64 tensor, zeros behind."""
    width = max((len(row) for row in rows), default=0)
    filled = [[*row, *[0] * (width - len(row))] for row in rows]
    return torch.tensor(filled, dtype=torch.long).view(len(rows), width)


def word_rows(lattices: Sequence[Lattice], vocabulary: Vocabulary) -> Tensor:
    """Table rows of the words of every lattice, ``[B, W]``."""
    return padded([vocabulary.rows([word.word for word in lattice.words]) for lattice in lattices])

"""The BMES word sets of every character, and its tag in one segmentation, as plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.lexicon import Lattice, Lexicon, Match
from core.lexicon.lattice import single_characters
from core.lexicon.maximum_matching import segment

Integers = NDArray[np.int64]
# The order of the sets in `core.layers.set_pooling`, which needs torch.
BEGIN, MIDDLE, END, SINGLE = range(4)
SETS = 4


@dataclass(frozen=True, slots=True)
class WordEntries:
    """The entries of words in the sets of characters.

    Args:
        surfaces: every occurrence of a word. word: the occurrence of an entry, ``[E]``.
        slots: ``4 * character + set`` of the entry, ``[E]``.
    """

    surfaces: list[str]
    word: Integers
    slots: Integers

    @classmethod
    def of(cls, lattices: Sequence[Lattice], lexicons: Sequence[Lexicon | None], stride: int) -> WordEntries:
        """The entries of lattices, each with its lexicon; character t of text b is ``b * stride + t``."""
        surfaces: list[str] = []
        starts: list[int] = []
        sizes: list[int] = []
        for index, (lattice, lexicon) in enumerate(zip(lattices, lexicons, strict=True)):
            for surface, head, tail in words_in(lattice, lexicon):
                surfaces.append(surface)
                starts.append(index * stride + head)
                sizes.append(tail - head + 1)
        start, size = np.array(starts, dtype=np.int64), np.array(sizes, dtype=np.int64)
        word = np.repeat(np.arange(len(size)), size)
        within = np.arange(len(word)) - np.repeat(np.cumsum(size) - size, size)
        sets = np.where(within == 0, BEGIN, np.where(within == size[word] - 1, END, MIDDLE))
        sets[size[word] == 1] = SINGLE
        return cls(surfaces, word, SETS * (start[word] + within) + sets)


def words_in(lattice: Lattice, lexicon: Lexicon | None) -> list[Match]:
    """The words of a lattice, then those of a single character, which are none of its words."""
    if lexicon is None:
        return []
    return [*lattice.words, *single_characters(lattice, lexicon)]


def segment_tags(lattice: Lattice) -> list[int]:
    """The BMES tag of every character, by bidirectional maximum matching.

    Unlike a statistical segmenter, it follows the lexicon at once when a word is added.
    """
    tags: list[int] = []
    for start, end in segment(lattice.characters, [(word.head, word.tail + 1) for word in lattice.words]):
        tags += [SINGLE] if end - start == 1 else [BEGIN, *[MIDDLE] * (end - start - 2), END]
    return tags

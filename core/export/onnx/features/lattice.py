"""The arrays of Lattice LSTM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.export.onnx.features.features import Arrays
from core.export.onnx.features.sequence import CharacterFeatures
from core.lexicon import Lattice
from core.text import Document

# Registers of no word: one that is read where no word ends and stays zero, and one that is written where no
# word begins.
EMPTY, UNUSED = 0, 1


class _Word(NamedTuple):
    """A word in one direction: the place of its row, its sentence, first and last step, and register."""

    entry: int
    row: int
    begin: int
    end: int
    register: int


class LatticeLstmFeatures(CharacterFeatures):
    """And which words begin and end at every step of either direction, the second of which reads mirrored.

    A word is open from its first step to its last, and has a register of its own meanwhile, so that the graph
    keeps few of them. T steps, at most L words that begin at one, and A that end at one in a text.
    """

    def __call__(self, documents: Sequence[Document]) -> Arrays:
        arrays = super().__call__(documents)
        lattices = self.sources.lattices(documents)
        sides = [_opened(_words(lattices, mirrored)) for mirrored in (False, True)]
        batch, steps = arrays["mask"].shape
        words = [word.word for lattice in lattices for word in lattice.words]
        return {
            **arrays,
            # The first is no word.
            "words": np.array([0, *self.sources.vocabularies["words"].rows(words)], dtype=np.int64),
            "registers": np.arange(2 + max((word.register for side in sides for word in side), default=1)),
            "mirror": _mirror([lattice.characters for lattice in lattices], steps),
            **_beginning(sides, steps),
            "word_ending": _ending(sides, steps, batch),
        }


def _mirror(lengths: Sequence[int], steps: int) -> NDArray[np.int64]:
    """The character that the second direction reads at each step, ``[B, T]``."""
    sizes, at = np.array(lengths, dtype=np.int64)[:, None], np.arange(steps)
    mirrored: NDArray[np.int64] = np.where(at < sizes, sizes - 1 - at, at)
    return mirrored


def _words(lattices: Sequence[Lattice], mirrored: bool) -> list[_Word]:
    words: list[_Word] = []
    for row, lattice in enumerate(lattices):
        last = lattice.characters - 1
        for word in lattice.words:
            begin, end = (last - word.tail, last - word.head) if mirrored else (word.head, word.tail)
            words.append(_Word(len(words) + 1, row, begin, end, UNUSED))
    return words


def _opened(words: Sequence[_Word]) -> list[_Word]:
    """The words by first step, each with a register, which is free again at the last step: it is read there
    before others are written."""
    free: list[int] = []
    closing: dict[int, list[int]] = {}
    used, opened, step = UNUSED, [], 0
    for word in sorted(words, key=lambda word: word.begin):
        for passed in range(step, word.begin + 1):
            free += closing.pop(passed, [])
        step = word.begin + 1
        if free:
            register = free.pop()
        else:
            used += 1
            register = used
        closing.setdefault(word.end, []).append(register)
        opened.append(word._replace(register=register))
    return opened


def _beginning(sides: Sequence[Sequence[_Word]], steps: int) -> Arrays:
    """The words that begin at every step, ``[T, 2, L]`` each: places of their rows, sentences, last steps and
    registers; at least one, perhaps of no word."""
    counts = np.zeros((2, steps), dtype=np.int64)
    places = []
    for side, words in enumerate(sides):
        for word in words:
            places.append((word.begin, side, counts[side, word.begin]))
            counts[side, word.begin] += 1
    shape = steps, 2, max(int(counts.max(initial=0)), 1)
    table = np.zeros((4, *shape), dtype=np.int64)
    table[3] = UNUSED
    if places:
        step, side, at = np.array(places).T
        found = [(word.entry, word.row, word.end, word.register) for words in sides for word in words]
        table[:, step, side, at] = np.array(found).T
    return dict(zip(("word_entry", "word_sentence", "word_end", "word_register"), table, strict=True))


def _ending(sides: Sequence[Sequence[_Word]], steps: int, batch: int) -> NDArray[np.int64]:
    """The registers of the words that end at every step, ``[T, A, 2, B]``; `EMPTY` where there is none."""
    counts = np.zeros((steps, 2, batch), dtype=np.int64)
    places = []
    for side, words in enumerate(sides):
        for word in words:
            places.append((word.end, counts[word.end, side, word.row], side, word.row, word.register))
            counts[word.end, side, word.row] += 1
    table = np.full((steps, max(int(counts.max(initial=0)), 1), 2, batch), EMPTY, dtype=np.int64)
    if places:
        step, at, side, row, register = np.array(places).T
        table[step, at, side, row] = register
    return table

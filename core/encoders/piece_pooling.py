"""Word pieces of whole words: which pieces a word is read from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from core.encoders.piece_windows import Integers
from core.text.units import Units

if TYPE_CHECKING:
    from core.encoders.word_pieces import Pieces

Pooling = Literal["first", "mean"]
POOLINGS: tuple[str, ...] = get_args(Pooling)


def at_words(pieces: Pieces, units: Sequence[Units], pooling: str) -> Pieces:
    """The same pieces, looked up by word instead of by character.

    A word's pieces are those that cover one of its characters, in the windows in which these are looked up.
    A word that no piece covers has those of its first character, which are the ones next to it.

    Args:
        units: the words of every text. pooling: ``mean`` over a word's pieces, or its ``first`` piece, as
            BERT's paper does (section 5.3).
    """
    import torch

    words = word_indices(pieces.characters.numpy(), pieces.start.numpy(), pieces.end.numpy(), units, pooling)
    return replace(pieces, characters=torch.from_numpy(words))


def word_indices(
    characters: Integers, start: Integers, end: Integers, units: Sequence[Units], pooling: str
) -> Integers:
    """The indices of the pieces of every word, ``[B, T, M]``; -1 for padding. As ``at_words``.

    Args:
        characters, start, end: of `core.encoders.word_pieces.Pieces`.
    """
    starts, ends = start.flatten().tolist(), end.flatten().tolist()
    rows: list[list[list[int]]] = []
    for of_characters, words in zip(characters.tolist(), units, strict=True):
        rows.append(
            [
                _of_word(of_characters[first:last], starts, ends, first, last)
                for first, last in zip(words.starts, words.ends, strict=True)
            ]
        )
    if pooling == "first":
        rows = [[found[:1] for found in row] for row in rows]
    longest = max(map(len, rows), default=0)
    most = max((len(found) for row in rows for found in row), default=0)
    table: Integers = np.full((len(rows), longest, most), -1, dtype=np.int64)
    for number, row in enumerate(rows):
        for word, found in enumerate(row):
            table[number, word, : len(found)] = found
    return table


def _of_word(
    characters: Sequence[Sequence[int]], starts: Sequence[int], ends: Sequence[int], start: int, end: int
) -> list[int]:
    """The pieces of the characters from ``start`` to ``end``, in order, each once."""
    every = dict.fromkeys(piece for character in characters for piece in character if piece >= 0)
    inside = [piece for piece in every if starts[piece] < end and start < ends[piece]]
    return inside or [piece for piece in characters[0] if piece >= 0]

"""A trie of a very large word list in one hash table, built within a second.

It finds the same matches as daachorse.

daachorse packs the children of every state into one array without gaps. For a million words of random
characters, whose first characters have hundreds of children each, packing takes 13 to 22 s and 650 to 760
MiB. Here edges (state, character) are stored in a hash table (open addressing, linear probing: Knuth, The Art
of Computer Programming, vol. 3, section 6.4, algorithm L), and the trie is walked from every position of a
text. Words are short, so failure links are not needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat

import numpy as np
from numpy.typing import NDArray


class HashedTrie:
    """Finds the words of two or more characters, with the interface of daachorse's ``find_overlapping``."""

    def __init__(self, words: Iterable[str]) -> None:
        # Imported here, because numba is only needed for such long lists.
        from core.lexicon import compiled_trie

        kept = [word for word in words if len(word) > 1]
        lengths = np.fromiter(map(len, kept), np.int64, len(kept))
        self._find = compiled_trie.find
        self._keys, self._values = compiled_trie.build(_codes("".join(kept)), lengths)

    def find_overlapping(self, text: str) -> list[tuple[int, int, int]]:
        """Start and end (exclusive) of every occurrence of every word, by start, then end, and a 0."""
        codes = _codes(text)
        places = np.empty((2, 2 * len(codes) + 16), np.int64)
        count = self._find(codes, self._keys, self._values, places)
        if count > places.shape[1]:
            places = np.empty((2, count), np.int64)
            self._find(codes, self._keys, self._values, places)
        starts, ends = places[:, :count].tolist()
        return list(zip(starts, ends, repeat(0), strict=False))


def _codes(text: str) -> NDArray[np.uint32]:
    # No word contains a lone surrogate, so one in a text is treated as an unknown character.
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")

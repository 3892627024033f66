"""The loops of :mod:`core.lexicon.hashed_trie`, compiled by numba.

A module of its own because importing it imports numba. Types are declared, so that compilation happens at
import and never during a search; the code is cached beside this file or, where that cannot be written,
in the user's cache folder.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numpy.typing import NDArray

Keys = NDArray[np.uint64]
Values = NDArray[np.uint32]

# An edge is one number: its source state plus one, above the 21 bits of a character. 0 is a free slot.
# Its value: the target state times two, plus one if a word ends there.
_CHARACTER = np.uint64(21)
_ONE = np.uint64(1)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 over the golden ratio (Knuth, vol. 3, section 6.4)
_WORD = np.uint32(1)

_CODES = types.Array(types.uint32, 1, "C", readonly=True)
_KEYS = types.uint64[::1]
_VALUES = types.uint32[::1]


@njit(types.int64(_KEYS, types.uint64), cache=True, nogil=True)
def _slot(keys: Keys, key: np.uint64) -> np.int64:
    """The slot of ``key``, or the free slot for it; the table always has free slots."""
    last = len(keys) - 1
    at = np.int64((key * _SPREAD) >> np.uint64(24)) & last
    while keys[at] != key and keys[at] != 0:
        at = (at + 1) & last
    return at


@njit(types.Tuple((_KEYS, _VALUES))(_KEYS, _VALUES), cache=True, nogil=True)
def _doubled(keys: Keys, values: Values) -> tuple[Keys, Values]:
    wider, kept = np.zeros(2 * len(keys), np.uint64), np.zeros(2 * len(keys), np.uint32)
    for at in range(len(keys)):
        if keys[at] != 0:
            to = _slot(wider, keys[at])
            wider[to], kept[to] = keys[at], values[at]
    return wider, kept


@njit(types.Tuple((_KEYS, _VALUES))(_CODES, types.int64[::1]), cache=True, nogil=True)
def build(codes: NDArray[np.uint32], lengths: NDArray[np.int64]) -> tuple[Keys, Values]:
    """The table of the words concatenated in ``codes``: keys and values, ``[slots]``."""
    keys, values = np.zeros(1024, np.uint64), np.zeros(1024, np.uint32)
    states, at = 0, 0
    for word in range(len(lengths)):
        state, slot = np.uint64(0), np.int64(0)
        for character in range(at, at + lengths[word]):
            if 3 * states > 2 * len(keys):
                keys, values = _doubled(keys, values)
            key = ((state + _ONE) << _CHARACTER) | np.uint64(codes[character])
            slot = _slot(keys, key)
            if keys[slot] == 0:
                states += 1
                keys[slot], values[slot] = key, np.uint32(2 * states)
            state = np.uint64(values[slot]) >> _ONE
        values[slot] |= _WORD
        at += lengths[word]
    return keys, values


@njit(types.int64(_CODES, _KEYS, _VALUES, types.int64[:, ::1]), cache=True, nogil=True)
def find(codes: NDArray[np.uint32], keys: Keys, values: Values, places: NDArray[np.int64]) -> int:
    """The number of matches; start and end of as many as fit are written to ``places``, ``[2, room]``."""
    count, room = 0, places.shape[1]
    for start in range(len(codes)):
        state = np.uint64(0)
        for end in range(start, len(codes)):
            slot = _slot(keys, ((state + _ONE) << _CHARACTER) | np.uint64(codes[end]))
            if keys[slot] == 0:
                break
            value = values[slot]
            if value & _WORD:
                if count < room:
                    places[0, count], places[1, count] = start, end + 1
                count += 1
            state = np.uint64(value) >> _ONE
    return count

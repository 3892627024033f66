"""The tokens of ELMo, each as its UTF-8 bytes between two boundary markers; without torch."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.text.units import UNSPACED

# The rows of the published character table: 0 to 255 are bytes.
BEGIN_SENTENCE, END_SENTENCE, BEGIN_TOKEN, END_TOKEN, NO_CHARACTER = 256, 257, 258, 259, 260
CHARACTERS = 261
UNITS = ("word", "character")
# A run of letters and digits with the marks on them; else a single character that is no blank.
_WORD = re.compile(rf"(?:(?![{UNSPACED}_])\w)+|\S")


def token_offsets(text: str, unit: str) -> list[tuple[int, int]]:
    """Tokens of a text as ``(start, end)``.

    ``"character"``: every code point, blanks too. ``"word"``: runs of letters and digits in scripts that
    separate words by blanks, every other character by itself, blanks left out.
    """
    if unit == "character":
        return [(index, index + 1) for index in range(len(text))]
    return [match.span() for match in _WORD.finditer(text)]


def tokens_of(text: str, unit: str) -> tuple[list[str], list[int]]:
    """The tokens of a text, and the token of each character, counted from 1; 0 for blanks between words."""
    offsets = token_offsets(text, unit)
    numbers = [0] * len(text)
    for number, (start, end) in enumerate(offsets, start=1):
        numbers[start:end] = [number] * (end - start)
    return [text[start:end] for start, end in offsets], numbers


def token_row(token: str, longest: int) -> list[int]:
    """A token as rows of the character table, unpadded: at most ``longest``, the two markers included."""
    # Input may hold lone surrogates, which have no UTF-8; they are encoded like any other character.
    encoded = token.encode("utf-8", "surrogatepass")[: longest - 2]
    return [BEGIN_TOKEN, *encoded, END_TOKEN]


def byte_owners(token: str, longest: int) -> list[int | None]:
    """The character of the token behind each position of its ``token_row``; None at markers."""
    owners = [at for at, character in enumerate(token) for _ in character.encode("utf-8", "surrogatepass")]
    return [None, *owners[: longest - 2], None]


def boundary_row(mark: int) -> list[int]:
    """The token that begins or ends a sentence."""
    return [BEGIN_TOKEN, mark, END_TOKEN]


def padded_rows(rows: Sequence[Sequence[int]], longest: int, widest: int) -> NDArray[np.int64]:
    """Token rows as ``[U, C]``, padded with ``NO_CHARACTER``.

    The published model pads every token to ``longest``, and its filters see the padding. A window of padding
    alone gives the same value at every position, so padding by the width of the widest filter is enough.
    """
    length = min(longest, max(map(len, rows), default=0) + widest)
    filled = [[*row, *[NO_CHARACTER] * (length - len(row))] for row in rows]
    return np.array(filled, dtype=np.int64).reshape(len(rows), length)


class IndexedTokens(NamedTuple):
    """The fields of `core.encoders.elmo.elmo_input.ElmoInput`, in their shapes."""

    rows: NDArray[np.int64]
    tokens: NDArray[np.int64]
    lengths: NDArray[np.int64]


def index_tokens(sentences: Sequence[Sequence[str]], longest: int, widest: int) -> IndexedTokens:
    """Add boundaries to sentences and collect their distinct tokens.

    Args:
        longest: maximum rows of a token. widest: width of the widest filter.
    """
    rows = [boundary_row(BEGIN_SENTENCE), boundary_row(END_SENTENCE)]
    row_of: dict[str, int] = {}
    indexed = []
    for sentence in sentences:
        row = [0]
        for token in sentence:
            if token not in row_of:
                row_of[token] = len(rows)
                rows.append(token_row(token, longest))
            row.append(row_of[token])
        indexed.append([*row, 1])
    width = max(map(len, indexed), default=2)
    tokens = np.array([[*row, *[0] * (width - len(row))] for row in indexed], dtype=np.int64)
    lengths = np.array([len(row) for row in indexed], dtype=np.int64)
    return IndexedTokens(padded_rows(rows, longest, widest), tokens.reshape(len(indexed), width), lengths)

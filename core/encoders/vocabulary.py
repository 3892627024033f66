"""Tokens and their row in an embedding table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any

from core.runtime.message import ToldValueError

PADDING = 0
UNKNOWN = 1
# Rows 0 and 1 have no token of their own.
RESERVED = 2
_DIGIT = re.compile(r"\d")


class Vocabulary:
    """Distinct tokens; row 0 is padding, row 1 is the unknown token.

    Args:
        tokens: in the order of their rows, starting with row 2.

    Raises:
        ValueError: a token is not a string, is empty or a duplicate.
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        self.tokens: tuple[str, ...] = tuple(tokens)
        self._rows = {token: row for row, token in enumerate(self.tokens, start=RESERVED)}
        if len(self._rows) != len(self.tokens):
            raise ToldValueError("a vocabulary lists a token twice")
        if not all(isinstance(token, str) and token for token in self.tokens):
            raise ToldValueError("a vocabulary holds non-empty strings only")

    def rows(self, tokens: Sequence[str]) -> list[int]:
        """The row of every token."""
        return list(map(self._rows.get, tokens, repeat(UNKNOWN)))

    def __contains__(self, token: object) -> bool:
        return token in self._rows

    def __len__(self) -> int:
        """Rows of a table for this vocabulary, the two reserved ones included."""
        return len(self.tokens) + RESERVED

    def to_json(self) -> list[str]:
        """The tokens, in order."""
        return list(self.tokens)

    @classmethod
    def from_json(cls, value: Any) -> Vocabulary:
        """The vocabulary that ``to_json`` returned.

        Raises:
            ValueError: it is not a list of distinct non-empty strings.
        """
        if not isinstance(value, list) or not all(isinstance(token, str) for token in value):
            raise ToldValueError("a vocabulary is a list of strings")
        return cls(value)


def folded_rows(vocabulary: Vocabulary, words: Sequence[str]) -> list[int]:
    """The row of every word: as it is written, else in lower case, else with its digits folded."""
    return [_folded_row(vocabulary, word) for word in words]


def fold(word: str) -> str:
    """A word in lower case, every digit a 0."""
    return _DIGIT.sub("0", word.lower())


def bigrams(text: str) -> list[str]:
    """Every character with its successor, ``[T]``; the last one alone."""
    return [text[index : index + 2] for index in range(len(text))]


def _folded_row(vocabulary: Vocabulary, word: str) -> int:
    (row, lower, folded) = vocabulary.rows([word, word.lower(), fold(word)])
    return next((found for found in (row, lower) if found != UNKNOWN), folded)

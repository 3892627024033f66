"""Words as rows of tables, without torch: their own, those of their characters and of their shapes."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from itertools import groupby

from core.encoders.vocabulary import Vocabulary, folded_rows

# Characters of a word that are read: the first ones and the last ones.
FIRST, LAST = 20, 10
Rows = dict[str, list[list[int]]]


def token_rows(surfaces: Sequence[Sequence[str]], vocabularies: Mapping[str, Vocabulary]) -> Rows:
    """The rows of words, with U distinct ones.

    Args:
        surfaces: the words of every sentence. vocabularies: ``tokens``, ``characters`` and, if shapes are
            read, ``shapes``.

    Returns:
        ``tokens`` and ``shapes`` (if read) of every sentence, ``spelt``: the place of every word among the
        distinct ones, and ``spellings``: the characters of each distinct word.
    """
    place: dict[str, int] = {}
    rows = {
        "spelt": [[place.setdefault(word, len(place)) for word in row] for row in surfaces],
        "tokens": [folded_rows(vocabularies["tokens"], row) for row in surfaces],
    }
    rows["spellings"] = [vocabularies["characters"].rows(_read(word)) for word in place]
    if "shapes" in vocabularies:
        rows["shapes"] = [vocabularies["shapes"].rows([shape_of(word) for word in row]) for row in surfaces]
    return rows


def shape_of(word: str) -> str:
    """The shape of a word: X for a capital, x for another letter, 0 for a digit, runs drawn together.

    E.g. ``Xx`` for Paris, ``XxX`` for McD, ``X.X`` for U.S., ``0,0`` for 1,000; other characters as they are.
    """
    return "".join(kind for kind, _ in groupby(map(_kind, word)))


def _kind(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Lu", "Lt"):
        return "X"
    if category[0] == "L":
        return "x"
    return "0" if category[0] == "N" else character


def _read(word: str) -> str:
    return word if len(word) <= FIRST + LAST else word[:FIRST] + word[-LAST:]

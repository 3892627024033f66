"""Entries of a project's word list: a word with a type, or a word removed from the base."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

from core.store.db.errors import PayloadError

LONGEST_WORD = 100
LARGEST_FREQUENCY = 10**15
_TORN = frozenset("\t\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029\0")


class WordEntry(NamedTuple):
    """One entry of a word; a word with several types has several.

    Args:
        type: a label name, or "". frequency: 0 or more.
        masked: the word is removed from the base dictionary; then it has no other entry.
        origin: the batch that first added it; 0 for the one being written.
    """

    type: str = ""
    frequency: int = 1
    masked: bool = False
    origin: int = 0


MASK = WordEntry("", 0, True)
Change = Literal["added", "removed", "changed"]


def change_of(before: Collection[WordEntry], after: Collection[WordEntry]) -> Change:
    """Whether a word was added, removed or changed."""
    had = any(not entry.masked for entry in before)
    has = any(not entry.masked for entry in after)
    if has:
        return "changed" if had else "added"
    return "removed" if after or had else "changed"


def checked_word(word: object) -> str:
    """Strip and check a word.

    Raises:
        PayloadError: not a string, empty, too long, or with a tab or line break.
    """
    cleaned = word.strip() if isinstance(word, str) else ""
    if not cleaned or len(cleaned) > LONGEST_WORD or _is_torn(cleaned):
        raise PayloadError(
            "a word has 1 to {longest} characters in one line, got {word}",
            longest=LONGEST_WORD,
            word=_shown(word),
        )
    return cleaned


def checked_type(type_: object) -> str:
    """Strip and check a type; it may be empty.

    Raises:
        PayloadError: not a string, too long, or with a tab or line break.
    """
    if not isinstance(type_, str) or len(type_) > LONGEST_WORD or _is_torn(type_):
        raise PayloadError("a word's type is one short line, got {type}", type=_shown(type_))
    return type_.strip()


def checked_frequency(frequency: object) -> int:
    """The frequency.

    Raises:
        PayloadError: not an integer from 0 to 10**15.
    """
    whole = isinstance(frequency, int) and not isinstance(frequency, bool)
    if not whole or not 0 <= frequency <= LARGEST_FREQUENCY:  # type: ignore[operator]
        raise PayloadError(
            "a frequency is a whole number from 0 to {largest}, got {frequency}",
            largest=LARGEST_FREQUENCY,
            frequency=_shown(frequency),
        )
    return frequency  # type: ignore[return-value]


def _is_torn(text: str) -> bool:
    # Lone surrogates cannot be stored, and line breaks would break a saved list.
    return not _TORN.isdisjoint(text) or any("\ud800" <= character <= "\udfff" for character in text)


def _shown(value: object) -> str:
    return repr(str(value)[:40])

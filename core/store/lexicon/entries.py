"""One entry of a project's word list: a word with one of its types, or the word taken out of the base."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, NamedTuple

from core.store.db.errors import PayloadError

LONGEST_WORD = 100
LARGEST_FREQUENCY = 10**15
_TORN = frozenset("\t\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029\0")


class WordEntry(NamedTuple):
    """What the list says of a word once; several of one word are several types.

    Args:
        type: the label it suggests, or "". frequency: how often it was seen, 0 or more.
        masked: the word is taken out of the base dictionary; then it has no other entry.
        origin: the batch that first brought it; 0 for the batch that is being written.
    """

    type: str = ""
    frequency: int = 1
    masked: bool = False
    origin: int = 0


MASK = WordEntry("", 0, True)
Change = Literal["added", "removed", "changed"]


def change_of(before: Collection[WordEntry], after: Collection[WordEntry]) -> Change:
    """What became of a word whose entries differ: it came into the list, left it, or is told otherwise."""
    had = any(not entry.masked for entry in before)
    has = any(not entry.masked for entry in after)
    if has:
        return "changed" if had else "added"
    return "removed" if after or had else "changed"


def checked_word(word: object) -> str:
    """The word without blanks around it.

    Raises:
        PayloadError: no text, empty, too long, or with a tab or line break.
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
    """The type without blanks around it; it may be empty.

    Raises:
        PayloadError: no text, too long, or with a tab or line break.
    """
    if not isinstance(type_, str) or len(type_) > LONGEST_WORD or _is_torn(type_):
        raise PayloadError("a word's type is one short line, got {type}", type=_shown(type_))
    return type_.strip()


def checked_frequency(frequency: object) -> int:
    """The frequency.

    Raises:
        PayloadError: no whole number from 0 to 10**15.
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
    # Lone surrogates cannot be stored, and line breaks of any kind would tear a saved list.
    return not _TORN.isdisjoint(text) or any("\ud800" <= character <= "\udfff" for character in text)


def _shown(value: object) -> str:
    return repr(str(value)[:40])

"""The immutable, possibly large base word list of a lexicon, stored in columns."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from core.lexicon import automaton
from core.lexicon.automaton import Automaton
from core.lexicon.entry import LARGEST_FREQUENCY, LONGEST_WORD, Entry, LexiconError
from core.runtime.message import Message, _

# What Entry refuses inside a word or type, besides the separator: line breaks of all kinds, and no text.
_BREAKS = re.compile("[\0\r\v\f\x1c-\x1e\x85\u2028\u2029\ud800-\udfff]")
_PLAIN_DIGITS = len(str(LARGEST_FREQUENCY)) - 1  # no number with so few digits is larger


class Dictionary:
    """Words with frequencies and types; immutable, with a matcher built on first use.

    Args:
        words, frequencies, types: three columns of equal length; for a repeated word the last row counts.
            Frequencies may be strings of digits, which are parsed when first needed.
        cache: folder in which a large automaton is cached, or None.
        distinct: whether all words are known to differ, which is not checked.
    """

    def __init__(
        self,
        words: list[str],
        frequencies: list[int] | list[str],
        types: list[str],
        cache: Path | None = None,
        *,
        distinct: bool = False,
    ) -> None:
        if not distinct and len(set(words)) < len(words):
            kept = list(dict(zip(words, range(len(words)), strict=True)).values())
            words, types = [words[row] for row in kept], [types[row] for row in kept]
            frequencies = [frequencies[row] for row in kept]  # type: ignore[assignment]
        self._words, self._given, self._types = words, frequencies, types
        self._cache = cache

    @classmethod
    def of_entries(cls, entries: Iterable[Entry], cache: Path | None = None) -> Dictionary:
        """A dictionary of these entries."""
        kept = list(entries)
        return cls(
            [entry.word for entry in kept],
            [entry.frequency for entry in kept],
            [entry.type for entry in kept],
            cache,
        )

    @classmethod
    def of_words(cls, words: list[str], cache: Path | None = None) -> Dictionary:
        """A dictionary of bare words, each as ``Entry(word)``; checks them all at once, for speed.

        Raises:
            LexiconError: as ``Entry``, for the first invalid word.
        """
        text = "\n".join(words)
        broken = "\t" in text or text.count("\n") > max(0, len(words) - 1) or not _has_no_breaks(text)
        if broken or not _are_words(words):
            return cls.of_entries(map(Entry, words), cache)
        return cls(words, [1] * len(words), [""] * len(words), cache)

    @classmethod
    def of_table(
        cls, table: str, separator: str = "\t", cache: Path | None = None, *, distinct: bool = False
    ) -> Dictionary:
        """Read ``word frequency type`` lines with exactly two separators each; checks by column, for speed.

        Raises:
            LexiconError: naming the first malformed line.
        """
        lines = table.count("\n")
        cells = table.replace("\n", separator).split(separator)
        if cells.pop() or len(cells) != 3 * lines:
            raise LexiconError(_first_bad_line(table, separator))
        words, frequencies, types = cells[0::3], cells[1::3], cells[2::3]
        if not _are_words(words) or not _are_frequencies(frequencies) or not _has_no_breaks(table):
            raise LexiconError(_first_bad_line(table, separator))
        return cls(words, frequencies, types, cache, distinct=distinct)

    def table(self) -> str:
        """The words as lines of word, tab, frequency, tab, type."""
        rows = zip(self._words, map(str, self._given), self._types, strict=True)
        return "".join(f"{word}\t{frequency}\t{kind}\n" for word, frequency, kind in rows)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the three columns, as hex digits."""
        digest = hashlib.sha256(f"{len(self)}\n".encode())
        columns: Sequence[Iterable[str]] = (self._words, map(str, self._given), self._types)
        for column in columns:
            digest.update("\n".join(column).encode())
            digest.update(b"\0")
        return digest.hexdigest()

    @cached_property
    def automaton(self) -> Automaton:
        """The matcher of the words of two or more characters."""
        return automaton.build_cached(self._words, lambda: self.fingerprint, self._cache)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return dict(zip(self._words, range(len(self._words)), strict=True))

    @cached_property
    def _frequencies(self) -> list[int]:
        return list(map(int, self._given))

    def entry(self, word: str) -> Entry:
        """The entry of a word; KeyError if there is none."""
        row = self._rows[word]
        return Entry(word, self._frequencies[row], self._types[row])

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    def __len__(self) -> int:
        return len(self._words)

    def __iter__(self) -> Iterator[Entry]:
        return map(Entry, self._words, self._frequencies, self._types)


def _are_words(words: list[str]) -> bool:
    """Whether all have 1 to 100 characters and no surrounding blanks; characters inside are not checked."""
    lengths = set(map(len, words))
    fitting = not words or (min(lengths) > 0 and max(lengths) <= LONGEST_WORD)
    return fitting and words == list(map(str.strip, words))


def _are_frequencies(cells: Sequence[str]) -> bool:
    """Whether all are numbers from 0 to the largest frequency."""
    digits = "".join(cells)
    lengths = set(map(len, cells))
    if digits.isascii() and digits.isdigit() and 0 not in lengths and max(lengths) <= _PLAIN_DIGITS:
        return True
    try:
        return all(0 <= int(cell) <= LARGEST_FREQUENCY for cell in cells)
    except ValueError:
        return False


def _has_no_breaks(text: str) -> bool:
    """Whether ``text`` has no line breaks besides line feeds and no control characters."""
    return _BREAKS.search(text) is None


def _first_bad_line(table: str, separator: str) -> Message:
    for number, line in enumerate(table.split("\n"), start=1):
        word, *rest = line.split(separator)
        try:
            if line:
                frequency, kind = rest
                Entry(word, int(frequency), kind)
        except LexiconError as error:
            return _("line {line}: {reason}", line=number, reason=error)
        except ValueError:
            return _("line {line} is not word, frequency and type: {text}", line=number, text=repr(line[:60]))
    return _("the last line is cut off or a line is empty")

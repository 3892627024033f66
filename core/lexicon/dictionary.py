"""The fixed, possibly large list of words under a lexicon, held as columns."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from daachorse import CharwiseDoubleArrayAhoCorasick as Automaton

from core.lexicon import automaton
from core.lexicon.entry import LARGEST_FREQUENCY, LONGEST_WORD, Entry, LexiconError

# What Entry refuses inside a word or type, besides the separator: line breaks of all kinds, and no text.
_TORN = re.compile("[\0\r\v\f\x1c-\x1e\x85\u2028\u2029\ud800-\udfff]")


class Dictionary:
    """Words with frequencies and types; never changed, its automaton built when first needed.

    Args:
        words, frequencies, types: three columns of one length; of a repeated word the last row counts.
        cache: where a large automaton is kept between starts, or None.
    """

    def __init__(
        self, words: list[str], frequencies: list[int], types: list[str], cache: Path | None = None
    ) -> None:
        self._rows = dict(zip(words, range(len(words)), strict=True))
        if len(self._rows) < len(words):
            kept = list(self._rows.values())
            words, frequencies, types = (
                [words[row] for row in kept],
                [frequencies[row] for row in kept],
                [types[row] for row in kept],
            )
            self._rows = dict(zip(words, range(len(words)), strict=True))
        self._words, self._frequencies, self._types = words, frequencies, types
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
    def of_table(cls, table: str, separator: str = "\t", cache: Path | None = None) -> Dictionary:
        """Read ``word frequency type`` lines, all with exactly two separators; checks by column, for speed.

        Raises:
            LexiconError: naming the first line that does not read so.
        """
        lines = table.count("\n")
        cells = table.replace("\n", separator).split(separator)
        if cells.pop() or len(cells) != 3 * lines:
            raise LexiconError(_first_bad_line(table, separator))
        try:
            frequencies = list(map(int, cells[1::3]))
        except ValueError:
            raise LexiconError(_first_bad_line(table, separator)) from None
        words, types = cells[0::3], cells[2::3]
        lengths = list(map(len, words))
        sound = not lines or (min(lengths) > 0 and max(lengths) <= LONGEST_WORD)
        sound = sound and words == list(map(str.strip, words))
        within = not lines or (min(frequencies) >= 0 and max(frequencies) <= LARGEST_FREQUENCY)
        if not sound or not within or _TORN.search(table):
            raise LexiconError(_first_bad_line(table, separator))
        return cls(words, frequencies, types, cache)

    def table(self) -> str:
        """The words as lines of word, tab, frequency, tab, type."""
        rows = zip(self._words, map(str, self._frequencies), self._types, strict=True)
        return "".join(f"{word}\t{frequency}\t{kind}\n" for word, frequency, kind in rows)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the three columns, as hex digits."""
        digest = hashlib.sha256(f"{len(self)}\n".encode())
        columns: Sequence[Iterable[str]] = (self._words, map(str, self._frequencies), self._types)
        for column in columns:
            digest.update("\n".join(column).encode())
            digest.update(b"\0")
        return digest.hexdigest()

    @cached_property
    def automaton(self) -> Automaton:
        """Finds the words of two or more characters."""
        return automaton.build_cached(self._words, self.fingerprint, self._cache)

    def entry(self, word: str) -> Entry:
        """The entry of a word; KeyError where there is none."""
        row = self._rows[word]
        return Entry(word, self._frequencies[row], self._types[row])

    def __contains__(self, word: object) -> bool:
        return word in self._rows

    def __len__(self) -> int:
        return len(self._words)

    def __iter__(self) -> Iterator[Entry]:
        return map(Entry, self._words, self._frequencies, self._types)


def _first_bad_line(table: str, separator: str) -> str:
    for number, line in enumerate(table.split("\n"), start=1):
        word, *rest = line.split(separator)
        try:
            if line:
                frequency, kind = rest
                Entry(word, int(frequency), kind)
        except LexiconError as error:
            return f"line {number}: {error}"
        except ValueError:
            return f"line {number} is not word, frequency and type: {line[:60]!r}"
    return "the last line is cut off or a line is empty"

"""A lexicon: an immutable dictionary overlaid with added and removed words."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NamedTuple

from core.lexicon import automaton, jieba_dictionary, lexicon_folder, word_boundary
from core.lexicon.automaton import Automaton
from core.lexicon.dictionary import Dictionary
from core.lexicon.entry import Entry, WordListError
from core.lexicon.word_list import read_word_list

_SURROGATE = re.compile("[\ud800-\udfff]")
_MATCH = tuple.__new__  # a NamedTuple's own constructor takes twice as long


class Match(NamedTuple):
    """A word found in a text: its first and last character position, both inclusive (as in FLAT)."""

    word: str
    head: int
    tail: int


class Lexicon:
    """Words to match in text. Immutable: adding and removing words returns a new lexicon.

    ``with_words`` and ``without_words`` reuse the matcher of the dictionary and index only the added words,
    so they take microseconds even over 349,045 words.

    Args:
        entries: words, or entries with frequency and type; for a repeated word the last one counts.

    Raises:
        LexiconError: a word is empty, too long or holds a tab or line break.
    """

    def __init__(self, entries: Iterable[str | Entry] = ()) -> None:
        given, cache = list(entries), automaton.default_cache()
        if all(type(entry) is str for entry in given):
            self._base = Dictionary.of_words(given, cache)  # type: ignore[arg-type]
        else:
            self._base = Dictionary.of_entries(map(_entry, given), cache)
        self._added: Mapping[str, Entry] = {}
        self._removed: frozenset[str] = frozenset()

    @classmethod
    def _of(cls, base: Dictionary, added: Mapping[str, Entry], removed: frozenset[str]) -> Lexicon:
        lexicon = cls.__new__(cls)
        lexicon._base, lexicon._added, lexicon._removed = base, added, removed
        return lexicon

    def __deepcopy__(self, memo: object) -> Lexicon:
        return self  # immutable, and with tens of megabytes

    @classmethod
    def jieba(cls) -> Lexicon:
        """The dictionary of the jieba package, the default of every lexicon tagger; shared, built once.

        Raises:
            LexiconError: the package is not installed or its dictionary is damaged.
        """
        return _jieba(automaton.default_cache())

    @classmethod
    def from_file(cls, path: Path) -> Lexicon:
        """The words of a word list file (see :mod:`core.lexicon.word_list`).

        Raises:
            WordListError: naming every line that cannot be read.
        """
        words = read_word_list(path)
        if words.problems:
            raise WordListError(path.name, words.problems)
        return cls(words.entries)

    def with_words(self, words: Iterable[str | Entry]) -> Lexicon:
        """This lexicon with these words added; existing ones get the given frequency and type.

        A bare string that exists already changes nothing.
        """
        added, removed = dict(self._added), set(self._removed)
        for word in words:
            entry = _entry(word)
            in_base = entry.word in self._base
            if isinstance(word, str) and (in_base or word in added):
                removed.discard(word)
                continue
            removed.discard(entry.word)
            added.pop(entry.word, None)
            if not in_base or self._base.entry(entry.word) != entry:
                added[entry.word] = entry
        return Lexicon._of(self._base, added, frozenset(removed))

    def without_words(self, words: Iterable[str]) -> Lexicon:
        """This lexicon without these words; unknown ones are ignored."""
        dropped = set(words)
        added = {word: entry for word, entry in self._added.items() if word not in dropped}
        return Lexicon._of(
            self._base, added, self._removed | {word for word in dropped if word in self._base}
        )

    @property
    def added(self) -> tuple[Entry, ...]:
        """The words added to the dictionary, in order of addition."""
        return tuple(self._added.values())

    @property
    def removed(self) -> tuple[str, ...]:
        """The removed words of the dictionary, sorted."""
        return tuple(sorted(self._removed))

    def match(self, text: str) -> list[Match]:
        """All occurrences of words of two or more characters, by head, then tail.

        A word that begins or ends with a letter or digit of an alphabetic script matches only at a word
        boundary: no ``art`` inside ``party``.
        """
        return [_MATCH(Match, (text[start:end], start, end - 1)) for start, end, _ in self.offsets(text)]

    def offsets(self, text: str) -> list[tuple[int, int, int]]:
        """The offsets of ``match``, in the same order: start, end (exclusive), and an unspecified number.

        Faster than ``match``: creating the `Match` objects takes longer than finding the words.
        """
        # The matcher cannot take lone surrogates, which no word contains.
        try:
            places = self._base.automaton.find_overlapping(text)
        except UnicodeEncodeError:
            text = _SURROGATE.sub("\0", text)
            places = self._base.automaton.find_overlapping(text)
        if self._removed:
            places = [place for place in places if text[place[0] : place[1]] not in self._removed]
        if self._overlay is not None:
            places += self._overlay.find_overlapping(text)
        if word_boundary.has_spaced(text):
            inner = word_boundary.inner_edges(text)
            places = [place for place in places if place[0] not in inner and place[1] not in inner]
        places.sort()
        return places

    def match_characters(self, text: str) -> list[int]:
        """Positions of single-character words, with the same rule for word boundaries."""
        words = {character for character in set(text) if character in self}
        positions = [position for position, character in enumerate(text) if character in words]
        return [at for at in positions if word_boundary.on_boundary(text, at, at + 1)]

    @cached_property
    def _overlay(self) -> Automaton | None:
        """The matcher of added words that the dictionary does not contain."""
        new = [word for word in self._added if len(word) > 1 and word not in self._base]
        return automaton.build(new) if new else None

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the dictionary and the added and removed words: equal hashes mean equal matches."""
        if not self._added and not self._removed:
            return self._base.fingerprint
        digest = hashlib.sha256(self._base.fingerprint.encode())
        for entry in sorted(self._added.values(), key=lambda entry: entry.word):
            digest.update(f"+{entry.word}\t{entry.frequency}\t{entry.type}\n".encode())
        for word in self.removed:
            digest.update(f"-{word}\n".encode())
        return digest.hexdigest()

    def entry(self, word: str) -> Entry:
        """The entry of a word.

        Raises:
            KeyError: the lexicon does not contain it.
        """
        if word in self._removed:
            raise KeyError(word)
        return self._added[word] if word in self._added else self._base.entry(word)

    def __contains__(self, word: object) -> bool:
        return word in self._added or (word in self._base and word not in self._removed)

    def __len__(self) -> int:
        return len(self._base) - len(self._removed) + sum(word not in self._base for word in self._added)

    def __iter__(self) -> Iterator[Entry]:
        for entry in self._base:
            if entry.word not in self._removed:
                yield self._added.get(entry.word, entry)
        for word, entry in self._added.items():
            if word not in self._base:
                yield entry

    def save(self, folder: Path) -> None:
        """Write the words, not the automaton, into ``folder``, which is created if missing."""
        lexicon_folder.write(folder, self._base, self.added, self.removed)

    @classmethod
    def load(cls, folder: Path) -> Lexicon:
        """Read what :meth:`save` wrote; the automaton is loaded from the user's cache or built.

        Raises:
            LexiconError: a file is missing, damaged or invalid; names it.
        """
        base, added, removed = lexicon_folder.read(folder, automaton.default_cache())
        kept = {entry.word: entry for entry in added}
        return cls._of(base, kept, frozenset(removed) - kept.keys())


@lru_cache(maxsize=1)
def _jieba(cache: Path) -> Lexicon:
    return Lexicon._of(jieba_dictionary.read(cache), {}, frozenset())


def _entry(word: str | Entry) -> Entry:
    return word if isinstance(word, Entry) else Entry(word)

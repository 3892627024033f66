"""Words for a project's list: from a file, or the names of the base dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from core.lexicon import Entry, gazetteer
from core.lexicon.word_list import WordList
from core.store.lexicon.entries import WordEntry

SHOWN_NAMES = 3
Words = Mapping[str, tuple[WordEntry, ...]]


def words_of(word_list: WordList) -> Words:
    """The words of a list with their types and frequencies."""
    return {word: tuple(map(_stored, entries)) for word, entries in word_list.by_word.items()}


def words_of_names(labels: Mapping[str, str]) -> Words:
    """The names of the base dictionary, each kind (a key of ``labels``) with its label as type."""
    words: dict[str, tuple[WordEntry, ...]] = {}
    for entry in gazetteer.labelled(labels):
        words[entry.word] = (*words.get(entry.word, ()), _stored(entry))
    return words


def name_objects() -> dict[str, Any]:
    """How many names of each kind the base dictionary has, with the most frequent ones."""
    return {
        kind: {"count": len(entries), "examples": [entry.word for entry in _frequent(entries)]}
        for kind, entries in gazetteer.names().items()
    }


def _frequent(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: -entry.frequency)[:SHOWN_NAMES]


def _stored(entry: Entry) -> WordEntry:
    return WordEntry(entry.type, entry.frequency)

"""The lexicon of a run: a base word list with the person's additions and removals."""

from __future__ import annotations

from pathlib import Path

from core.corpus.snapshot import AddedWord, Snapshot
from core.lexicon import Entry, Lexicon


def read_lexicon(folder: Path, snapshot: Snapshot, base: str) -> Lexicon:
    """The lexicon of a run: its base with the person's changes.

    Args:
        folder: the snapshot's folder. base: ``jieba``, or the name of a word list inside it.

    Raises:
        LexiconError: the word list cannot be read, or an added word is invalid.
    """
    return with_changes(Lexicon.jieba() if base == "jieba" else Lexicon.from_file(folder / base), snapshot)


def with_changes(lexicon: Lexicon, snapshot: Snapshot) -> Lexicon:
    """``lexicon`` with the words that a person added and without those they removed.

    Raises:
        LexiconError: an added word is invalid.
    """
    if snapshot.added:
        lexicon = lexicon.with_words(map(_entry, snapshot.added))
    return lexicon.without_words(snapshot.removed) if snapshot.removed else lexicon


def typed_entries(snapshot: Snapshot) -> list[Entry]:
    """The added words with a type or a frequency."""
    return [entry for entry in map(_entry, snapshot.added) if isinstance(entry, Entry)]


def _entry(added: AddedWord) -> str | Entry:
    # A bare word that is already in the base keeps its type and frequency there.
    if not added.type and added.frequency == 1:
        return added.word
    return Entry(added.word, added.frequency, added.type)

"""The lexicon of a run: a base word list with the person's additions and removals."""

from __future__ import annotations

from core.corpus.snapshot import AddedWord, Snapshot
from core.lexicon import Entry, Lexicon, LexiconError
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest


def read_lexicon(folder: RunFolder, request: RunRequest, snapshot: Snapshot) -> Lexicon:
    """The lexicon of a run: the base that its request names, with the person's changes.

    Raises:
        TrainingError: the word list cannot be read, or an added word is invalid.
    """
    try:
        base = request.lexicon
        lexicon = Lexicon.jieba() if base == "jieba" else Lexicon.from_file(folder.snapshot / base)
        return with_changes(lexicon, snapshot)
    except LexiconError as error:
        raise TrainingError(error.message) from error


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

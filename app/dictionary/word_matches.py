"""A project's typed words for a matcher, and in how many documents words occur."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from app.services.session import Session
from core.learning.distant import TypedWords
from core.lexicon import Entry, Lexicon, LexiconError
from core.store.document import texts
from core.store.lexicon import changes as lexicon_changes
from core.store.lexicon import words as lexicon_words
from core.store.queue import queue
from core.store.run import predictions
from core.store.suggest import distant

# The matcher reads five million characters a second; a request reads no more than this.
MOST_READ = 2_000_000
FEW = 20
EVERY = 1_000_000


def typed_words(
    session: Session, project_id: int, types: Collection[str] | None = None
) -> tuple[TypedWords, int]:
    """The typed words of a project, each with the batch that added it as its source, and the list's version.

    Args:
        types: those that label; words of others are matched and give no label. None: all of them.
    """
    entries, version = distant.typed_entries(session.workspace, project_id)
    made, sources = [], {}
    for word, kind, frequency, origin in entries:
        try:
            made.append(Entry(word, frequency, kind if types is None or kind in types else ""))
        except LexiconError:
            continue  # an older list may contain what no matcher accepts
        sources[word, kind] = str(origin)
    return TypedWords(made, source="0", sources=sources), version


@dataclass(frozen=True, slots=True)
class Touched:
    """How many documents contain at least one of some words.

    Args:
        documents: of those read. read: how many were read. all: how many there are.
    """

    documents: int
    read: int
    all: int

    @property
    def exact(self) -> bool:
        return self.read == self.all

    @property
    def estimate(self) -> int:
        """The estimate for all documents; exact if all were read."""
        return round(self.documents * self.all / self.read) if self.read else 0


def touched(session: Session, words: Iterable[str], most: int = MOST_READ) -> Touched:
    """How many documents contain at least one of the words, estimated from a sample of a large project."""
    lexicon = Lexicon().with_words(words)
    every, total = _every(session, most)
    read = matching = 0
    for _, text in texts.texts(session.workspace, session.project_id, every):
        read += 1
        matching += bool(lexicon.offsets(text) or lexicon.match_characters(text))
    return Touched(matching, read, total)


def documents_of_each(session: Session, words: Collection[str]) -> tuple[dict[str, int], bool]:
    """How many documents contain each word, and whether this is exact or an estimate."""
    lexicon = Lexicon().with_words(words)
    every, total = _every(session, MOST_READ)
    counts: Counter[str] = Counter()
    read = 0
    for _, text in texts.texts(session.workspace, session.project_id, every):
        read += 1
        counts.update(_distinct(lexicon, text))
    return {word: round(counts[word] * total / read) if read else 0 for word in words}, read == total


def count_all(session: Session, progress: Callable[[float], None]) -> int:
    """Count the documents that contain each word of the list and store the counts; returns documents read.

    Args:
        progress: called with the fraction done; if it raises, nothing is stored.
    """
    changes = lexicon_changes.current(session.workspace, session.project_id)
    lexicon = Lexicon().with_words(changes.added)
    total, _ = texts.sizes(session.workspace, session.project_id)
    counts: Counter[str] = Counter()
    read = 0
    for _, text in texts.texts(session.workspace, session.project_id):
        counts.update(_distinct(lexicon, text))
        read += 1
        if read % 100 == 0:
            progress(read / max(1, total))
    lexicon_words.set_documents(session.workspace, session.project_id, counts)
    return read


def forget_predictions(session: Session, words: Collection[str]) -> None:
    """Delete the active tagger's predictions on documents with these words, which may change."""
    run = session.workbench.active_run(session.project_id)
    if run is None:
        return
    if len(words) <= FEW:
        for word in words:
            which = queue.Filter(search=word, predicted=True)
            page = queue.page(session.workspace, session.project_id, which, limit=EVERY, run=run)
            predictions.drop(session.workspace, run, [row.id for row in page.rows])
        return
    lexicon = Lexicon().with_words(words)
    outdated = [
        id_
        for id_, text in texts.texts(session.workspace, session.project_id)
        if lexicon.offsets(text) or lexicon.match_characters(text)
    ]
    predictions.drop(session.workspace, run, outdated)


def _distinct(lexicon: Lexicon, text: str) -> set[str]:
    words = {match.word for match in lexicon.match(text)}
    return words | {text[at] for at in lexicon.match_characters(text)}


def _every(session: Session, most: int) -> tuple[int, int]:
    documents, characters = texts.sizes(session.workspace, session.project_id)
    return max(1, -(-characters // most)), documents

"""In which documents of a project words occur: one pass of the matcher over the texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from app.services.session import Session
from core.lexicon import Lexicon
from core.store.document import texts
from core.store.lexicon import changes as lexicon_changes
from core.store.lexicon import words as lexicon_words
from core.store.queue import queue
from core.store.run import predictions

# The matcher reads five million characters a second; a page that waits reads no more than this.
MOST_READ = 2_000_000
FEW = 20
EVERY = 1_000_000
Tell = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Touched:
    """How many documents hold at least one of some words.

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
        """Of all documents; the same as ``documents`` where all were read."""
        return round(self.documents * self.all / self.read) if self.read else 0


def touched(session: Session, words: Iterable[str], most: int = MOST_READ) -> Touched:
    """How many documents hold at least one of the words; a sample where there is too much to read."""
    lexicon = Lexicon().with_words(words)
    every, total = _every(session, most)
    read = found = 0
    for _, text in texts.texts(session.workspace, session.project_id, every):
        read += 1
        found += bool(lexicon.places(text) or lexicon.match_characters(text))
    return Touched(found, read, total)


def documents_of_each(
    session: Session, words: Collection[str], most: int = MOST_READ
) -> tuple[dict[str, int], bool]:
    """In how many documents each word occurs, and whether all were read (else it is an estimate)."""
    lexicon = Lexicon().with_words(words)
    every, total = _every(session, most)
    counts: Counter[str] = Counter()
    read = 0
    for _, text in texts.texts(session.workspace, session.project_id, every):
        read += 1
        counts.update(_distinct(lexicon, text))
    return {word: round(counts[word] * total / read) if read else 0 for word in words}, read == total


def count_all(session: Session, tell: Tell) -> int:
    """Count for every word of the list in how many documents it occurs, and note it; returns documents read.

    Args:
        tell: the share that is done; may raise to stop, and then nothing is noted.
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
            tell(read / max(1, total))
    lexicon_words.set_documents(session.workspace, session.project_id, counts)
    return read


def ask_again(session: Session, words: Collection[str]) -> None:
    """Forget what the serving tagger said about documents with these words: it may say something else now."""
    run = session.workbench.serving_run(session.project_id)
    if run is None:
        return
    if len(words) <= FEW:
        for word in words:
            which = queue.Filter(search=word, predicted=True)
            page = queue.page(session.workspace, session.project_id, which, limit=EVERY, run=run)
            predictions.drop(session.workspace, run, [row.id for row in page.rows])
        return
    lexicon = Lexicon().with_words(words)
    found = [
        id_
        for id_, text in texts.texts(session.workspace, session.project_id)
        if lexicon.places(text) or lexicon.match_characters(text)
    ]
    predictions.drop(session.workspace, run, found)


def _distinct(lexicon: Lexicon, text: str) -> set[str]:
    found = {match.word for match in lexicon.match(text)}
    return found | {text[at] for at in lexicon.match_characters(text)}


def _every(session: Session, most: int) -> tuple[int, int]:
    documents, characters = texts.sizes(session.workspace, session.project_id)
    return max(1, -(-characters // most)), documents

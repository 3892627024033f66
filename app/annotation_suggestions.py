"""What is suggested for a document, by tagger and dictionary, and the words of its lattice."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from app.session import Session
from core.lexicon import Entry, Lexicon, LexiconError
from core.store import lexicon_changes, projects, runs
from core.text import Document, Span

# Beyond this a person cannot look at the words one by one, and a long text would send thousands.
MOST_WORDS = 400
Word = list[int]


def tagger_spans(
    session: Session, document: Document, without: Sequence[str] = ()
) -> tuple[list[Span], list[Word]]:
    """The serving tagger's spans for a document, and the lattice words it read as ``[start, end]``.

    Args:
        without: words to take out of its lexicon for this once.

    Raises:
        AppError: no run serves. NotFound, ModelFolderError: its model is not there or cannot be loaded.
    """
    from core.taggers.tagging import tag

    with session.workbench.serving.tagger(session.project_id) as tagger:
        lexicon: Lexicon | None = getattr(tagger, "lexicon", None)
        words = [] if lexicon is None else _places(lexicon, document.text)
        if lexicon is not None and without:
            setattr(tagger, "lexicon", lexicon.without_words(without))  # noqa: B010 - not every tagger has one
        answer = tag(tagger, [document])[0]  # the next block gets the whole lexicon again
    kept = [word for word in words if document.text[word[0] : word[1]] not in set(without)]
    return list(answer.spans), kept


def lattice_words(session: Session, text: str) -> list[Word]:
    """Words of the serving tagger's lexicon in a text, as ``[start, end]``; none where it reads no words.

    Read from the model folder, so that opening a document neither loads the tagger nor waits for one at work.
    """
    run = projects.get(session.workspace, session.project_id).serving_run
    if run is None:
        return []
    base = _saved_lexicon(runs.get(session.workspace, run).model_folder / "lexicon")
    if base is None:
        return []
    changes = lexicon_changes.current(session.workspace, session.project_id)
    return _places(base.with_words(changes.added).without_words(changes.removed), text)


def dictionary_spans(session: Session, text: str) -> list[Span]:
    """Where words that a person gave a type occur in a text; the type is the label, there is no score."""
    changes = lexicon_changes.current(session.workspace, session.project_id)
    types = {word: kind for word, kind in changes.added.items() if kind}
    if not types:
        return []
    lexicon = _typed_lexicon(tuple(types))
    return [Span(match.head, match.tail + 1, types[match.word]) for match in lexicon.match(text)]


def _places(lexicon: Lexicon, text: str) -> list[Word]:
    return [[match.head, match.tail + 1] for match in lexicon.match(text)[:MOST_WORDS]]


@lru_cache(maxsize=4)
def _typed_lexicon(words: tuple[str, ...]) -> Lexicon:
    # An overlay over nothing: unlike a lexicon of its own it leaves no file in the cache at every new word.
    return Lexicon().with_words([Entry(word) for word in words])


@lru_cache(maxsize=2)
def _saved_lexicon(folder: Path) -> Lexicon | None:
    try:
        return Lexicon.load(folder)
    except LexiconError:
        return None  # a tagger without words, or a damaged folder, which loading the tagger reports

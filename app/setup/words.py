"""The dictionary of a new project: a word list, or the names of the base dictionary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from app.services.errors import AppError
from app.services.importing.words import Words
from app.services.session import Session
from app.ui.server_function import Reply
from core.lexicon import gazetteer, read_word_list
from core.store.lexicon import word_import

SHOWN_PROBLEMS = 50
SHOWN_TYPES = 8
SHOWN_WORDS = 5


def list_object(session: Session, path: Path, progress: Callable[[float], None]) -> Reply:
    """What a word list holds, for the dialog.

    Raises:
        WordListError: it cannot be read. AppError: it holds no word.
    """
    word_list = read_word_list(path, progress)
    if not word_list.entries:
        raise AppError("This file contains no words.")
    entries = word_list.by_word
    types = Counter(entry.type for several in entries.values() for entry in several if entry.type)
    return {
        "words": len(entries),
        "examples": [entry.word for entry in word_list.entries[:SHOWN_WORDS]],
        "types": [list(item) for item in types.most_common(SHOWN_TYPES)],
        "untyped": sum(not any(entry.type for entry in several) for several in entries.values()),
        "refused": len(word_list.problems),
        "problems": [
            [problem.line, session._(problem.message)] for problem in word_list.problems[:SHOWN_PROBLEMS]
        ],
    }


def put(
    session: Session, project_id: int, words: Words, source: str, progress: Callable[[float], None]
) -> None:
    """Import words into a project's empty list, as one batch."""
    if not words:
        return
    word_import.import_list(
        session.workspace, project_id, words, user=session.user, source=source,
        kind="gazetteer" if source == gazetteer.SOURCE else "import",
        progress=lambda done: progress(min(1.0, done / len(words))),
    )  # fmt: skip

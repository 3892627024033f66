"""Import a word list, or jieba's names: read it, preview what it would change, then apply or discard it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.dictionary import word_matches
from app.dictionary.panel import start_list_work
from app.dictionary.word_matches import Touched
from app.services.background.tasks import Task
from app.services.errors import AppError
from app.services.importing.words import Words, words_of, words_of_names
from app.services.session import Session
from core.lexicon import WordListProblem, gazetteer, read_word_list
from core.store.lexicon import batches as lexicon_batches
from core.store.lexicon import word_import as lexicon_import
from core.store.lexicon.batches import Batch
from core.store.lexicon.word_import import ImportPreview

MEMORY = "dictionary.list"
LISTED = 100
LISTED_TYPES = 8


@dataclass(frozen=True, slots=True)
class WaitingList:
    """A list that was read and not yet imported; ``number`` tells it from an earlier one."""

    number: int
    project_id: int
    name: str
    words: Words
    problems: tuple[WordListProblem, ...]
    repeated: int
    case: int
    preview: ImportPreview
    touched: Touched


def read(session: Session, path: Path, name: str) -> dict[str, Any]:
    """Begin to read a file and compare it with the project's list."""
    number = _next(session)

    def make(task: Task[Any]) -> dict[str, Any]:
        word_list = read_word_list(path, lambda share: task.progress("read", share / 2))
        if not word_list.entries and not word_list.problems:
            raise AppError("This file contains no words.")
        words = words_of(word_list)
        preview = lexicon_import.preview(
            session.workspace, session.project_id, words,
            progress=lambda done: task.progress("compare", 0.5 + 0.3 * done / max(1, len(words))),
        )  # fmt: skip
        task.progress("documents", 0.8)
        touched = word_matches.touched(session, words) if words else Touched(0, 0, 0)
        session.memory[MEMORY] = WaitingList(
            number, session.project_id, name, words, word_list.problems, word_list.repeated,
            word_list.differing_in_case(), preview, touched,
        )  # fmt: skip
        return {"list": number}

    return start_list_work(session, "read", make)


def waiting(session: Session) -> WaitingList | None:
    """The list waiting to be imported, or None."""
    kept = session.memory.get(MEMORY)
    return kept if isinstance(kept, WaitingList) and kept.project_id == session.project_id else None


def drop(session: Session) -> None:
    """Discard the waiting list."""
    session.memory.pop(MEMORY, None)


def import_list(session: Session, number: int, choice: str, choices: Mapping[str, str]) -> dict[str, Any]:
    """Begin to import the waiting list.

    Raises:
        AppError: another list waits, or none.
    """
    waiting_list = waiting(session)
    if waiting_list is None or waiting_list.number != number:
        raise AppError("This list is no longer there; choose the file again.")

    def write(task: Task[Any]) -> dict[str, Any]:
        batch = lexicon_import.import_list(
            session.workspace, session.project_id, waiting_list.words, user=session.user,
            source=waiting_list.name, choice=choice, choices=choices,
            progress=_writing(task, len(waiting_list.words)),
        )  # fmt: skip
        drop(session)
        return after(session, batch)

    return start_list_work(session, "import", write)


def bring_names(session: Session, labels: Mapping[str, str], choice: str) -> dict[str, Any]:
    """Begin to import jieba's names, each kind with the label given for it.

    Raises:
        AppError: no kind was chosen.
    """
    words = words_of_names(labels)
    if not words:
        raise AppError("Choose at least one kind of names and its label.")

    def write(task: Task[Any]) -> dict[str, Any]:
        batch = lexicon_import.import_list(
            session.workspace, session.project_id, words, user=session.user, source=gazetteer.SOURCE,
            choice=choice, kind="gazetteer", progress=_writing(task, len(words)),
        )  # fmt: skip
        return after(session, batch)

    return start_list_work(session, "gazetteer", write)


def after(session: Session, batch: Batch) -> dict[str, Any]:
    """The counts of a finished batch, for the page; predictions it may change are dropped."""
    word_matches.forget_predictions(
        session, lexicon_batches.words_of(session.workspace, session.project_id, batch.id)
    )
    return {
        "batch": batch.id, "added": batch.added, "removed": batch.removed, "changed": batch.changed,
    }  # fmt: skip


def list_object(session: Session, waiting_list: WaitingList) -> dict[str, Any]:
    """The waiting list as JSON for the page."""
    return {
        "number": waiting_list.number,
        "name": waiting_list.name,
        "words": len(waiting_list.words),
        "counts": dict(waiting_list.preview.counts),
        "examples": {kind: list(words) for kind, words in waiting_list.preview.examples.items()},
        "types": _types(waiting_list)[:LISTED_TYPES],
        "untyped": sum(not any(entry.type for entry in entries) for entries in waiting_list.words.values()),
        "ambiguous": waiting_list.preview.ambiguous,
        "repeated": waiting_list.repeated,
        "case": waiting_list.case,
        "refused": len(waiting_list.problems),
        "problems": [
            [problem.line, session._(problem.message)] for problem in waiting_list.problems[:LISTED]
        ],
        "conflicts": [
            {
                "word": conflict.word,
                "ours": [e.type for e in conflict.ours],
                "theirs": [e.type for e in conflict.theirs],
            }
            for conflict in waiting_list.preview.conflicts[:LISTED]
        ],
        "touched": {
            "documents": waiting_list.touched.estimate,
            "exact": waiting_list.touched.exact,
            "read": waiting_list.touched.read,
            "all": waiting_list.touched.all,
        },
    }


def _types(waiting_list: WaitingList) -> list[tuple[str, int]]:
    """The types of the list with their numbers of words, most frequent first."""
    counts = Counter(entry.type for entries in waiting_list.words.values() for entry in entries if entry.type)
    return counts.most_common()


def refused_lines(waiting_list: WaitingList) -> str:
    """The rejected lines, each below a comment with its number and the reason, to correct and read again."""
    return "".join(
        f"# {problem.line}: {' '.join(problem.reason.split())}\n{problem.content}\n"
        for problem in waiting_list.problems
    )


def _writing(task: Task[Any], total: int) -> Callable[[int], None]:
    return lambda done: task.progress("write", min(1.0, done / max(1, total)))


def _next(session: Session) -> int:
    waiting_lists = session.memory.get(MEMORY)
    number = session.memory.get(f"{MEMORY}.number", 0)
    session.memory[f"{MEMORY}.number"] = next_number = (number if isinstance(number, int) else 0) + 1
    if waiting_lists is not None:
        drop(session)
    return next_number

"""The words a person added to or took out of a project's lexicon; every change can be undone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from core.store.clock import now
from core.store.errors import PayloadError, StoreError
from core.store.payload import checked_user
from core.store.projects import row_of
from core.store.workspace import Workspace

LONGEST_WORD = 100


@dataclass(frozen=True, slots=True)
class LexiconChanges:
    """How the project's lexicon differs from its base: words added (with type or ""), words removed."""

    added: Mapping[str, str] = field(default_factory=dict)
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """One word of one change; changes made together share ``batch``. ``at`` in UTC ms."""

    batch: int
    word: str
    change: str
    type: str
    user: str
    at: int


def current(workspace: Workspace, project_id: int) -> LexiconChanges:
    """What stands: the latest change of each word that was not undone; words in alphabetical order."""
    with workspace.reading() as db:
        row_of(db, project_id)
        rows = db.execute(
            "SELECT word, change, type FROM lexicon_changes WHERE id IN (SELECT max(id) FROM lexicon_changes "
            "WHERE project_id = ? AND undone IS NULL GROUP BY word) ORDER BY word",
            (project_id,),
        ).fetchall()
    return LexiconChanges(
        {row["word"]: row["type"] for row in rows if row["change"] == "added"},
        tuple(row["word"] for row in rows if row["change"] == "removed"),
    )


def add(workspace: Workspace, project_id: int, words: Mapping[str, str] | Iterable[str], *, user: str) -> int:
    """Add words (a mapping gives each its type, such as ``TITLE``); returns the batch, for ``undo``.

    Raises:
        PayloadError: no words, an empty or too long one, or one with a tab or line break.
    """
    typed = dict(words) if isinstance(words, Mapping) else dict.fromkeys(words, "")
    return _change(workspace, project_id, "added", typed, user)


def remove(workspace: Workspace, project_id: int, words: Iterable[str], *, user: str) -> int:
    """Take words out of the lexicon, whether the base or a person put them in; returns the batch.

    Raises:
        PayloadError: as ``add``.
    """
    return _change(workspace, project_id, "removed", dict.fromkeys(words, ""), user)


def undo(workspace: Workspace, project_id: int, batch: int | None = None) -> list[Change]:
    """Undo one batch (None: the latest that stands); returns its changes.

    Raises:
        StoreError: there is nothing to undo.
    """
    with workspace.writing() as db:
        if batch is None:
            batch = db.execute(
                "SELECT max(batch) FROM lexicon_changes WHERE project_id = ? AND undone IS NULL",
                (project_id,),
            ).fetchone()[0]
        undone = _read(db, "project_id = ? AND batch = ? AND undone IS NULL", (project_id, batch))
        if not undone:
            raise StoreError("no change of the word list is left to undo")
        db.execute(
            "UPDATE lexicon_changes SET undone = ? WHERE project_id = ? AND batch = ?",
            (now(), project_id, batch),
        )
    return undone


def history(workspace: Workspace, project_id: int, limit: int = 200) -> list[Change]:
    """The latest changes that were not undone, newest first."""
    with workspace.reading() as db:
        return _read(db, "project_id = ? AND undone IS NULL ORDER BY id DESC LIMIT ?", (project_id, limit))


def lines(changes: LexiconChanges) -> list[str]:
    """The lines of a snapshot's ``lexicon.tsv``: ``added`` or ``removed``, tab, the word, tab, its type."""
    added = [f"added\t{word}\t{type_}\n" for word, type_ in changes.added.items()]
    return added + [f"removed\t{word}\t\n" for word in changes.removed]


def _change(workspace: Workspace, project_id: int, change: str, words: dict[str, str], user: str) -> int:
    user = checked_user(user)
    checked = {_word(word): _type(type_) for word, type_ in words.items()}
    if not checked:
        raise PayloadError("no words given; type at least one")
    with workspace.writing() as db:
        row_of(db, project_id)
        batch = 1 + int(db.execute("SELECT coalesce(max(batch), 0) FROM lexicon_changes").fetchone()[0])
        at = now()
        db.executemany(
            "INSERT INTO lexicon_changes (project_id, batch, word, change, type, user, at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(project_id, batch, word, change, type_, user, at) for word, type_ in checked.items()],
        )
    return batch


def _read(db: sqlite3.Connection, where: str, values: tuple[object, ...]) -> list[Change]:
    rows = db.execute(
        f"SELECT batch, word, change, type, user, at FROM lexicon_changes WHERE {where}",  # noqa: S608 - ours
        values,
    )
    return [Change(*row) for row in rows]


def _word(word: object) -> str:
    cleaned = word.strip() if isinstance(word, str) else ""
    if not cleaned or len(cleaned) > LONGEST_WORD or any(char in cleaned for char in "\t\r\n\0"):
        raise PayloadError(f"a word has 1 to {LONGEST_WORD} characters in one line, got {str(word)[:40]!r}")
    return cleaned


def _type(type_: object) -> str:
    if not isinstance(type_, str) or len(type_) > LONGEST_WORD or any(char in type_ for char in "\t\r\n\0"):
        raise PayloadError(f"a word's type is one short line, got {str(type_)[:40]!r}")
    return type_.strip()

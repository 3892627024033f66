"""The knowledge bases of a project: import, list, delete, and undoing these."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from core.store.db.errors import NotFound, PayloadError, StoreError
from core.store.db.payload import checked_user
from core.store.db.workspace import Workspace
from core.store.knowledge import versions
from core.store.knowledge.versions import Numbered
from core.store.lexicon import changes as lexicon_changes
from core.store.project import journal
from core.store.project.journal import Step
from core.store.project.projects import checked_id, row_of
from core.text.entity_link import LONGEST_SOURCE, EntityLink
from core.text.knowledge_entry import KnowledgeEntry

KIND = "knowledge"  # of a step of the journal
MOST_TOLD = 1_000  # repeated ids that are told one by one


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """A knowledge base with its current version: entries, file, and who imported it when (UTC ms)."""

    id: int
    name: str
    entries: int
    file: str
    user: str
    at: int


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import.

    Args:
        base: as it is now. read: entries that were written from the file. kept: entries of the version
            before that the file does not have, in a merge. repeated: lines whose id an earlier line has.
        step: of the journal, to undo it.
    """

    base: KnowledgeBase
    read: int
    kept: int
    repeated: tuple[tuple[int, str], ...]
    step: int


class VersionGone(StoreError):
    """The version before an import or a deletion has been deleted, so the step cannot be undone."""

    def __init__(self, name: str) -> None:
        super().__init__(
            "the knowledge base {name} has been imported again since, and the version before that step is "
            "gone; import its file again",
            name=name,
        )


def listed(workspace: Workspace, project_id: int) -> list[KnowledgeBase]:
    """The knowledge bases of a project, by name."""
    with workspace.reading() as db:
        row_of(db, project_id)
        rows = db.execute(f"{_BASES} WHERE b.project_id = ? ORDER BY b.name", (project_id,))
        return [_base(row) for row in rows]


def put(
    workspace: Workspace,
    project_id: int,
    name: str,
    entries: Iterable[Numbered],
    *,
    user: str,
    file: str = "",
    merge: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Imported:
    """Import entries as the knowledge base ``name``, as one step that can be undone.

    Args:
        entries: with their lines; of two with the same id the first is taken.
        merge: keep the entries of the current version whose ids are not among these; else it is replaced.
        progress: called with the number of entries written; may raise to stop, which changes nothing.

    Raises:
        PayloadError: an invalid name, or no entries. NotFound: no such project.
    """
    name, user = _checked_name(name), checked_user(user)
    with workspace.writing() as db:
        row_of(db, project_id)
        db.execute(
            "INSERT OR IGNORE INTO knowledge_bases (project_id, name) VALUES (?, ?)", (project_id, name)
        )
        row = db.execute(
            "SELECT id, current FROM knowledge_bases WHERE project_id = ? AND name = ?", (project_id, name)
        ).fetchone()
        number = versions.begin(db, row["id"], user, file)
    repeated: list[tuple[int, str]] = []

    def note(line: int, id_: str) -> None:
        if len(repeated) < MOST_TOLD:
            repeated.append((line, id_))

    try:
        read = versions.write(workspace, number, entries, note, progress)
        if not read:
            raise PayloadError("there are no entries; nothing was imported")
        kept = versions.copy_missing(workspace, row["current"], number) if merge and row["current"] else 0
        with workspace.writing() as db:
            db.execute("UPDATE knowledge_versions SET entries = ? WHERE id = ?", (read + kept, number))
            before = _current(db, row["id"])
            step = _turn(db, project_id, row["id"], before, number, user)
    except BaseException:
        versions.discard(workspace, number)
        raise
    versions.discard_unused(workspace, row["id"], (before, number))
    with workspace.reading() as db:
        base = _base(db.execute(f"{_BASES} WHERE b.id = ?", (row["id"],)).fetchone())
    return Imported(base, read, kept, tuple(repeated), step)


def put_words(workspace: Workspace, project_id: int, name: str, *, user: str) -> Imported:
    """Import the words that the project's dictionary has now: each is an entry whose id and name it is.

    Raises:
        PayloadError: the dictionary has no words of its own, or an invalid name.
    """
    words = lexicon_changes.current(workspace, project_id).added
    fits = ((at, KnowledgeEntry(word, word, type=type_)) for at, (word, type_) in enumerate(words.items(), 1))
    return put(workspace, project_id, name, fits, user=user)


def delete(workspace: Workspace, project_id: int, base: int, *, user: str) -> int:
    """Delete a knowledge base; links to it stay as they are. Returns the step, to undo it.

    Raises:
        NotFound: the project has no such knowledge base.
    """
    with workspace.writing() as db:
        before = db.execute(
            "SELECT current FROM knowledge_bases WHERE id = ? AND project_id = ? AND current IS NOT NULL",
            (checked_id(base), checked_id(project_id)),
        ).fetchone()
        if before is None:
            raise NotFound("knowledge base", base)
        return _turn(db, project_id, base, before["current"], None, checked_user(user))


@journal.undoes(KIND)
def _undo(workspace: Workspace, step: Step, user: str, progress: journal.Progress | None) -> None:
    """Make the version before the step the current one again.

    Raises:
        VersionGone: it has been deleted, or another step came after this one.
    """
    base, before, after = step.detail["base"], step.detail["before"], step.detail["after"]
    with workspace.writing() as db:
        row = db.execute("SELECT name, current FROM knowledge_bases WHERE id = ?", (base,)).fetchone()
        there = (
            before is None
            or db.execute("SELECT 1 FROM knowledge_versions WHERE id = ?", (before,)).fetchone()
        )
        if row is None or row["current"] != after or not there:
            raise VersionGone(row["name"] if row else str(base))
        db.execute("UPDATE knowledge_bases SET current = ? WHERE id = ?", (before, base))
        journal.close(db, step)


_BASES = (
    "SELECT b.id, b.name, v.entries, v.file, v.user, v.at FROM knowledge_bases b "
    "JOIN knowledge_versions v ON v.id = b.current"
)


def _current(db: sqlite3.Connection, base: int) -> int | None:
    number: int | None = db.execute("SELECT current FROM knowledge_bases WHERE id = ?", (base,)).fetchone()[0]
    return number


def _turn(
    db: sqlite3.Connection, project_id: int, base: int, before: int | None, after: int | None, user: str
) -> int:
    db.execute("UPDATE knowledge_bases SET current = ? WHERE id = ?", (after, base))
    return journal.record(db, project_id, KIND, user, {"base": base, "before": before, "after": after}).id


def _base(row: sqlite3.Row) -> KnowledgeBase:
    return KnowledgeBase(row["id"], row["name"], row["entries"], row["file"], row["user"], row["at"])


def _checked_name(name: object) -> str:
    if not isinstance(name, str) or not name.strip():
        raise PayloadError(
            "a knowledge base needs a name of at most {longest} characters", longest=LONGEST_SOURCE
        )
    try:
        return EntityLink("-", source=name.strip()).source
    except ValueError as error:
        raise PayloadError("{reason}", reason=error) from error

"""A project's regular expressions that suggest spans."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from core.store.db.clock import now
from core.store.db.errors import NotFound, PayloadError
from core.store.db.payload import checked_user
from core.store.db.workspace import Workspace
from core.store.label.ids import label_ids
from core.store.project.projects import checked_id, row_of
from core.text import UnknownLabelError
from core.text.pattern import check_pattern

MOST_PATTERNS = 200
# A pattern of a deleted label is not read.
_PATTERNS = (
    "SELECT p.*, r.name FROM patterns p JOIN labels l ON l.id = p.label JOIN labels r ON r.id = l.reads_as"
)


@dataclass(frozen=True, slots=True)
class ProjectPattern:
    """One pattern. ``at`` and ``trashed`` in UTC ms; ``trashed`` is None unless it is deleted."""

    id: int
    pattern: str
    label: str
    enabled: bool
    user: str
    at: int
    trashed: int | None


def all_patterns(workspace: Workspace, project_id: int, *, trashed: bool = False) -> list[ProjectPattern]:
    """The project's patterns in order of creation; with ``trashed`` the deleted ones, latest first."""
    with workspace.reading() as db:
        row_of(db, project_id)
        rows = db.execute(
            f"{_PATTERNS} WHERE p.project_id = ? AND (p.trashed IS NOT NULL) = ? "
            "ORDER BY p.trashed DESC, p.id",
            (project_id, trashed),
        ).fetchall()
    return [_pattern(row) for row in rows]


def add(workspace: Workspace, project_id: int, pattern: str, label: str, *, user: str) -> ProjectPattern:
    """Add an enabled pattern, or restore the same one.

    Raises:
        PatternError: invalid; says where. UnknownLabelError: the project has no such label.
        PayloadError: too many patterns.
    """
    pattern, user = check_pattern(pattern), checked_user(user)
    with workspace.writing() as db:
        labels = label_ids(db, project_id)
        if label not in labels.listed:
            raise UnknownLabelError(label, labels.listed)
        existing = db.execute(
            "SELECT id FROM patterns WHERE project_id = ? AND pattern = ? "
            "AND label IN (SELECT value FROM json_each(?))",
            (project_id, pattern, json.dumps(labels.read_as(label))),
        ).fetchone()
        if existing is not None:
            db.execute("UPDATE patterns SET enabled = 1, trashed = NULL WHERE id = ?", (existing["id"],))
            return _pattern(_row(db, project_id, existing["id"]))
        (count,) = db.execute(
            f"SELECT count(*) FROM ({_PATTERNS} WHERE p.project_id = ? AND p.trashed IS NULL)",  # noqa: S608 - ours
            (project_id,),
        ).fetchone()
        if count >= MOST_PATTERNS:
            raise PayloadError("a project has at most {most} patterns; delete one first", most=MOST_PATTERNS)
        cursor = db.execute(
            "INSERT INTO patterns (project_id, pattern, label, user, at) VALUES (?, ?, ?, ?, ?)",
            (project_id, pattern, labels.listed[label], user, now()),
        )
        return _pattern(_row(db, project_id, int(cursor.lastrowid or 0)))


def set_enabled(workspace: Workspace, project_id: int, pattern_id: int, enabled: bool) -> ProjectPattern:
    """Enable or disable a pattern.

    Raises:
        NotFound: the project has no such pattern.
    """
    return _set(workspace, project_id, pattern_id, "enabled", int(bool(enabled)))


def trash(workspace: Workspace, project_id: int, pattern_id: int) -> ProjectPattern:
    """Move a pattern to the trash.

    Raises:
        NotFound: the project has no such pattern.
    """
    return _set(workspace, project_id, pattern_id, "trashed", now())


def restore(workspace: Workspace, project_id: int, pattern_id: int) -> ProjectPattern:
    """Restore a deleted pattern.

    Raises:
        NotFound: the project has no such pattern.
    """
    return _set(workspace, project_id, pattern_id, "trashed", None)


_SET = {
    "enabled": "UPDATE patterns SET enabled = ? WHERE id = ?",
    "trashed": "UPDATE patterns SET trashed = ? WHERE id = ?",
}


def _set(
    workspace: Workspace, project_id: int, pattern_id: int, column: str, value: int | None
) -> ProjectPattern:
    with workspace.writing() as db:
        _row(db, project_id, pattern_id)
        db.execute(_SET[column], (value, pattern_id))
        return _pattern(_row(db, project_id, pattern_id))


def _row(db: sqlite3.Connection, project_id: int, pattern_id: int) -> sqlite3.Row:
    row: sqlite3.Row | None = db.execute(
        f"{_PATTERNS} WHERE p.id = ? AND p.project_id = ?", (checked_id(pattern_id), project_id)
    ).fetchone()
    if row is None:
        raise NotFound("pattern", pattern_id)
    return row


def _pattern(row: sqlite3.Row) -> ProjectPattern:
    return ProjectPattern(
        row["id"], row["pattern"], row["name"], bool(row["enabled"]), row["user"], row["at"], row["trashed"]
    )

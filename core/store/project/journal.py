"""The journal of a project: its undoable steps.

The module that records a kind of step defines its detail and how it is undone.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.store.db.cells import load_json
from core.store.db.clock import now
from core.store.db.errors import NotFound
from core.store.db.payload import checked_user
from core.store.project.projects import checked_id


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the journal; ``undone``: when it was undone (UTC ms), or None."""

    id: int
    project_id: int
    kind: str
    user: str
    at: int
    undone: int | None
    detail: Mapping[str, Any]


def record(db: sqlite3.Connection, project_id: int, kind: str, user: str, detail: Mapping[str, Any]) -> Step:
    """Record a step in an open transaction.

    Raises:
        PayloadError: invalid user name.
    """
    at = now()
    made = db.execute(
        "INSERT INTO steps (project_id, kind, user, at, detail) VALUES (?, ?, ?, ?, ?)",
        (project_id, kind, checked_user(user), at, json.dumps(dict(detail), ensure_ascii=False)),
    )
    return Step(int(made.lastrowid or 0), project_id, kind, user, at, None, dict(detail))


def read(db: sqlite3.Connection, project_id: int, step_id: int, kinds: Iterable[str], what: str) -> Step:
    """The step of this number.

    Raises:
        NotFound: the project has none of these kinds; names ``what`` was looked for.
    """
    row = db.execute(
        "SELECT * FROM steps WHERE id = ? AND project_id = ? AND kind IN (SELECT value FROM json_each(?))",
        (checked_id(step_id), checked_id(project_id), json.dumps(list(kinds))),
    ).fetchone()
    if row is None:
        raise NotFound(what, step_id)
    return _step(row)


def steps(db: sqlite3.Connection, project_id: int, kinds: Iterable[str]) -> list[Step]:
    """The steps of these kinds, newest first, undone ones included."""
    rows = db.execute(
        "SELECT * FROM steps WHERE project_id = ? AND kind IN (SELECT value FROM json_each(?)) "
        "ORDER BY id DESC",
        (project_id, json.dumps(list(kinds))),
    )
    return [_step(row) for row in rows]


def close(db: sqlite3.Connection, step: Step) -> Step:
    """Mark a step as undone, in an open transaction."""
    db.execute("UPDATE steps SET undone = ? WHERE id = ?", (now(), step.id))
    return _step(db.execute("SELECT * FROM steps WHERE id = ?", (step.id,)).fetchone())


def _step(row: sqlite3.Row) -> Step:
    return Step(
        row["id"], row["project_id"], row["kind"], row["user"], row["at"], row["undone"],
        load_json(row["detail"]),
    )  # fmt: skip

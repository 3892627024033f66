"""The journal of a project: all undoable steps, and which of them have been undone.

The module that records a kind of step defines its detail and registers with `undoes` how it is undone; others
call `undo`. Edits of an annotation are events instead: `annotation.undo_steps`. Versions of the guideline are
not undone: an earlier one is saved again.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.store.db.cells import load_json
from core.store.db.clock import now
from core.store.db.errors import NotFound, StoreError
from core.store.db.payload import checked_user
from core.store.db.workspace import Workspace
from core.store.project.projects import checked_id, row_of


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


Progress = Callable[[int], None]  # called with the amount done; may raise to cancel
Undo = Callable[[Workspace, Step, str, Progress | None], Any]
_undo: dict[str, Undo] = {}


class AlreadyUndone(StoreError):
    """The step has already been undone."""

    def __init__(self) -> None:
        super().__init__("this was undone already; reload the page to see what is left to undo")


def undoes(*kinds: str) -> Callable[[Undo], Undo]:
    """Register ``fn(workspace, step, user, progress)`` as the undo function of these kinds.

    It must `close` the step in its last transaction.
    """

    def register(fn: Undo) -> Undo:
        _undo.update(dict.fromkeys(kinds, fn))
        return fn

    return register


def undo(
    workspace: Workspace,
    project_id: int,
    step_id: int,
    *,
    user: str,
    kinds: Iterable[str] = (),
    progress: Progress | None = None,
) -> Any:
    """Undo a step; returns the result of its undo function.

    Args:
        kinds: allowed kinds of the step; () means any. progress: for kinds that may take long.

    Raises:
        NotFound: the project has no such step. AlreadyUndone: it has been undone. Also whatever the undo
            function raises.
    """
    checked_user(user)
    with workspace.reading() as db:
        row_of(db, project_id)
        step = read(db, project_id, step_id, kinds or _undo)
    if step.undone is not None:
        raise AlreadyUndone
    return _undo[step.kind](workspace, step, user, progress)


def record(db: sqlite3.Connection, project_id: int, kind: str, user: str, detail: Mapping[str, Any]) -> Step:
    """Write a step in an open transaction.

    Raises:
        PayloadError: invalid user name.
    """
    at = now()
    made = db.execute(
        "INSERT INTO steps (project_id, kind, user, at, detail) VALUES (?, ?, ?, ?, ?)",
        (project_id, kind, checked_user(user), at, json.dumps(dict(detail), ensure_ascii=False)),
    )
    return Step(int(made.lastrowid or 0), project_id, kind, user, at, None, dict(detail))


def read(db: sqlite3.Connection, project_id: int, step_id: int, kinds: Iterable[str]) -> Step:
    """The step with this id.

    Raises:
        NotFound: the project has no such step of these kinds.
    """
    row = db.execute(
        "SELECT * FROM steps WHERE id = ? AND project_id = ? AND kind IN (SELECT value FROM json_each(?))",
        (checked_id(step_id), checked_id(project_id), json.dumps(list(kinds))),
    ).fetchone()
    if row is None:
        raise NotFound("change", step_id)
    return _step(row)


def steps(db: sqlite3.Connection, project_id: int, kinds: Iterable[str], limit: int = -1) -> list[Step]:
    """The steps of these kinds, newest first, undone ones included; at most ``limit``, or all."""
    rows = db.execute(
        "SELECT * FROM steps WHERE project_id = ? AND kind IN (SELECT value FROM json_each(?)) "
        "ORDER BY id DESC LIMIT ?",
        (checked_id(project_id), json.dumps(list(kinds)), limit),
    )
    return [_step(row) for row in rows]


def latest(
    workspace: Workspace,
    project_id: int,
    kinds: Iterable[str],
    user: str,
    wanted: Callable[[Step], bool] = lambda step: True,
) -> Step | None:
    """The latest of one person's steps of these kinds that is ``wanted`` and not undone, or None."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT * FROM steps WHERE project_id = ? AND kind IN (SELECT value FROM json_each(?)) "
            "AND undone IS NULL AND user = ? ORDER BY id DESC",
            (checked_id(project_id), json.dumps(list(kinds)), user),
        )
        return next(filter(wanted, map(_step, rows)), None)


def close(db: sqlite3.Connection, step: Step) -> Step:
    """Mark a step as undone, in an open transaction.

    Raises:
        AlreadyUndone: somebody else has undone it in the meantime.
    """
    at = now()
    if not db.execute("UPDATE steps SET undone = ? WHERE id = ? AND undone IS NULL", (at, step.id)).rowcount:
        raise AlreadyUndone
    return replace(step, undone=at)


def _step(row: sqlite3.Row) -> Step:
    return Step(
        row["id"], row["project_id"], row["kind"], row["user"], row["at"], row["undone"],
        load_json(row["detail"]),
    )  # fmt: skip

"""The numbered log of what happened in a project, for programs that follow it: the API and webhooks.

A row is written in the transaction of what it tells of, so the numbers grow in the order of the commits: who
has read up to one misses nothing by asking for what comes after it. The history of an annotation is
`annotation.events`; the log only says that there is something new in it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, get_args

from core.store.db.clock import now
from core.store.db.errors import PayloadError
from core.store.db.payload import checked_choice
from core.store.db.workspace import Workspace

Kind = Literal["documents.imported", "document.saved", "document.done", "run.finished", "run.active"]
KINDS: tuple[Kind, ...] = get_args(Kind)
MOST = 1000  # events read at once


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """One row; ``at`` in UTC ms.

    Args:
        document_id, annotator, revision: of a saved or finished annotation; annotator ``''`` is the gold one.
        run: its name; for ``run.active`` None if no run is active any more.
        count: of imported documents.
    """

    id: int
    kind: str
    at: int
    user: str
    document_id: int | None
    annotator: str
    revision: int | None
    run: str | None
    count: int | None


def record(
    db: sqlite3.Connection,
    project_id: int,
    kind: Kind,
    *,
    user: str = "",
    document_id: int | None = None,
    annotator: str = "",
    revision: int | None = None,
    run: str | None = None,
    count: int | None = None,
    at: int | None = None,
) -> None:
    """Append an event in an open write transaction."""
    db.execute(
        "INSERT INTO event_log (project_id, kind, at, user, document_id, annotator, revision, run, count) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (project_id, kind, now() if at is None else at, user, document_id, annotator, revision, run, count),
    )


def since(
    workspace: Workspace,
    project_id: int,
    after: int = 0,
    *,
    limit: int = MOST,
    kinds: Collection[str] = KINDS,
) -> list[LoggedEvent]:
    """The events after number ``after``, oldest first.

    Args:
        limit: 1 to ``MOST``. kinds: only these.

    Raises:
        PayloadError: an unknown kind, or a number out of range.
    """
    for kind in kinds:
        checked_choice(kind, KINDS, "kind")
    if not 0 <= after < 2**63 or not 1 <= limit <= MOST:
        raise PayloadError(
            "events are read from number 0 on, 1 to {most} at once, got {after} and {limit}",
            most=MOST,
            after=str(after)[:40],
            limit=str(limit)[:40],
        )
    with workspace.reading() as db:
        places = ", ".join("?" for _ in kinds)
        rows = db.execute(
            "SELECT id, kind, at, user, document_id, annotator, revision, run, count FROM event_log "  # noqa: S608
            f"WHERE project_id = ? AND id > ? AND kind IN ({places}) ORDER BY id LIMIT ?",
            (project_id, after, *kinds, limit),
        ).fetchall()
    return [LoggedEvent(*row) for row in rows]


def latest(workspace: Workspace, project_id: int) -> int:
    """The number of the project's last event; 0 before the first."""
    with workspace.reading() as db:
        return latest_in(db, project_id)


def latest_in(db: sqlite3.Connection, project_id: int) -> int:
    """``latest`` through an open connection."""
    row = db.execute("SELECT max(id) FROM event_log WHERE project_id = ?", (project_id,)).fetchone()
    return int(row[0] or 0)

"""Candidates for the dictionary that a person rejected: they do not come back until that is undone."""

from __future__ import annotations

from collections.abc import Iterable

from core.store.db.clock import now
from core.store.db.errors import PayloadError, StoreError
from core.store.db.payload import checked_user
from core.store.db.workspace import Workspace
from core.store.lexicon.entries import checked_word
from core.store.project.projects import checked_id, row_of


def reject(workspace: Workspace, project_id: int, surfaces: Iterable[str], *, user: str) -> int:
    """Reject candidates together; returns the batch, for ``undo``.

    Raises:
        PayloadError: none given, or one that can be no word. NotFound: no such project.
    """
    user = checked_user(user)
    checked = list(dict.fromkeys(map(checked_word, surfaces)))
    if not checked:
        raise PayloadError("no candidates given; choose at least one")
    with workspace.writing() as db:
        row_of(db, project_id)
        found = db.execute("SELECT coalesce(max(batch), 0) + 1 FROM rejected_candidates").fetchone()
        batch, at = int(found[0]), now()
        db.executemany(
            "INSERT INTO rejected_candidates (project_id, batch, surface, user, at) VALUES (?, ?, ?, ?, ?)",
            [(project_id, batch, surface, user, at) for surface in checked],
        )
    return batch


def rejected(workspace: Workspace, project_id: int) -> frozenset[str]:
    """The surfaces that stand rejected."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT surface FROM rejected_candidates WHERE project_id = ? AND undone IS NULL",
            (checked_id(project_id),),
        )
        return frozenset(row["surface"] for row in rows)


def undo(workspace: Workspace, project_id: int, batch: int | None = None) -> list[str]:
    """Take a rejection back (None: the latest that stands); returns its surfaces.

    Raises:
        StoreError: there is none.
    """
    with workspace.writing() as db:
        rows = db.execute(
            "SELECT id, surface FROM rejected_candidates WHERE project_id = :project AND undone IS NULL "
            "AND batch = coalesce(:batch, (SELECT max(batch) FROM rejected_candidates "
            "WHERE project_id = :project AND undone IS NULL)) ORDER BY id",
            {"project": checked_id(project_id), "batch": None if batch is None else checked_id(batch)},
        ).fetchall()
        if not rows:
            raise StoreError("no rejection is left to undo")
        at = now()
        db.executemany(
            "UPDATE rejected_candidates SET undone = ? WHERE id = ?", [(at, row["id"]) for row in rows]
        )
    return [row["surface"] for row in rows]

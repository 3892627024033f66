"""Rejected dictionary candidates, which are not suggested again until that is undone."""

from __future__ import annotations

from collections.abc import Iterable

from core.store.db.errors import PayloadError
from core.store.db.payload import checked_user
from core.store.db.workspace import Workspace
from core.store.lexicon.entries import checked_word
from core.store.project import journal
from core.store.project.journal import Step
from core.store.project.projects import checked_id, row_of

KIND = "reject_candidates"  # kind of the journal's steps


def reject(workspace: Workspace, project_id: int, surfaces: Iterable[str], *, user: str) -> int:
    """Reject candidates; returns the step, for ``journal.undo``.

    Raises:
        PayloadError: no candidates, or an invalid word. NotFound: no such project.
    """
    user = checked_user(user)
    checked = list(dict.fromkeys(map(checked_word, surfaces)))
    if not checked:
        raise PayloadError("no candidates given; choose at least one")
    with workspace.writing() as db:
        row_of(db, project_id)
        return journal.record(db, project_id, KIND, user, {"surfaces": checked}).id


def rejected(workspace: Workspace, project_id: int) -> frozenset[str]:
    """The rejected surfaces."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT one.value FROM steps s, json_each(s.detail, '$.surfaces') one "
            "WHERE s.project_id = ? AND s.kind = ? AND s.undone IS NULL",
            (checked_id(project_id), KIND),
        )
        return frozenset(row[0] for row in rows)


@journal.undoes(KIND)
def _undo(workspace: Workspace, step: Step, user: str, progress: journal.Progress | None) -> list[str]:
    """Undo a rejection; returns its surfaces."""
    with workspace.writing() as db:
        return list(journal.close(db, step).detail["surfaces"])

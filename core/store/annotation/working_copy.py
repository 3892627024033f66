"""The annotation a person works on: a copy of their own in a separate project, else the agreed one.

The same calls as `annotations` and `looked`, each with the person, so that a page
need not know which it is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from core.store.annotation import annotations as agreed
from core.store.annotation import copies, looked, looked_marks
from core.store.annotation.annotations import Annotation, Saved
from core.store.annotation.events import Event
from core.store.annotation.looked import Looked
from core.store.annotation.looked_marks import MarkEvent, Stretch
from core.store.db.workspace import Workspace
from core.store.document.documents import document_row
from core.store.project import members
from core.store.project.assignments import is_handed


def is_own(workspace: Workspace, document_id: int, user: str) -> bool:
    """Whether the person works on a copy of their own here (False: on the agreed annotation).

    Raises:
        NotAllowed: they may not work on this document at all. NotFound: no such document.
    """
    with workspace.reading() as db:
        return _is_own(db, document_row(db, document_id), user)


def current(workspace: Workspace, document_id: int, user: str) -> Annotation:
    """As ``annotations.current``. Raises NotAllowed where the person may not see the document."""
    if is_own(workspace, document_id, user):
        return copies.current(workspace, document_id, user)
    return agreed.current(workspace, document_id)


def save(
    workspace: Workspace,
    document_id: int,
    base_revision: int,
    spans: Iterable[object],
    rejected: Iterable[object] = (),
    *,
    user: str,
    **options: Any,
) -> Saved:
    """As ``annotations.save``. Raises NotAllowed where the person may not work on the document."""
    with workspace.writing() as db:  # a role or a hand taken away in between counts
        module: Any = copies if _is_own(db, document_row(db, document_id), user) else agreed
        saved: Saved = module.save(
            workspace, document_id, base_revision, spans, rejected, user=user, **options
        )
        return saved


def history(workspace: Workspace, document_id: int, user: str) -> list[Event]:
    """As ``annotations.history``. Raises NotAllowed where the person may not see the document."""
    if is_own(workspace, document_id, user):
        return copies.history(workspace, document_id, user)
    return agreed.history(workspace, document_id)


def revert(workspace: Workspace, document_id: int, to_revision: int, *, user: str, **options: Any) -> Saved:
    """As ``annotations.revert``. Raises NotAllowed where the person may not work on the document."""
    with workspace.writing() as db:
        module: Any = copies if _is_own(db, document_row(db, document_id), user) else agreed
        saved: Saved = module.revert(workspace, document_id, to_revision, user=user, **options)
        return saved


def looked_at(workspace: Workspace, document_id: int, user: str) -> Looked:
    """As ``looked.get``. Raises NotAllowed where the person may not see the document."""
    if is_own(workspace, document_id, user):
        return copies.looked_at(workspace, document_id, user)
    return looked.get(workspace, document_id)


def change_marks(
    workspace: Workspace, document_id: int, stretches: Sequence[Stretch], *, user: str, way: str = "mark"
) -> Looked:
    """As ``looked.change_marks``. Raises NotAllowed where the person may not work on the document."""
    with workspace.writing() as db:
        module: Any = copies if _is_own(db, document_row(db, document_id), user) else looked
        found: Looked = module.change_marks(workspace, document_id, stretches, user=user, way=way)
        return found


def mark_history(workspace: Workspace, document_id: int, user: str) -> list[MarkEvent]:
    """As ``looked_marks.events_of``. Raises NotAllowed where the person may not see the document."""
    if is_own(workspace, document_id, user):
        return copies.mark_history(workspace, document_id, user)
    with workspace.reading() as db:
        return looked_marks.events_of(db, document_id)


def _is_own(db: sqlite3.Connection, row: sqlite3.Row, user: str) -> bool:
    project_id = row["project_id"]
    members.check_in(db, project_id, user, "annotate")
    if not members.is_separate(db, project_id):
        return False
    if is_handed(db, row["id"], user):
        return True
    if members.has_right(db, project_id, user, "see_documents"):
        return False
    raise members.not_handed(db, row, user)

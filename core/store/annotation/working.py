"""The annotation a user works on: their own version in projects with individual versions, else gold.

These are the calls of `annotations` and `regions` for that annotation.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from core.store.annotation import annotations as saved
from core.store.annotation import regions
from core.store.annotation.annotations import Annotation, Saved
from core.store.annotation.events import Event
from core.store.annotation.regions import Annotated, MarkEvent, Stretch
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.document.documents import GOLD, document_row
from core.store.project import members
from core.store.project.assignments import is_assigned
from core.text import Document


def annotator(workspace: Workspace, document_id: int, user: str) -> str:
    """The annotator whose version the user works on: the user, or ``GOLD``.

    Raises:
        NotAllowed: they may not work on this document. NotFound: no such document.
    """
    with workspace.reading() as db:
        return _annotator(db, document_id, user)


def current(workspace: Workspace, document_id: int, user: str) -> Annotation:
    """As ``annotations.current``. Raises NotAllowed where the person may not see the document."""
    return saved.current(workspace, document_id, annotator(workspace, document_id, user))


def without_spans(workspace: Workspace, document_id: int, user: str) -> Document:
    """As ``documents.without_spans``. Raises NotAllowed where the person may not see the document."""
    annotator(workspace, document_id, user)
    return documents.without_spans(workspace, document_id)


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
    with workspace.writing() as db:  # in the transaction, as roles and assignments may change
        whose = _annotator(db, document_id, user)
        return saved.save(
            workspace, document_id, base_revision, spans, rejected, user=user, annotator=whose, **options
        )


def history(workspace: Workspace, document_id: int, user: str) -> list[Event]:
    """As ``annotations.history``. Raises NotAllowed where the person may not see the document."""
    return saved.history(workspace, document_id, annotator(workspace, document_id, user))


def revert(workspace: Workspace, document_id: int, to_revision: int, *, user: str, **options: Any) -> Saved:
    """As ``annotations.revert``. Raises NotAllowed where the person may not work on the document."""
    with workspace.writing() as db:
        whose = _annotator(db, document_id, user)
        return saved.revert(workspace, document_id, to_revision, user=user, annotator=whose, **options)


def annotated(workspace: Workspace, document_id: int, user: str) -> Annotated:
    """As ``regions.get``. Raises NotAllowed where the person may not see the document."""
    return regions.get(workspace, document_id, annotator(workspace, document_id, user))


def mark(
    workspace: Workspace, document_id: int, stretches: Sequence[Stretch], *, user: str, way: str = "mark"
) -> Annotated:
    """As ``regions.mark``. Raises NotAllowed where the person may not work on the document."""
    with workspace.writing() as db:
        whose = _annotator(db, document_id, user)
        return regions.mark(workspace, document_id, stretches, user=user, annotator=whose, way=way)


def mark_history(workspace: Workspace, document_id: int, user: str) -> list[MarkEvent]:
    """As ``regions.mark_history``. Raises NotAllowed where the person may not see the document."""
    return regions.mark_history(workspace, document_id, annotator(workspace, document_id, user))


def _annotator(db: sqlite3.Connection, document_id: int, user: str) -> str:
    row = document_row(db, document_id)
    project_id = row["project_id"]
    members.check_in(db, project_id, user, "annotate")
    if not members.is_separate(db, project_id):
        return GOLD
    if is_assigned(db, row["id"], user):
        return user
    if members.has_right(db, project_id, user, "see_documents"):
        return GOLD
    raise members.not_assigned(db, row, user)

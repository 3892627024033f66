"""What is stored of an annotation as it stands: its head (revision, status, rejected spans) and its spans."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from core.store.annotation.events import imported
from core.store.db.payload import IGNORED
from core.store.db.span_json import Item, item_of_row
from core.store.document.documents import GOLD, document_row
from core.store.project import members
from core.store.project.assignments import is_assigned


@dataclass(frozen=True, slots=True)
class Head:
    """Revision, status and rejected spans of an annotation, as stored; ``reason``: why it is ignored."""

    annotator: str
    revision: int
    status: str
    rejected: str
    reason: str = ""


def assigned_row(db: sqlite3.Connection, document_id: int, annotator: str) -> sqlite3.Row:
    """The document's row, if it is assigned to the annotator; ``GOLD`` may always.

    Raises:
        NotAllowed: it is not. NotFound: no such document.
    """
    row = document_row(db, document_id)
    if annotator != GOLD:
        members.check_in(db, row["project_id"], annotator, "annotate")
        if not is_assigned(db, row["id"], annotator):
            raise members.not_assigned(db, row, annotator)
    return row


def opened(db: sqlite3.Connection, document_id: int, annotator: str) -> tuple[sqlite3.Row, Head]:
    """The document's row and the head of the annotation, as ``assigned_row``."""
    row = assigned_row(db, document_id, annotator)
    return row, head_of(db, row, annotator)


def head_of(db: sqlite3.Connection, row: sqlite3.Row, annotator: str) -> Head:
    """The head of an annotation of the document with this row."""
    annotation = row
    if annotator != GOLD:
        annotation = db.execute(
            "SELECT revision, status, rejected FROM versions WHERE document_id = ? AND annotator = ?",
            (row["id"], annotator),
        ).fetchone()
    if annotation is None:
        return Head(annotator, 0, "new", "[]")
    revision, status = annotation["revision"], annotation["status"]
    reason = _reason(db, row["id"], annotator, revision) if status == IGNORED else ""
    return Head(annotator, revision, status, annotation["rejected"], reason)


def _reason(db: sqlite3.Connection, document_id: int, annotator: str, revision: int) -> str:
    event = db.execute(
        "SELECT reason FROM events WHERE document_id = ? AND annotator = ? AND revision = ?",
        (document_id, annotator, revision),
    ).fetchone()
    return event["reason"] if event else ""


def stored_items(db: sqlite3.Connection, document_id: int, head: Head) -> list[Item]:
    """The stored spans; before the first save of a version, the imported ones."""
    if head.annotator != GOLD and not head.revision:
        return imported(db, document_id)
    rows = db.execute(
        'SELECT start, "end", label, score, link FROM spans WHERE document_id = ? AND annotator = ? '
        'ORDER BY start, "end" DESC',
        (document_id, head.annotator),
    )
    return [item_of_row(row) for row in rows]

"""The annotators' versions of a document, for adjudication."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from core.store.annotation import regions
from core.store.annotation.annotations import version_spans
from core.store.db.workspace import Workspace
from core.store.label.ids import read_names
from core.store.review.opinions import reviewed_row
from core.text import Span
from core.text.annotated_regions import Region


@dataclass(frozen=True, slots=True)
class Version:
    """One annotator's version of a document: spans, status, revision, last save (UTC ms).

    ``annotated``: its annotated regions; None for all of it. Outside, the annotator abstains.
    """

    user: str
    spans: tuple[Span, ...]
    status: str
    revision: int
    updated: int
    annotated: tuple[Region, ...] | None = None


def versions(
    workspace: Workspace, document_id: int, *, by: str, finished_only: bool = True
) -> tuple[Version, ...]:
    """The versions of a document, by annotator's name.

    Args:
        finished_only: leave out versions that are not done.

    Raises:
        NotAllowed: ``by`` may not review. NotFound: no such document.
    """
    with workspace.reading() as db:
        row = reviewed_row(db, document_id, by)
        return versions_of(db, row, finished_only=finished_only)


def versions_of(
    db: sqlite3.Connection, document: sqlite3.Row, *, finished_only: bool = True
) -> tuple[Version, ...]:
    """``versions`` through an open connection, without checking rights."""
    rows = db.execute(
        "SELECT v.* FROM versions v JOIN assignments a "
        "ON a.document_id = v.document_id AND a.user = v.annotator "
        "WHERE v.document_id = ? AND (NOT ? OR v.status = 'done') ORDER BY v.annotator",
        (document["id"], finished_only),
    ).fetchall()
    names = read_names(db, document["project_id"])
    return tuple(
        Version(
            row["annotator"],
            version_spans(db, document["id"], row["annotator"], names),
            row["status"],
            row["revision"],
            row["updated"],
            _annotated(db, document, row),
        )
        for row in rows
    )


def _annotated(
    db: sqlite3.Connection, document: sqlite3.Row, version: sqlite3.Row
) -> tuple[Region, ...] | None:
    if version["status"] == "done":
        return None
    statuses = {document["id"]: version["status"]}
    annotated = regions.of_versions(db, [document], statuses, version["annotator"])[document["id"]]
    return None if annotated.whole else annotated.regions

"""Labelled surfaces."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from core.store.annotation.occurrences import CONTEXT
from core.store.annotation.scope import Scope
from core.store.db.workspace import Workspace
from core.store.label.ids import label_ids
from core.store.project.projects import checked_id

MOST_SURFACES = 500


@dataclass(frozen=True, slots=True)
class Labelled:
    """A surface of a label: number of spans and documents, and its first occurrence in context."""

    surface: str
    times: int
    documents: int
    name: str
    before: str
    after: str


def surfaces(
    workspace: Workspace, project_id: int, label: str, limit: int = MOST_SURFACES
) -> list[tuple[str, int]]:
    """The surfaces of a label's spans outside the trash with their counts, most frequent first."""
    with workspace.reading() as db:
        rows = db.execute(
            'SELECT substr(d.text, s.start + 1, s."end" - s.start) AS surface, count(*) AS times '
            "FROM spans s JOIN documents d ON d.id = s.document_id "
            "WHERE d.project_id = ? AND d.trashed IS NULL AND s.annotator = '' "
            "AND s.label IN (SELECT value FROM json_each(?)) "
            "GROUP BY surface ORDER BY times DESC, surface LIMIT ?",
            (checked_id(project_id), _ids(db, project_id, label), limit),
        ).fetchall()
    return [(row["surface"], row["times"]) for row in rows]


def labelled(
    workspace: Workspace, scope: Scope, label: str, *, but: int | None = None, limit: int = MOST_SURFACES
) -> list[Labelled]:
    """`surfaces` in the scope of an edit, with one context each, without the document ``but``."""
    with workspace.reading() as db:
        # With min(), SQLite takes bare columns from the row of the minimum: the first document.
        rows = db.execute(
            'SELECT substr(d.text, s.start + 1, s."end" - s.start) AS surface, count(*) AS times, '  # noqa: S608
            "count(DISTINCT d.id) AS documents, d.name AS name, min(d.id), "
            "substr(d.text, max(1, s.start + 1 - :context), min(:context, s.start)) AS before, "
            'substr(d.text, s."end" + 1, :context) AS after '
            f"FROM {scope.spans} s JOIN documents d ON d.id = s.document_id "
            f"WHERE {scope.documents} AND s.label IN (SELECT value FROM json_each(:labels)) "
            "AND d.id IS NOT :but "
            "GROUP BY surface ORDER BY times DESC, surface LIMIT :limit",
            scope.values
            | {"context": CONTEXT, "labels": _ids(db, scope.project_id, label), "but": but, "limit": limit},
        ).fetchall()
    return [Labelled(row[0], row[1], row[2], row[3], row["before"], row["after"]) for row in rows]


def _ids(db: sqlite3.Connection, project_id: int, label: str) -> str:
    return json.dumps(label_ids(db, project_id).read_as(label))

"""Metadata of documents as fields to filter by: short texts, numbers and truth values, and lists of them.

`documents.meta` keeps everything that was imported; the table `document_fields` has what a filter can name.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from core.store.db.workspace import Workspace
from core.store.project.projects import checked_id

LONGEST_FIELD = 100  # characters of a name
LONGEST_VALUE = 200
MOST_VALUES = 50  # of a list
MOST_OFFERED = 100  # values of a field that are offered
_NOT_FIELDS = frozenset(("split",))  # a column of its own

# Distinct values from the index, one seek each.
_FIELDS = """
    WITH RECURSIVE names(field) AS (
        SELECT min(field) FROM document_fields WHERE project_id = :project
        UNION ALL
        SELECT (SELECT min(field) FROM document_fields WHERE project_id = :project AND field > names.field)
        FROM names WHERE names.field IS NOT NULL)
    SELECT field FROM names WHERE field IS NOT NULL"""
_VALUES = """
    WITH RECURSIVE found(value) AS (
        SELECT min(value) FROM document_fields WHERE project_id = :project AND field = :field
        UNION ALL
        SELECT (SELECT min(value) FROM document_fields
                WHERE project_id = :project AND field = :field AND value > found.value)
        FROM found WHERE found.value IS NOT NULL)
    SELECT value FROM found WHERE value IS NOT NULL LIMIT :most"""


def put(db: sqlite3.Connection, project_id: int, metas: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
    """Store the fields of new documents, in an open transaction."""
    db.executemany(
        "INSERT OR IGNORE INTO document_fields (project_id, field, value, document_id) VALUES (?, ?, ?, ?)",
        [
            (project_id, field, value, document_id)
            for document_id, meta in metas
            for field, value in fields_of(meta)
        ],
    )


def fields_of(meta: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The fields of a document with their values as text."""
    for field, value in meta.items():
        if field in _NOT_FIELDS or not 0 < len(field) <= LONGEST_FIELD:
            continue
        items = value[:MOST_VALUES] if isinstance(value, list) else [value]
        for item in items:
            text = _text(item)
            if text is not None:
                yield field, text


def offered(workspace: Workspace, project_id: int) -> dict[str, list[str]]:
    """Every field of the project's documents with its values, at most ``MOST_OFFERED`` of each."""
    with workspace.reading() as db:
        values = {"project": checked_id(project_id), "most": MOST_OFFERED}
        names = [row[0] for row in db.execute(_FIELDS, values)]
        return {
            name: [row[0] for row in db.execute(_VALUES, values | {"field": name})]
            for name in names[:MOST_OFFERED]
        }


def of_documents(workspace: Workspace, ids: Iterable[int]) -> dict[int, list[tuple[str, str]]]:
    """The fields of these documents, in the order of their metadata."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT id, meta FROM documents WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(ids)),),
        )
        return {row["id"]: list(fields_of(json.loads(row["meta"]))) for row in rows}


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return str(value)
    return value if isinstance(value, str) and 0 < len(value) <= LONGEST_VALUE else None

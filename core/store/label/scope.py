"""What a change of a label would carry along."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from core.store.db.workspace import Workspace
from core.store.label.carrying import affected
from core.store.label.labels import label_set
from core.store.project.projects import row_of


@dataclass(frozen=True, slots=True)
class Reach:
    """What carries a label: spans of the agreed annotation, the documents they are in, spans in people's
    copies, predictions, patterns and comments; ``coinciding`` spans stand where one of the other label is."""

    spans: int
    documents: int
    copies: int
    predictions: int
    patterns: int
    comments: int
    coinciding: int = 0


def reach(workspace: Workspace, project_id: int, label: str, into: str | None = None) -> Reach:
    """What a change of ``label`` would carry along; documents in the trash count, for they go along too.

    Args:
        into: the label it would be merged into, for ``coinciding``.

    Raises:
        UnknownLabelError: there is no such label. NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        label_set(db, project_id)[label]
        return reach_in(db, project_id, label, into)


def reach_in(db: sqlite3.Connection, project_id: int, label: str, into: str | None = None) -> Reach:
    """`reach` through a connection that is open already, and without asking whether there is such a label."""
    written = json.dumps(label, ensure_ascii=False)
    mine = "document_id IN (SELECT id FROM documents WHERE project_id = ?)"

    def count(sql: str, *values: object) -> int:
        return int(db.execute(sql, values).fetchone()[0])

    return Reach(
        spans=count(f"SELECT count(*) FROM spans WHERE label = ? AND {mine}", label, project_id),  # noqa: S608
        documents=len(affected(db, project_id, label)),
        copies=count(
            "SELECT count(*) FROM copies, json_each(copies.spans) s "  # noqa: S608
            f"WHERE json_extract(s.value, '$[2]') = ? AND {mine}",
            label,
            project_id,
        ),
        predictions=count(
            f"SELECT count(*) FROM predictions WHERE instr(spans, ?) > 0 AND {mine}",  # noqa: S608
            written,
            project_id,
        ),
        patterns=count(
            "SELECT count(*) FROM patterns WHERE label = ? AND project_id = ? AND trashed IS NULL",
            label,
            project_id,
        ),
        comments=count(f"SELECT count(*) FROM comments WHERE label = ? AND {mine}", label, project_id),  # noqa: S608
        coinciding=count(
            "SELECT count(*) FROM spans s JOIN spans o ON o.document_id = s.document_id "
            'AND o.start = s.start AND o."end" = s."end" AND o.label = ? '
            "WHERE s.label = ? AND s.document_id IN (SELECT id FROM documents WHERE project_id = ?)",
            into,
            label,
            project_id,
        ),
    )

"""How many edits people have made of a project's annotation since a moment."""

from __future__ import annotations

from core.store.db.workspace import Workspace
from core.store.project.projects import checked_id


def count_since(workspace: Workspace, project_id: int, at: int) -> int:
    """Saved edits of the agreed annotation after ``at`` (UTC ms) that added, removed or rejected a span.

    Imports, and calling a document done or opening it again, are no edits of the annotation.
    """
    with workspace.reading() as db:
        row = db.execute(
            "SELECT count(*) FROM documents d JOIN events e ON e.document_id = d.id "
            "WHERE d.project_id = ? AND d.trashed IS NULL AND d.revision > 0 AND e.at > ? "
            "AND e.action NOT IN ('import', 'status', 'done', 'reopen', 'distant', 'undo_distant')",
            (checked_id(project_id), at),
        ).fetchone()
    return int(row[0])

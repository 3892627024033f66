"""What people have labelled, by its spelling."""

from __future__ import annotations

from core.store.projects import checked_id
from core.store.workspace import Workspace

MOST_SURFACES = 500


def surfaces(
    workspace: Workspace, project_id: int, label: str, limit: int = MOST_SURFACES
) -> list[tuple[str, int]]:
    """The distinct surfaces of a label's spans outside the trash, with how often each is labelled so; the
    most frequent first, then by spelling."""
    with workspace.reading() as db:
        rows = db.execute(
            'SELECT substr(d.text, s.start + 1, s."end" - s.start) AS surface, count(*) AS times '
            "FROM spans s JOIN documents d ON d.id = s.document_id "
            "WHERE d.project_id = ? AND d.trashed IS NULL AND s.label = ? "
            "GROUP BY surface ORDER BY times DESC, surface LIMIT ?",
            (checked_id(project_id), label, limit),
        ).fetchall()
    return [(row["surface"], row["times"]) for row in rows]

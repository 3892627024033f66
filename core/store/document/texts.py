"""The texts of a project, or of every n-th document, for counting words."""

from __future__ import annotations

from collections.abc import Iterator

from core.store.db.workspace import Workspace
from core.store.project.projects import row_of

_BATCH = 500


def sizes(workspace: Workspace, project_id: int) -> tuple[int, int]:
    """Number of documents outside the trash, and of their characters."""
    with workspace.reading() as db:
        row_of(db, project_id)
        row = db.execute(
            "SELECT count(*), coalesce(sum(length(text)), 0) FROM documents "
            "WHERE project_id = ? AND trashed IS NULL",
            (project_id,),
        ).fetchone()
    return int(row[0]), int(row[1])


def texts(workspace: Workspace, project_id: int, every: int = 1) -> Iterator[tuple[int, str]]:
    """Id and text of the documents outside the trash whose id is a multiple of ``every``."""
    last = 0
    while True:
        with workspace.reading() as db:
            row_of(db, project_id)
            rows = db.execute(
                "SELECT id, text FROM documents WHERE project_id = ? AND trashed IS NULL AND id > ? "
                "AND id % ? = 0 ORDER BY id LIMIT ?",
                (project_id, last, every, _BATCH),
            ).fetchall()
        yield from ((row["id"], row["text"]) for row in rows)
        if len(rows) < _BATCH:
            return
        last = rows[-1]["id"]

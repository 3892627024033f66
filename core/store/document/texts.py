"""The texts of a project, or of every n-th document, for counting words; and the document of a text."""

from __future__ import annotations

import json
from collections.abc import Iterator

from core.store.db.workspace import Workspace
from core.store.document import text_index
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


def document_with(workspace: Workspace, project_id: int, text: str) -> int | None:
    """The document outside the trash whose whole text this is, of several one that was annotated; None
    without any.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        found = text_index.hits(db, project_id, text).numbers if text else []
        row = db.execute(
            "SELECT d.id FROM json_each(?) c CROSS JOIN documents d ON d.id = c.value WHERE d.text = ? "
            "ORDER BY d.revision > 0 DESC, d.id LIMIT 1",
            (json.dumps(found), text),
        ).fetchone()
    return None if row is None else int(row["id"])


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

"""Raw documents: not annotated by anybody, available for distant labels."""

from __future__ import annotations

from collections.abc import Iterator

from core.store.db.workspace import Workspace
from core.store.document.documents import CHUNK, built
from core.store.project.projects import checked_id
from core.text import Document

# Actions of events that annotate nothing by themselves.
UNANNOTATING = "('distant', 'undo_distant', 'status', 'ignore', 'restore', 'to_check', 'undo', 'redo')"
# Raw: not done, no labels, and nothing but batches, their undo, and changes of the status.
RAW = (
    "d.trashed IS NULL AND d.status NOT IN ('done', 'ignored') AND d.rejected = '[]' "  # noqa: S608 - ours
    f"AND NOT EXISTS (SELECT 1 FROM events e WHERE e.document_id = d.id AND e.action NOT IN {UNANNOTATING}) "
    "AND NOT EXISTS (SELECT 1 FROM spans s JOIN labels l ON l.id = s.label "
    "WHERE s.document_id = d.id AND l.reads_as IS NOT NULL) "
    "AND NOT EXISTS (SELECT 1 FROM versions v WHERE v.document_id = d.id) "
    "AND NOT EXISTS (SELECT 1 FROM annotated_regions r WHERE r.document_id = d.id)"
)


def each(workspace: Workspace, project_id: int) -> Iterator[tuple[int, Document]]:
    """The raw documents with their ids, in order."""
    last = 0
    while True:
        with workspace.reading() as db:
            rows = db.execute(
                f"SELECT d.* FROM documents d WHERE d.project_id = ? AND d.id > ? AND {RAW} "  # noqa: S608 - ours
                "ORDER BY d.id LIMIT ?",
                (checked_id(project_id), last, CHUNK),
            ).fetchall()
            documents = built(db, rows)
        if not rows:
            return
        yield from zip((row["id"] for row in rows), documents, strict=True)
        last = rows[-1]["id"]


def count(workspace: Workspace, project_id: int) -> int:
    """Number of raw documents."""
    values = {"project": checked_id(project_id)}
    with workspace.reading() as db:
        # Of what nobody edited only versions and marked regions are to be looked up; of the rest, what has no
        # gold span.
        untouched, begun, edited = db.execute(
            "SELECT coalesce(sum(number), 0), "  # noqa: S608 - ours
            f"(SELECT count(*) FROM ({_BEGUN}) b CROSS JOIN documents d ON d.id = b.document_id "
            f"WHERE {_OPEN} AND d.revision = 0), "
            f"CASE WHEN {_SOME_WITHOUT} THEN (SELECT count(*) FROM documents d WHERE {_OPEN} "
            f"AND d.revision > 0 AND (d.labels = '' OR {_LOST_LABELS}) AND {RAW}) ELSE 0 END "
            "FROM document_counts WHERE project_id = :project AND trashed = 0 AND revision = 0 "
            "AND status NOT IN ('done', 'ignored')",
            values,
        ).fetchone()
    return int(untouched - begun + edited)


def count_begun(workspace: Workspace, project_id: int) -> int:
    """Number of training documents that are neither raw nor fully annotated.

    Documents imported with spans are fully annotated.
    """
    with workspace.reading() as db:
        row = db.execute(
            f"SELECT count(*) FROM documents d WHERE {_OPEN} AND NOT ({RAW}) "  # noqa: S608 - ours
            "AND d.split NOT IN ('dev', 'test') "
            f"AND d.id IN ({_BEGUN} UNION SELECT document_id FROM events WHERE action <> 'import') "
            "AND NOT EXISTS (SELECT 1 FROM events e WHERE e.document_id = d.id AND e.action = 'import')",
            {"project": checked_id(project_id)},
        ).fetchone()
    return int(row[0])


_OPEN = "d.project_id = :project AND d.trashed IS NULL AND d.status NOT IN ('done', 'ignored')"
_BEGUN = "SELECT document_id FROM versions UNION SELECT document_id FROM annotated_regions"
_LOST_LABELS = "EXISTS (SELECT 1 FROM labels WHERE project_id = :project AND reads_as IS NULL)"
# Whether an edited document may be without labels at all: else none is looked at.
_SOME_WITHOUT = (
    f"({_LOST_LABELS} OR EXISTS (SELECT 1 FROM document_counts WHERE project_id = :project "  # noqa: S608
    "AND revision > 0 AND labels = '' AND number > 0))"
)

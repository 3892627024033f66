"""The counts of documents, which triggers keep, against the documents."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from core.store.doctor.finding import Finding

_KEPT = "SELECT project_id, trashed, status, split, revision, labels, number FROM document_counts"
_COUNTED = """
    SELECT project_id, trashed IS NOT NULL, status, split, revision > 0, substr(labels, 1, 1), count(*)
    FROM documents GROUP BY 1, 2, 3, 4, 5, 6"""


def document_counts(db: sqlite3.Connection) -> Iterator[Finding]:
    """Projects whose pages would show wrong numbers."""
    wrong = db.execute(
        f"SELECT DISTINCT project_id FROM (SELECT * FROM ({_KEPT} WHERE number <> 0 EXCEPT {_COUNTED}) "  # noqa: S608
        f"UNION SELECT * FROM ({_COUNTED} EXCEPT {_KEPT})) ORDER BY 1"
    )
    for (project,) in wrong:
        yield Finding(
            "wrong count", f"project {project}", "the counts are not those of its documents", "count again",
            _count_again,
        )  # fmt: skip


def _count_again(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM document_counts")
    db.execute(f"INSERT INTO document_counts {_COUNTED}")

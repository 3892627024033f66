"""The counts that triggers keep, of documents, predictions and scores, against what they count."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from core.store.doctor.finding import Finding

_DOCUMENTS = """
    SELECT project_id, trashed IS NOT NULL, status, split, revision > 0, substr(labels, 1, 1), count(*),
        sum(length(text)), sum(gold_spans)
    FROM documents GROUP BY 1, 2, 3, 4, 5, 6"""
_PREDICTIONS = "SELECT run, count(*), count(least_score) FROM predictions GROUP BY run"
_SCORES = "SELECT project_id, acquisition, count(*) FROM queue_scores GROUP BY 1, 2"
_GOLD_SPANS = "(SELECT count(*) FROM spans s WHERE s.document_id = documents.id AND s.annotator = '')"
_COUNTED = (  # table of counts, what it has of each, what is true, and the project of a row
    ("document_counts", "*", _DOCUMENTS, "project_id"),
    ("prediction_counts", "run, number, scored", _PREDICTIONS,
     "(SELECT project_id FROM runs WHERE name = run)"),
    ("queue_score_counts", "*", _SCORES, "project_id"),
)  # fmt: skip


def counts(db: sqlite3.Connection) -> Iterator[Finding]:
    """Projects whose pages would show wrong numbers."""
    wrong = {
        row[0]
        for row in db.execute(f"SELECT project_id FROM documents WHERE gold_spans <> {_GOLD_SPANS}")  # noqa: S608
    }
    for table, columns, true, project in _COUNTED:
        kept = f"SELECT {columns} FROM {table}"  # noqa: S608 - ours
        rows = db.execute(
            f"SELECT {project} FROM (SELECT * FROM ({kept} WHERE number <> 0 EXCEPT {true}) "  # noqa: S608
            f"UNION SELECT * FROM ({true} EXCEPT {kept}))"
        )
        wrong |= {row[0] for row in rows}
    for number in sorted(wrong):
        yield Finding(
            "wrong count", f"project {number}", "the counts are not those of its documents", "count again",
            _count_again,
        )  # fmt: skip


def _count_again(db: sqlite3.Connection) -> None:
    db.execute(f"UPDATE documents SET gold_spans = {_GOLD_SPANS} WHERE gold_spans <> {_GOLD_SPANS}")  # noqa: S608
    for table, true in (("document_counts", _DOCUMENTS), ("queue_score_counts", _SCORES)):
        db.execute(f"DELETE FROM {table}")  # noqa: S608 - ours
        db.execute(f"INSERT INTO {table} {true}")
    # What was read from the predictions is told by `changes`, which never goes back.
    db.execute("UPDATE prediction_counts SET number = 0, scored = 0, changes = changes + 1")
    db.execute(
        f"INSERT INTO prediction_counts SELECT *, 1 FROM ({_PREDICTIONS}) WHERE 1 "  # noqa: S608
        "ON CONFLICT DO UPDATE SET number = excluded.number, scored = excluded.scored"
    )

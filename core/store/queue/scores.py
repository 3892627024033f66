"""Acquisition scores of documents, and the random slice set apart for evaluation."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from core.store.db.errors import PayloadError
from core.store.db.workspace import Workspace
from core.store.document.documents import LABELLED, built
from core.store.project.projects import row_of
from core.text import Document

APART = "apart"  # scores of this name are the order of the random slice set apart for evaluation
CHUNK = 2000
_FORGET = """
    DELETE FROM queue_scores WHERE project_id = ?1 AND acquisition = ?2 AND document_id IN (
        SELECT document_id FROM queue_scores WHERE project_id = ?1 AND acquisition = ?2 LIMIT ?3)"""
_PUT = """
    INSERT INTO queue_scores (project_id, acquisition, score, made_for, document_id)
    SELECT ?1, ?2, ?3, ?4, id FROM documents WHERE id = ?5 AND project_id = ?1
    ON CONFLICT DO UPDATE SET score = excluded.score, made_for = excluded.made_for"""


@dataclass(frozen=True, slots=True)
class Scored:
    """State of the scores of one order.

    Args:
        made_for: as given to ``put``; empty without scores.
        scored: documents outside the trash with a score. waiting: documents still to be scored.
    """

    made_for: str
    scored: int
    waiting: int


def put(
    workspace: Workspace, project_id: int, acquisition: str, scores: Mapping[int, float | None], made_for: str
) -> int:
    """Replace the scores of an acquisition function; returns how many were stored.

    Deleted documents are left out; None is stored as "no score".

    Args:
        scores: by document. made_for: the run, or whatever else they depend on.

    Raises:
        NotFound: no such project. PayloadError: a score is not finite.
    """
    for document, score in scores.items():
        if score is not None and not abs(score) < float("inf"):
            raise PayloadError(
                "the score of document {document} is {score}, which is no number to sort by",
                document=document,
                score=score,
            )
    # Short transactions, so that saves are not blocked.
    forgotten = CHUNK
    while forgotten == CHUNK:
        with workspace.writing() as db:
            row_of(db, project_id)
            forgotten = db.execute(_FORGET, (project_id, acquisition, CHUNK)).rowcount
    stored = 0
    rows = ((project_id, acquisition, score, made_for, document) for document, score in scores.items())
    while chunk := list(islice(rows, CHUNK)):
        with workspace.writing() as db:
            stored += max(db.executemany(_PUT, chunk).rowcount, 0)
    return stored


def state(workspace: Workspace, project_id: int, acquisition: str) -> Scored:
    """State of the scores of an acquisition function.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        made = db.execute(
            "SELECT made_for FROM queue_scores WHERE project_id = ? AND acquisition = ? LIMIT 1",
            (project_id, acquisition),
        ).fetchone()
        which = "project_id = :project AND acquisition = :of"
        scored, waiting = _scored(db, project_id, "queue_scores", "queue_score_counts", which, acquisition)
    return Scored(made["made_for"] if made else "", scored, waiting)


def prediction_state(workspace: Workspace, project_id: int, run: str) -> Scored:
    """State of the confidences of ``run``: documents with and without a prediction."""
    with workspace.reading() as db:
        scored, waiting = _scored(db, project_id, "predictions", "prediction_counts", "run = :of", run)
    return Scored(run if scored else "", scored, waiting)


def _scored(
    db: sqlite3.Connection, project_id: int, table: str, counts: str, which: str, name: str
) -> tuple[int, int]:
    """Documents outside the trash with a row of the table, and candidates without one.

    Args:
        table: has a row for a document. counts: has their number. which: the rows of both, of ``:project`` or
            of the name ``:of``.
    """
    # Joined with the documents are those that are no candidates.
    has_row = f"EXISTS (SELECT 1 FROM {table} WHERE {which} AND document_id = d.id)"  # noqa: S608 - ours
    others = f"WHERE d.project_id = :project AND {has_row}"
    set_aside = "d.status IN ('done', 'ignored')"
    row = db.execute(
        f"SELECT (SELECT coalesce(sum(number), 0) FROM {counts} WHERE {which}), "  # noqa: S608 - ours
        f"(SELECT count(*) FROM documents d {others} AND d.trashed IS NOT NULL), "
        f"(SELECT count(*) FROM documents d INDEXED BY documents_by_status {others} "
        f"AND d.trashed IS NULL AND d.status <> 'new' AND {set_aside}), "
        f"(SELECT count(*) FROM documents d INDEXED BY documents_by_split {others} "
        f"AND d.trashed IS NULL AND d.split <> 'none' AND d.split IN ('dev', 'test') AND NOT {set_aside}), "
        "(SELECT coalesce(sum(number), 0) FROM document_counts d WHERE project_id = :project AND trashed = 0 "
        f"AND NOT {set_aside} AND split NOT IN ('dev', 'test'))",
        {"project": project_id, "of": name},
    ).fetchone()
    rows, in_trash, done, held_out, candidates = row
    scored = rows - in_trash
    return scored, candidates - (scored - done - held_out)


def of_documents(
    workspace: Workspace, project_id: int, acquisition: str, document_ids: Iterable[int]
) -> dict[int, float | None]:
    """Scores by document; documents without one are left out."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT document_id, score FROM queue_scores WHERE project_id = ? AND acquisition = ? "
            "AND document_id IN (SELECT value FROM json_each(?))",
            (project_id, acquisition, json.dumps(list(document_ids))),
        ).fetchall()
    return {row["document_id"]: row["score"] for row in rows}


def to_score(workspace: Workspace, project_id: int) -> Iterator[tuple[int, Document]]:
    """Candidates for annotation with their ids, without spans: not done, in the trash, in dev or in test.

    Without the slice set apart for evaluation, which must stay a random sample.

    Raises:
        NotFound: no such project.
    """
    last = 0
    while True:
        with workspace.reading() as db:
            row_of(db, project_id)
            rows = db.execute(
                "SELECT id, name, text FROM documents WHERE project_id = ? AND trashed IS NULL AND id > ? "
                "AND status NOT IN ('done', 'ignored') AND split NOT IN ('dev', 'test') ORDER BY id LIMIT ?",
                (project_id, last, CHUNK),
            ).fetchall()
        yield from ((row["id"], Document(row["name"], row["text"])) for row in rows)
        if len(rows) < CHUNK:
            return
        last = rows[-1]["id"]


def count_to_score(workspace: Workspace, project_id: int) -> int:
    """Number of documents that `to_score` yields."""
    with workspace.reading() as db:
        row = db.execute(
            "SELECT coalesce(sum(number), 0) FROM document_counts WHERE project_id = ? AND trashed = 0 "
            "AND status NOT IN ('done', 'ignored') AND split NOT IN ('dev', 'test')",
            (project_id,),
        ).fetchone()
    return int(row[0])


def labelled_documents(workspace: Workspace, project_id: int) -> list[Document]:
    """The labelled documents outside dev, test and the trash, with their spans."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT * FROM documents d WHERE project_id = ? AND trashed IS NULL "  # noqa: S608 - ours
            f"AND {LABELLED} AND split NOT IN ('dev', 'test') ORDER BY id",
            (project_id,),
        ).fetchall()
        documents: list[Document] = []
        for start in range(0, len(rows), CHUNK):
            documents += built(db, rows[start : start + CHUNK])
    return documents


def is_labelled(workspace: Workspace, project_id: int) -> bool:
    """Whether `labelled_documents` yields any span."""
    with workspace.reading() as db:
        row = db.execute(
            "SELECT EXISTS (SELECT 1 FROM spans s CROSS JOIN documents d ON d.id = s.document_id "
            "WHERE d.project_id = ? AND d.trashed IS NULL AND d.split NOT IN ('dev', 'test')) AS found",
            (project_id,),
        ).fetchone()
    return bool(row["found"])


# ---------------------------------------------------------------------- the random slice


def set_apart(
    workspace: Workspace, project_id: int, *, share: float = 0.1, seed: int = 1, split: str = "test"
) -> int:
    """Set a random share of the project apart for evaluation; returns the number of documents.

    Membership is a hash of the text and the seed: drawing again gives the same documents plus later imports.
    Only unlabelled documents without a split are drawn, as labelled ones were selected by somebody.

    Raises:
        PayloadError: a share outside ]0, 0.5], or a training split. NotFound: no such project.
    """
    if not 0 < share <= 0.5:
        raise PayloadError(
            "a slice for evaluation is a share above 0 and at most 0.5, got {share}", share=share
        )
    if split not in ("dev", "test"):
        raise PayloadError("documents can be set apart for dev or test, not {split}", split=repr(split))
    with workspace.writing() as db:
        row_of(db, project_id)
        rows = db.execute(
            "SELECT id, content_hash FROM documents WHERE project_id = ? AND trashed IS NULL "
            "AND revision = 0 AND status = 'new' AND split = 'none'",
            (project_id,),
        ).fetchall()
        drawn = {row["id"]: place for row in rows if (place := _place(seed, row["content_hash"])) < share}
        made_for = json.dumps({"share": share, "seed": seed, "split": split})
        db.executemany(
            "INSERT OR IGNORE INTO queue_scores (project_id, acquisition, document_id, score, made_for) "
            "VALUES (?, ?, ?, ?, ?)",
            [(project_id, APART, document, place, made_for) for document, place in drawn.items()],
        )
        db.executemany("UPDATE documents SET split = ? WHERE id = ?", [(split, id_) for id_ in drawn])
        existing = db.execute(
            "SELECT count(*) FROM queue_scores WHERE project_id = ? AND acquisition = ?", (project_id, APART)
        ).fetchone()[0]
    return int(existing)


def undo_set_apart(workspace: Workspace, project_id: int) -> int:
    """Undo ``set_apart`` for documents not labelled since; returns their number.

    Labelled documents keep their split.
    """
    with workspace.writing() as db:
        row_of(db, project_id)
        ids = [
            row["id"]
            for row in db.execute(
                "SELECT d.id FROM queue_scores q JOIN documents d ON d.id = q.document_id "
                "WHERE q.project_id = ? AND q.acquisition = ? AND d.revision = 0 AND d.status = 'new'",
                (project_id, APART),
            )
        ]
        _release(db, project_id, ids)
        db.executemany("UPDATE documents SET split = 'none' WHERE id = ?", [(id_,) for id_ in ids])
    return len(ids)


def count_apart(workspace: Workspace, project_id: int) -> tuple[int, int]:
    """Number of documents set apart outside the trash, and how many of them are done."""
    with workspace.reading() as db:
        row = db.execute(
            "SELECT count(*) AS all_, coalesce(sum(d.status = 'done'), 0) AS done FROM queue_scores q "
            "JOIN documents d ON d.id = q.document_id AND d.trashed IS NULL "
            "WHERE q.project_id = ? AND q.acquisition = ?",
            (project_id, APART),
        ).fetchone()
    return row["all_"], row["done"]


def _release(db: sqlite3.Connection, project_id: int, ids: Iterable[int]) -> None:
    db.executemany(
        "DELETE FROM queue_scores WHERE project_id = ? AND acquisition = ? AND document_id = ?",
        [(project_id, APART, id_) for id_ in ids],
    )


def _place(seed: int, content_hash: str) -> float:
    """A pseudo-random number in [0, 1) from the text and the seed."""
    digest = hashlib.sha256(f"apart {seed} {content_hash}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48

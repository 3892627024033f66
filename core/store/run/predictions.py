"""Predictions of runs on documents."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import islice

from core.store.db.errors import NotFound
from core.store.db.span_json import Ids, dump_spans, load_spans
from core.store.db.workspace import Workspace
from core.store.document.documents import CHUNK, document_row
from core.store.label.ids import ids_at, last_named, read_names, with_names
from core.store.run.runs import project_of
from core.text import Document, Span, sort_spans

_ALL_PREDICTED = (
    "SELECT (SELECT number FROM prediction_counts WHERE run = :run) "
    "= (SELECT sum(number) FROM document_counts WHERE project_id = :project)"
)
# Not REPLACE, which deletes a row without the triggers that count.
_PUT = (
    "INSERT INTO predictions VALUES (?, ?, ?, ?) ON CONFLICT (run, document_id) "
    "DO UPDATE SET spans = excluded.spans, least_score = excluded.least_score"
)


@dataclass(frozen=True, slots=True)
class Put:
    """Number of stored predictions; ``unknown``: documents missing from the project or with another text."""

    stored: int
    unknown: int


def put(workspace: Workspace, run: str, documents: Iterable[Document]) -> Put:
    """Store predictions by ``Document.id`` in the run's project, replacing earlier ones of the run.

    A document that was deleted or has another text is counted as unknown.

    Raises:
        NotFound: no such run.
    """
    stored = unknown = 0
    source = iter(documents)
    while chunk := list(islice(source, CHUNK)):
        with workspace.writing() as db:
            rows = _rows(db, run, chunk)
            db.executemany(_PUT, rows)
        stored += len(rows)
        unknown += len(chunk) - len(rows)
    return Put(stored, unknown)


def put_one(workspace: Workspace, run: str, document_id: int, spans: Iterable[Span]) -> None:
    """Store the prediction of ``run`` on one document.

    Raises:
        NotFound: no such run in the document's project, or no such document.
    """
    with workspace.writing() as db:
        row = document_row(db, document_id)
        if project_of(db, run) != row["project_id"]:
            raise NotFound("run", run)
        said = tuple(spans)
        ids = _ids(db, run, {span.label for span in said})
        db.execute(_PUT, _row(run, document_id, said, ids))


def get(workspace: Workspace, run: str, document_id: int) -> tuple[Span, ...] | None:
    """The spans ``run`` predicted, with scores; None without a prediction."""
    with workspace.reading() as db:
        row = db.execute(
            "SELECT spans FROM predictions WHERE run = ? AND document_id = ?", (run, document_id)
        ).fetchone()
        return None if row is None else load_spans(row["spans"], read_names(db, project_of(db, run)))


def of_documents(workspace: Workspace, run: str, document_ids: Iterable[int]) -> dict[int, tuple[Span, ...]]:
    """The predictions of ``run`` on these documents, by document, with scores."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT document_id, spans FROM predictions WHERE run = ? "
            "AND document_id IN (SELECT value FROM json_each(?))",
            (run, json.dumps(list(document_ids))),
        ).fetchall()
        names = read_names(db, project_of(db, run)) if rows else {}
        return {row["document_id"]: load_spans(row["spans"], names) for row in rows}


def tagged(workspace: Workspace, run: str) -> Iterator[Document]:
    """Every document outside the trash with a prediction of ``run``, with its predicted spans, in order."""
    last = 0
    while True:
        with workspace.reading() as db:
            rows = db.execute(
                "SELECT d.id, d.name, d.text, p.spans FROM predictions p JOIN documents d "
                "ON d.id = p.document_id WHERE p.run = ? AND p.document_id > ? AND d.trashed IS NULL "
                "ORDER BY p.document_id LIMIT ?",
                (run, last, CHUNK),
            ).fetchall()
            names = read_names(db, project_of(db, run)) if rows else {}
            answers = [Document(row["name"], row["text"], load_spans(row["spans"], names)) for row in rows]
        if not rows:
            return
        yield from answers
        last = rows[-1]["id"]


def missing(workspace: Workspace, run: str, limit: int = -1) -> list[int]:
    """Documents outside the trash without a prediction of ``run``, in order.

    Raises:
        NotFound: no such run.
    """
    with workspace.reading() as db:
        values = {"run": run, "project": project_of(db, run), "limit": limit}
        if db.execute(_ALL_PREDICTED, values).fetchone()[0]:
            return []
        rows = db.execute(
            "SELECT d.id FROM documents d LEFT JOIN predictions p ON p.run = :run AND p.document_id = d.id "
            "WHERE d.project_id = :project AND d.trashed IS NULL AND p.run IS NULL "
            "ORDER BY d.id LIMIT :limit",
            values,
        ).fetchall()
    return [row["id"] for row in rows]


def drop(workspace: Workspace, run: str, document_ids: Iterable[int] | None = None) -> None:
    """Delete a run's predictions on some documents (None: all)."""
    with workspace.writing() as db:
        if document_ids is None:
            db.execute("DELETE FROM predictions WHERE run = ?", (run,))
        else:
            pairs = [(run, document_id) for document_id in document_ids]
            db.executemany("DELETE FROM predictions WHERE run = ? AND document_id = ?", pairs)


def _rows(
    db: sqlite3.Connection, run: str, chunk: list[Document]
) -> list[tuple[str, int, str, float | None]]:
    rows = db.execute(
        "SELECT id, name, text FROM documents WHERE project_id = ? "
        "AND name IN (SELECT value FROM json_each(?))",
        (project_of(db, run), json.dumps([document.id for document in chunk])),
    )
    by_name = {row["name"]: (row["id"], row["text"]) for row in rows}
    ids = _ids(db, run, {span.label for document in chunk for span in document.spans})
    return [
        _row(run, by_name[document.id][0], document.spans, ids)
        for document in chunk
        if document.id in by_name and by_name[document.id][1] == document.text
    ]


def _row(run: str, document_id: int, spans: Sequence[Span], ids: Ids) -> tuple[str, int, str, float | None]:
    scores = [span.score for span in spans if span.score is not None]
    return (run, document_id, dump_spans(sort_spans(spans), ids), min(scores, default=None))


def _ids(db: sqlite3.Connection, run: str, names: Set[str]) -> Ids:
    """Label ids of a run's label names, which are those of the time it was made.

    Raises:
        NotFound: no such run.
    """
    row = db.execute("SELECT project_id, labels_at FROM runs WHERE name = ?", (run,)).fetchone()
    if row is None:
        raise NotFound("run", run)
    project_id = row["project_id"]
    then = ids_at(db, project_id, row["labels_at"])
    others = names - then.keys()
    if not others:
        return then
    later = {name: last_named(db, project_id, name) for name in others}
    ids = {name: id_ for name, id_ in later.items() if id_ is not None}
    unknown = sorted(others - ids.keys())
    fresh = with_names(db, project_id, unknown).ids if unknown else {}
    return {**fresh, **ids, **then}

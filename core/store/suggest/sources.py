"""A project's sources of suggestions (others' taggers), what they said, and how often people agreed.

Settings and reports are JSON objects of `core.sources`, which this room does not read. Secrets are never
stored here.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from core.store.db.cells import load_json
from core.store.db.clock import now
from core.store.db.errors import NotFound, PayloadError
from core.store.db.payload import MOST_SPANS, checked_user
from core.store.db.span_json import dump_spans, load_keys, load_spans
from core.store.db.workspace import Workspace
from core.store.document.documents import CHUNK, built
from core.store.document.raw_documents import RAW
from core.store.label.ids import label_ids, read_names
from core.store.project import members
from core.store.project.projects import checked_id, row_of
from core.text import Document, Span, sort_spans

MOST = 20  # of a project
AT_ONCE = 50  # documents in a transaction, so that other saves are not blocked


@dataclass(frozen=True, slots=True)
class StoredSource:
    """A source; ``created`` in UTC ms. ``report``: of its last run over the documents, or empty."""

    id: int
    project_id: int
    settings: Mapping[str, Any]
    report: Mapping[str, Any]
    user: str
    created: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many suggestions of a source people took, and how many they did not; the others are undecided.

    Taken: somebody annotated the same span. Not taken: rejected, or the document is done without it.
    """

    taken: int = 0
    refused: int = 0

    @property
    def decided(self) -> int:
        return self.taken + self.refused

    @property
    def precision(self) -> float | None:
        """The share that was taken; None before anything was decided."""
        return self.taken / self.decided if self.decided else None


def add(workspace: Workspace, project_id: int, settings: Mapping[str, Any], *, user: str) -> StoredSource:
    """Add a source.

    Raises:
        NotAllowed: the user does not manage the project. PayloadError: too many. NotFound: no such project.
    """
    user = checked_user(user)
    with workspace.writing() as db:
        row_of(db, project_id)
        members.check_in(db, project_id, user, "manage")
        (held,) = db.execute("SELECT count(*) FROM sources WHERE project_id = ?", (project_id,)).fetchone()
        if held >= MOST:
            raise PayloadError("a project has at most {most} sources; delete one first", most=MOST)
        made = db.execute(
            "INSERT INTO sources (project_id, settings, user, created) VALUES (?, ?, ?, ?)",
            (project_id, _json(settings), user, now()),
        )
        return _get(db, project_id, int(made.lastrowid or 0))


def change(
    workspace: Workspace, project_id: int, source: int, settings: Mapping[str, Any], *, user: str
) -> StoredSource:
    """Replace the settings of a source; what it said so far stays.

    Raises:
        NotAllowed: the user does not manage the project. NotFound: the project has no such source.
    """
    with workspace.writing() as db:
        members.check_in(db, project_id, user, "manage")
        _get(db, project_id, source)
        db.execute("UPDATE sources SET settings = ? WHERE id = ?", (_json(settings), source))
        return _get(db, project_id, source)


def delete(workspace: Workspace, project_id: int, source: int, *, user: str) -> None:
    """Delete a source with its suggestions; what people accepted of them stays.

    Raises:
        NotAllowed: the user does not manage the project. NotFound: the project has no such source.
    """
    with workspace.writing() as db:
        row_of(db, project_id)
        members.check_in(db, project_id, user, "manage")
        _get(db, project_id, source)
        db.execute("DELETE FROM sources WHERE id = ?", (source,))


def of(workspace: Workspace, project_id: int) -> list[StoredSource]:
    """The project's sources, oldest first.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        rows = db.execute("SELECT * FROM sources WHERE project_id = ? ORDER BY id", (project_id,)).fetchall()
    return [_stored(row) for row in rows]


def get(workspace: Workspace, project_id: int, source: int) -> StoredSource:
    """A source of the project.

    Raises:
        NotFound: the project has no such source.
    """
    with workspace.reading() as db:
        return _get(db, project_id, source)


def write_report(workspace: Workspace, project_id: int, source: int, report: Mapping[str, Any]) -> None:
    """Keep what came of a run over the documents; nothing happens if the source was deleted meanwhile."""
    with workspace.writing() as db:
        db.execute(
            "UPDATE sources SET report = ? WHERE id = ? AND project_id = ?",
            (_json(report), checked_id(source), project_id),
        )


def put(
    workspace: Workspace, project_id: int, source: int, answers: Iterable[tuple[int, Iterable[Span]]]
) -> int:
    """Keep what a source said about documents, as they come; returns their number.

    Labels that the project lacks are left out.

    Raises:
        NotFound: the project has no such source (any more).
    """
    done, rest = 0, iter(answers)
    while chunk := list(islice(rest, AT_ONCE)):
        with workspace.writing() as db:
            _get(db, project_id, source)
            ids = label_ids(db, project_id).listed
            there = {
                row[0]
                for row in db.execute(
                    "SELECT id FROM documents WHERE project_id = ? "
                    "AND id IN (SELECT value FROM json_each(?))",
                    (project_id, json.dumps([document_id for document_id, _ in chunk])),
                )
            }
            rows = [
                (source, id_, dump_spans(sort_spans(_listed(spans, ids))[:MOST_SPANS], ids))
                for id_, spans in chunk
                if id_ in there
            ]
            db.executemany("INSERT OR REPLACE INTO source_answers VALUES (?, ?, ?)", rows)
        done += len(rows)
    return done


def said(workspace: Workspace, document_id: int) -> dict[int, tuple[Span, ...]]:
    """What each source said about a document, by source."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT a.source, a.spans, s.project_id FROM source_answers a JOIN sources s ON s.id = a.source "
            "WHERE a.document_id = ? ORDER BY a.source",
            (checked_id(document_id),),
        ).fetchall()
        names = read_names(db, rows[0]["project_id"]) if rows else {}
        return {row["source"]: load_spans(row["spans"], names) for row in rows}


def of_source(workspace: Workspace, project_id: int, source: int) -> Iterator[tuple[int, Document]]:
    """The raw documents a source was asked about, each with what it said as its spans."""
    yield from _raw(workspace, project_id, source, answered=True)


def unasked(
    workspace: Workspace, project_id: int, source: int, *, to_teach: bool = False
) -> Iterator[tuple[int, Document]]:
    """The raw documents a source was not asked about yet, with their ids, in order.

    Args:
        to_teach: only those outside dev and test, from which a run may learn.
    """
    yield from _raw(workspace, project_id, source, answered=False, to_teach=to_teach)


def count_unasked(
    workspace: Workspace, project_id: int, source: int, *, to_teach: bool = False
) -> tuple[int, int]:
    """How many documents ``unasked`` gives, and their characters."""
    with workspace.reading() as db:
        row = db.execute(
            f"SELECT count(*), coalesce(sum(length(d.text)), 0) FROM documents d WHERE d.project_id = ? "  # noqa: S608 - ours
            f"AND {_asked_about(to_teach)} AND NOT EXISTS (SELECT 1 FROM source_answers a WHERE a.source = ? "
            "AND a.document_id = d.id)",
            (checked_id(project_id), checked_id(source)),
        ).fetchone()
    return int(row[0]), int(row[1])


def forget(workspace: Workspace, project_id: int, source: int) -> None:
    """Delete what a source said, so that it is asked anew."""
    with workspace.writing() as db:
        _get(db, project_id, source)
        db.execute("DELETE FROM source_answers WHERE source = ?", (source,))


def agreement(workspace: Workspace, project_id: int) -> dict[int, Agreement]:
    """How far people agreed with each source of the project so far, by source.

    Counted are the gold annotations and, where annotators have versions of their own, each version. Spans
    that came with an import or a batch decide nothing by themselves, for sources are asked about raw
    documents.
    """
    with workspace.reading() as db:
        names = read_names(db, checked_id(project_id))
        db.execute("BEGIN")  # answers, annotations and rejections of one moment
        try:
            answers = db.execute(
                "SELECT a.source, a.document_id, a.spans FROM source_answers a JOIN sources s "
                "ON s.id = a.source JOIN documents d ON d.id = a.document_id "
                "WHERE s.project_id = ? AND d.trashed IS NULL AND (d.revision > 0 OR EXISTS "
                "(SELECT 1 FROM versions v WHERE v.document_id = d.id))",
                (project_id,),
            ).fetchall()
            ids = json.dumps(sorted({row["document_id"] for row in answers}))
            taken = _annotated(db, ids, names)
            judged = db.execute(
                "SELECT id AS document_id, status, rejected FROM documents "
                "WHERE id IN (SELECT value FROM json_each(:ids)) UNION ALL "
                "SELECT document_id, status, rejected FROM versions "
                "WHERE document_id IN (SELECT value FROM json_each(:ids))",
                {"ids": ids},
            ).fetchall()
        finally:
            db.execute("COMMIT")
    rejected: dict[int, set[tuple[int, int, str]]] = {}
    done: set[int] = set()
    for row in judged:
        rejected.setdefault(row["document_id"], set()).update(load_keys(row["rejected"], names))
        if row["status"] == "done":
            done.add(row["document_id"])
    counts: dict[int, list[int]] = {}
    for row in answers:
        document = row["document_id"]
        count = counts.setdefault(row["source"], [0, 0])
        for key in load_keys(row["spans"], names):
            if key in taken.get(document, ()):
                count[0] += 1
            elif document in done or key in rejected.get(document, ()):
                count[1] += 1
    return {source: Agreement(*count) for source, count in counts.items()}


def _annotated(
    db: sqlite3.Connection, ids: str, names: Mapping[int, str | None]
) -> dict[int, set[tuple[int, int, str]]]:
    found: dict[int, set[tuple[int, int, str]]] = {}
    for document, start, end, label in db.execute(
        'SELECT document_id, start, "end", label FROM spans '
        "WHERE document_id IN (SELECT value FROM json_each(?))",
        (ids,),
    ):
        name = names[label]
        if name is not None:
            found.setdefault(document, set()).add((start, end, name))
    return found


def _asked_about(to_teach: bool) -> str:
    """The condition on ``d`` for a document that a source may be asked about."""
    return f"{RAW} AND d.split NOT IN ('dev', 'test')" if to_teach else RAW


def _raw(
    workspace: Workspace, project_id: int, source: int, *, answered: bool, to_teach: bool = False
) -> Iterator[tuple[int, Document]]:
    last = 0
    while True:
        with workspace.reading() as db:
            rows = db.execute(
                "SELECT d.*, a.spans AS said FROM documents d LEFT JOIN source_answers a "  # noqa: S608 - ours
                "ON a.source = ? AND a.document_id = d.id WHERE d.project_id = ? AND d.id > ? "
                f"AND {_asked_about(to_teach)} AND a.spans IS {'NOT ' if answered else ''}NULL "
                "ORDER BY d.id LIMIT ?",
                (checked_id(source), checked_id(project_id), last, CHUNK),
            ).fetchall()
            documents = built(db, rows)
            names = read_names(db, project_id)
        if not rows:
            return
        for row, document in zip(rows, documents, strict=True):
            yield row["id"], document.with_spans(load_spans(row["said"], names) if answered else ())
        last = rows[-1]["id"]


def taught_by(source: int) -> str:
    """The condition on ``d`` for a raw document from which a source can teach: it was asked about it, and it
    is in neither dev nor test."""
    return (
        f"{_asked_about(to_teach=True)} AND EXISTS (SELECT 1 FROM source_answers a "  # noqa: S608 - ours
        f"WHERE a.source = {checked_id(source)} AND a.document_id = d.id)"
    )


def answered(db: sqlite3.Connection, source: int, rows: Sequence[sqlite3.Row]) -> Iterator[Document]:
    """The documents of these rows, with what a source said of each as its spans."""
    said = {
        row["document_id"]: row["spans"]
        for row in db.execute(
            "SELECT document_id, spans FROM source_answers "
            "WHERE source = ? AND document_id IN (SELECT value FROM json_each(?))",
            (checked_id(source), json.dumps([row["id"] for row in rows])),
        )
    }
    names = read_names(db, rows[0]["project_id"]) if rows else {}
    for row in rows:
        yield Document(row["name"], row["text"], load_spans(said[row["id"]], names))


def _listed(spans: Iterable[Span], ids: Mapping[str, int]) -> Iterator[Span]:
    return (span for span in spans if span.label in ids)


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, allow_nan=False)


def _get(db: sqlite3.Connection, project_id: int, source: int) -> StoredSource:
    row = db.execute(
        "SELECT * FROM sources WHERE id = ? AND project_id = ?", (checked_id(source), project_id)
    ).fetchone()
    if row is None:
        raise NotFound("source", source)
    return _stored(row)


def _stored(row: sqlite3.Row) -> StoredSource:
    return StoredSource(
        row["id"], row["project_id"], load_json(row["settings"]), load_json(row["report"]), row["user"],
        row["created"],
    )  # fmt: skip

"""Human-annotated documents: the reference for evaluating a dictionary or a tagger."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence

from core.store.annotation.regions import MARKED, with_decided, with_regions
from core.store.db.workspace import Workspace
from core.store.document.documents import CHUNK, built
from core.store.label.ids import read_names
from core.store.project.projects import checked_id
from core.text import Document
from core.text.annotated_regions import annotated_regions, is_annotated

_UNTOUCHING = "('distant', 'undo_distant', 'ignore', 'restore', 'to_check')"
_EDITED = (
    "EXISTS (SELECT 1 FROM events e "  # noqa: S608 - ours
    f"WHERE e.document_id = d.id AND e.annotator = '' AND e.action NOT IN {_UNTOUCHING})"
)
_TOUCHED = (
    "d.project_id = ? AND d.trashed IS NULL AND d.status <> 'ignored' "
    f"AND ((d.status = 'done' AND d.revision = 0) OR d.id IN ({MARKED}) OR {_EDITED})"
)


def iterate(workspace: Workspace, project_id: int) -> Iterator[Document]:
    """Every document that is done or annotated, with ``meta["annotated_regions"]`` where that is in part.

    These are the decided regions (`regions.with_decided`): a match beside a decided span is not an error yet.
    Distant labels are left out, as a dictionary must not be scored against itself.
    """
    last = 0
    while True:
        with workspace.reading() as db:
            rows = _touched(db, "d.id > ? ORDER BY d.id LIMIT ?", (checked_id(project_id), last, CHUNK))
            by_people = _by_people(db, rows)
            decided = with_decided(db, rows, built(db, rows))
            chunk = [x.with_spans(kept.spans) for x, kept in zip(decided, by_people, strict=True)]
        if not chunk:
            return
        yield from chunk
        last = rows[-1]["id"]


def several(workspace: Workspace, project_id: int, ids: Sequence[int]) -> list[tuple[int, Document]]:
    """The ones of these documents that `iterate` yields, with their ids and their annotated regions."""
    with workspace.reading() as db:
        rows = _touched(db, "d.id IN (SELECT value FROM json_each(?))", (project_id, json.dumps(list(ids))))
        return list(zip((row["id"] for row in rows), _by_people(db, rows), strict=True))


def count(workspace: Workspace, project_id: int) -> tuple[int, int]:
    """Number of documents `iterate` yields, and of all documents outside the trash."""
    counts = (
        "(SELECT coalesce(sum(number), 0) FROM document_counts WHERE project_id = :project AND trashed = 0"
    )
    with workspace.reading() as db:
        # Every edit counts its document, and whoever annotates little has few that count for another reason.
        touched, everything = db.execute(
            f"SELECT {counts} AND status <> 'ignored' AND (revision > 0 OR status = 'done')) "  # noqa: S608
            f"+ (SELECT count(*) FROM documents d WHERE d.id IN ({MARKED}) AND d.project_id = :project "
            "AND d.trashed IS NULL AND d.revision = 0 AND d.status NOT IN ('done', 'ignored')) "
            "- (SELECT count(*) FROM documents d WHERE d.id IN "
            "(SELECT document_id FROM events WHERE action <> 'import') AND d.project_id = :project "
            "AND d.trashed IS NULL AND d.status <> 'ignored' AND d.revision > 0 "
            f"AND d.id NOT IN ({MARKED}) AND NOT {_EDITED}), {counts})",
            {"project": checked_id(project_id)},
        ).fetchone()
    return int(touched), int(everything)


def _touched(db: sqlite3.Connection, which: str, values: tuple[object, ...]) -> list[sqlite3.Row]:
    return db.execute(
        f"SELECT d.* FROM documents d WHERE {_TOUCHED} AND {which}",  # noqa: S608 - both ours
        values,
    ).fetchall()


def _by_people(db: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> list[Document]:
    """The documents of these rows with their annotated regions, without what only a dictionary labelled."""
    distant: dict[int, set[tuple[int, int, str | None]]] = {}
    names = read_names(db, rows[0]["project_id"]) if rows else {}
    for row in db.execute(
        'SELECT t.document_id, t.start, t."end", t.label FROM distant_labels t '
        "JOIN steps b ON b.id = t.batch WHERE b.undone IS NULL "
        "AND json_extract(b.detail, '$.mode') <> 'suggest' "
        "AND t.document_id IN (SELECT value FROM json_each(?))",
        (json.dumps([row["id"] for row in rows]),),
    ):
        distant.setdefault(row[0], set()).add((row[1], row[2], names[row[3]]))
    return [
        _without(document, distant.get(row["id"], set()))
        for row, document in zip(rows, with_regions(db, rows, built(db, rows)), strict=True)
    ]


def _without(document: Document, distant: set[tuple[int, int, str | None]]) -> Document:
    if not distant:
        return document
    regions = annotated_regions(document)
    return document.with_spans(
        span
        for span in document.spans
        if span.key not in distant or is_annotated(regions, span.start, span.end)
    )

"""The queue of documents: filtered, searched, sorted and paged."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.store.db.workspace import Workspace
from core.store.document import text_index
from core.store.project.projects import checked_id
from core.store.queue.filter import GOLD_STATE, WORKER_STATE, Filter, Source, source
from core.store.queue.order import Stretch, stretches

EXCERPT = 120  # characters of the text that a row of the queue shows

_SUMMARY = f"""
    SELECT d.id, d.name,
           substr(d.text, max(1, instr(lower(d.text), lower(:search)) - 10), :excerpt) AS excerpt,
           length(d.text) AS length, d.split,
           CASE WHEN :worker IS NULL THEN {GOLD_STATE} ELSE {WORKER_STATE} END AS status,
           CASE WHEN :worker IS NULL THEN d.revision ELSE coalesce(c.revision, 0) END AS revision,
           (SELECT count(DISTINCT s.start || '-' || s."end" || ' ' || l.reads_as) FROM spans s
            JOIN labels l ON l.id = s.label AND l.reads_as IS NOT NULL
            WHERE s.document_id = d.id AND s.annotator = coalesce(:worker, '')) AS spans, p.least_score,
           CASE WHEN 'ignored' IN (d.status, c.status) THEN coalesce((SELECT e.reason FROM events e
               WHERE e.document_id = d.id AND e.revision = CASE WHEN d.status = 'ignored' THEN d.revision
               ELSE c.revision END AND e.annotator = CASE WHEN d.status = 'ignored' THEN ''
               ELSE :worker END), '') ELSE '' END AS reason
    FROM documents d LEFT JOIN predictions p ON p.run = :run AND p.document_id = d.id
    LEFT JOIN versions c ON c.document_id = d.id AND c.annotator = :worker
    WHERE d.id IN (SELECT value FROM json_each(:ids))"""  # noqa: S608 - ours


@dataclass(frozen=True, slots=True)
class Summary:
    """One row of the queue. ``excerpt`` starts at the search hit, if any; ``status`` is one of ``STATES``;
    ``reason``: why the document is ignored, if it is.
    """

    id: int
    name: str
    excerpt: str
    length: int
    split: str
    status: str
    revision: int
    spans: int
    least_score: float | None
    reason: str


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of the queue and their total number."""

    rows: tuple[Summary, ...]
    total: int


def page(
    workspace: Workspace,
    project_id: int,
    which: Filter | None = None,
    *,
    order: str = "in order",
    offset: int = 0,
    limit: int = 50,
    run: str | None = None,
    acquisition: str = "",
) -> Page:
    """One page of the queue; ``run`` (default: the active run) gives the confidences.

    Args:
        acquisition: whose scores the orders "lowest score" and "highest score" sort by.

    Raises:
        PayloadError: unknown status, split or order.
    """
    which = which or Filter()
    with workspace.reading() as db:
        clauses = source(db, project_id, which, run, acquisition)
        first, wanted = max(0, offset), max(0, limit)
        segments = stretches(db, order, clauses)
        if order == "in order" and clauses.only is not None:
            total, ids = len(clauses.only), clauses.only[first : first + wanted]
        else:
            total, ids = _places(db, segments, clauses, first, wanted)
        # Texts are read for the page's rows only, not while sorting.
        values = clauses.values | {"ids": json.dumps(ids), "excerpt": EXCERPT, "search": which.search}
        rows = db.execute(_SUMMARY, values) if ids else ()
        summaries = {row["id"]: Summary(*row) for row in rows}
    if not clauses.index_whole:
        text_index.rebuild(workspace, project_id)
    return Page(tuple(summaries[id_] for id_ in ids), total)


def first_to_annotate(workspace: Workspace, project_id: int, which: Filter | None = None) -> int | None:
    """The first document that nobody has annotated, else the first of all; None where there is none."""
    which = which or Filter()
    raw = [
        page(workspace, project_id, replace(which, status=state), limit=1).rows
        for state in ("new", "preannotated")
    ]
    first = [rows[0].id for rows in raw if rows]
    if first:
        return min(first)
    rows = page(workspace, project_id, which, limit=1).rows
    return rows[0].id if rows else None


def neighbour(
    workspace: Workspace,
    project_id: int,
    document_id: int,
    which: Filter | None = None,
    *,
    backwards: bool = False,
    order: str = "in order",
    run: str | None = None,
    acquisition: str = "",
) -> int | None:
    """The document after another in the queue, or before it; None at its end, and for one of another project.

    The other document has its place in the order also where it does not pass the filter. Ignored documents
    are passed over, unless the filter asks for them.

    Raises:
        PayloadError: as ``page``.
    """
    with workspace.reading() as db:
        clauses = source(db, project_id, replace(which or Filter(), ignored=False), run, acquisition)
        segments = stretches(db, order, clauses)[:: -1 if backwards else 1]
        found = _beyond(db, segments, clauses, checked_id(document_id), 1, backwards=backwards)
    return found[0] if found else None


def following(
    workspace: Workspace,
    project_id: int,
    document_id: int | None,
    which: Filter | None = None,
    *,
    limit: int,
    order: str = "in order",
    run: str | None = None,
    acquisition: str = "",
) -> list[int]:
    """The documents after another in the queue, at most ``limit``; of None the first ones.

    Unlike `page`, which counts rows, it passes over no document while others leave the list. The document has
    its place in the order also where it does not pass the filter; after one of another project nothing comes.

    Raises:
        PayloadError: as ``page``.
    """
    after = None if document_id is None else checked_id(document_id)
    with workspace.reading() as db:
        clauses = source(db, project_id, which or Filter(), run, acquisition)
        return _beyond(db, stretches(db, order, clauses), clauses, after, limit)


def _beyond(
    db: sqlite3.Connection,
    segments: Sequence[Stretch],
    clauses: Source,
    document_id: int | None,
    limit: int,
    *,
    backwards: bool = False,
) -> list[int]:
    """The documents after one in these segments; of None the first ones."""
    begun = document_id is None
    found: list[int] = []
    for stretch in segments:
        place: tuple[Any, ...] | None = ()
        if not begun:
            place = stretch.place(db, clauses, document_id or 0)
            if place is None:
                continue
            begun = True
        wanted = limit - len(found)
        found += stretch.following(db, clauses, place or (), limit=wanted, backwards=backwards)
        if len(found) >= limit:
            break
    return found


def matching(
    workspace: Workspace, project_id: int, which: Filter | None = None, *, run: str | None = None
) -> list[int]:
    """The ids of all documents that match, in order.

    Raises:
        PayloadError: as ``page``.
    """
    with workspace.reading() as db:
        clauses = source(db, project_id, which or Filter(), run)
        if clauses.only is not None:
            return clauses.only
        return [
            row[0] for row in db.execute(f"SELECT d.id {clauses.documents()} ORDER BY d.id", clauses.values)
        ]


def _places(
    db: sqlite3.Connection, segments: Sequence[Stretch], clauses: Source, offset: int, limit: int
) -> tuple[int, list[int]]:
    """Number of documents, and the ids of one page."""
    total = int(db.execute(f"SELECT count(*) {clauses.counted()}", clauses.values).fetchone()[0])
    # No more is asked for than there is: a query that looks for more reads every document once again.
    limit = min(limit, max(0, total - offset))
    if not limit:
        return total, []
    if len(segments) == 1:
        return total, segments[0].page(db, clauses, offset, limit, total)
    ids: list[int] = []
    passed = 0  # documents of earlier segments
    for at, stretch in enumerate(segments):
        if len(ids) == limit or passed >= total:
            break
        here = stretch.page(db, clauses, max(0, offset - passed), limit - len(ids))
        ids += here
        if at + 1 < len(segments) and len(ids) < limit:
            passed += stretch.count(db, clauses)
    return total, ids

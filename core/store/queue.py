"""The queue of documents: filtered, searched, ordered, a page at a time."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any, Literal

from core.store.payload import checked_choice
from core.store.projects import checked_id
from core.store.queue_filter import PREDICTIONS, SCORES, Filter, source
from core.store.workspace import Workspace

Order = Literal["in order", "least confident", "random", "lowest score", "highest score"]
EXCERPT = 120  # characters of the text that a row of the queue shows

# The keys each order sorts by, the last one unique, so that pages never overlap. "least confident": documents
# with a score, lowest first; then those the run found nothing in; then those it has not been asked about.
ORDERS: dict[str, tuple[str, ...]] = {
    "in order": ("d.id",),
    "least confident": ("p.least_score IS NULL", "coalesce(p.least_score, 0)", "p.run IS NULL", "d.id"),
    "random": ("d.content_hash",),
    # By the scores of a strategy (`core.store.queue_scores`); documents without any come last.
    "lowest score": ("q.score IS NULL", "coalesce(q.score, 0)", "d.id"),
    "highest score": ("q.score IS NULL", "-coalesce(q.score, 0)", "d.id"),
}
_SUMMARY = """
    SELECT d.id, d.name,
           substr(d.text, max(1, instr(lower(d.text), lower(:search)) - 10), :excerpt) AS excerpt,
           length(d.text) AS length, d.split,
           CASE WHEN :worker IS NULL THEN d.status ELSE coalesce(c.status, 'new') END AS status,
           CASE WHEN :worker IS NULL THEN d.revision ELSE coalesce(c.revision, 0) END AS revision,
           CASE WHEN :worker IS NULL THEN (SELECT count(*) FROM spans s WHERE s.document_id = d.id)
                ELSE coalesce(json_array_length(c.spans), 0) END AS spans, p.least_score
    FROM documents d LEFT JOIN predictions p ON p.run = :run AND p.document_id = d.id
    LEFT JOIN copies c ON c.document_id = d.id AND c.user = :worker
    WHERE d.id IN (SELECT value FROM json_each(:ids))"""


@dataclass(frozen=True, slots=True)
class Summary:
    """One row of the queue. ``excerpt`` starts at the search hit where there is one."""

    id: int
    name: str
    excerpt: str
    length: int
    split: str
    status: str
    revision: int
    spans: int
    least_score: float | None


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of the queue and how many there are in all."""

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
    strategy: str = "",
) -> Page:
    """One page of the queue; ``run`` (default: the serving run) gives the confidences.

    Args:
        strategy: whose scores the orders "lowest score" and "highest score" sort by.

    Raises:
        PayloadError: a status, split or order that does not exist.
    """
    keys = _keys(order)
    with workspace.reading() as db:
        where, values = source(db, project_id, which or Filter(), run, keys, strategy)
        total, ids = _places(db, f"{where} ORDER BY {', '.join(keys)}", values, max(0, offset), max(0, limit))
        # Texts are read for the page's rows only: sorting must not drag them along.
        rows = db.execute(_SUMMARY, values | {"ids": json.dumps(ids), "excerpt": EXCERPT})
        summaries = {row["id"]: Summary(*row) for row in rows}
    return Page(tuple(summaries[id_] for id_ in ids), total)


def neighbours(
    workspace: Workspace,
    project_id: int,
    document_id: int,
    which: Filter | None = None,
    *,
    order: str = "in order",
    run: str | None = None,
    strategy: str = "",
) -> tuple[int | None, int | None]:
    """The documents before and after this one in the queue (None at its ends).

    The document keeps its place even where it no longer passes the filter, as after it was marked done.
    """
    keys = _keys(order)
    marks = ", ".join(f":key{at}" for at in range(len(keys)))
    backwards = ", ".join(f"{key} DESC" for key in keys)
    with workspace.reading() as db:
        where, values = source(db, project_id, which or Filter(), run, keys, strategy)
        place = db.execute(
            f"SELECT {', '.join(keys)} FROM documents d {PREDICTIONS} {SCORES} "  # noqa: S608 - ours
            "WHERE d.id = :id AND d.project_id = :project",
            values | {"id": checked_id(document_id)},
        ).fetchone()
        if place is None:
            return None, None
        values |= {f"key{at}": value for at, value in enumerate(place)}
        own = f"({', '.join(keys)})"
        before = f"SELECT d.id {where} AND {own} < ({marks}) ORDER BY {backwards} LIMIT 1"
        after = f"SELECT d.id {where} AND {own} > ({marks}) ORDER BY {', '.join(keys)} LIMIT 1"
        found = [db.execute(sql, values).fetchone() for sql in (before, after)]
    return (found[0] and found[0]["id"], found[1] and found[1]["id"])


def matching(
    workspace: Workspace, project_id: int, which: Filter | None = None, *, run: str | None = None
) -> list[int]:
    """The numbers of all documents that pass, in order; what an export of the filter on the screen takes.

    Raises:
        PayloadError: as ``page``.
    """
    with workspace.reading() as db:
        where, values = source(db, project_id, which or Filter(), run, ("d.id",))
        return [row["id"] for row in db.execute(f"SELECT d.id {where} ORDER BY d.id", values)]


def _places(
    db: sqlite3.Connection, ordered: str, values: dict[str, Any], offset: int, limit: int
) -> tuple[int, list[int]]:
    """How many documents there are, and the numbers of those on one page."""
    if values["search"]:
        # A search reads every text: once, for the count and the page together.
        ids = [row["id"] for row in db.execute(f"SELECT d.id {ordered}", values)]
        return len(ids), ids[offset : offset + limit]
    total = db.execute(f"SELECT count(*) {ordered.partition(' ORDER BY ')[0]}", values).fetchone()[0]
    values = values | {"limit": limit, "offset": offset}
    return total, [
        row["id"] for row in db.execute(f"SELECT d.id {ordered} LIMIT :limit OFFSET :offset", values)
    ]


def _keys(order: str) -> tuple[str, ...]:
    return ORDERS[checked_choice(order, tuple(ORDERS), "order")]

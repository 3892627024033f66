"""The queue of documents: filtered, searched, ordered, a page at a time."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any, Literal

from core.store.payload import SPLITS, STATUSES, checked_choice
from core.store.projects import checked_id, row_of
from core.store.workspace import Workspace

Order = Literal["in order", "least confident", "random"]
EXCERPT = 120  # characters of the text that a row of the queue shows

# "least confident": documents with a score first, lowest first; then those the run found nothing in; then
# those it has not been asked about. Every order ends in the id, so that pages never overlap.
ORDERS: dict[str, str] = {
    "in order": "d.id",
    "least confident": "p.least_score IS NULL, p.least_score, p.run IS NULL, d.id",
    "random": "d.shuffle, d.id",
}

_ROW = (
    "SELECT d.id, d.name, substr(d.text, max(1, instr(lower(d.text), :search) - 10), :excerpt) AS excerpt, "
    "length(d.text) AS length, d.split, d.status, d.revision, "
    "(SELECT count(*) FROM spans s WHERE s.document_id = d.id) AS spans, p.least_score"
)
_BETWEEN = (
    "SELECT before, after FROM (SELECT d.id AS id, lag(d.id) OVER queue AS before, "
    "lead(d.id) OVER queue AS after"
)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which documents; None and an empty search let everything through.

    Args:
        status: new, in_progress or done. split: train, dev, test or none.
        label: on a current span. predicted: whether ``run`` (or the serving run) has answered.
        search: any substring of the text, one Chinese character included; ASCII letters of either case.
        trashed: documents in the trash instead of the others.
    """

    status: str | None = None
    split: str | None = None
    label: str | None = None
    predicted: bool | None = None
    search: str = ""
    trashed: bool = False


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
) -> Page:
    """One page of the queue; ``run`` (default: the serving run) gives the confidences.

    Raises:
        PayloadError: a status, split or order that does not exist.
    """
    with workspace.reading() as db:
        where, values = _where(db, project_id, which or Filter(), run)
        total = db.execute(f"SELECT count(*) FROM {where}", values).fetchone()[0]  # noqa: S608 - our own SQL
        rows = db.execute(
            f"{_ROW} FROM {where} ORDER BY {_order(order)} LIMIT :limit OFFSET :offset",
            {**values, "excerpt": EXCERPT, "limit": max(0, limit), "offset": max(0, offset)},
        ).fetchall()
    return Page(tuple(Summary(*row) for row in rows), total)


def neighbours(
    workspace: Workspace,
    project_id: int,
    document_id: int,
    which: Filter | None = None,
    *,
    order: str = "in order",
    run: str | None = None,
) -> tuple[int | None, int | None]:
    """The documents before and after this one in the queue (None at its ends).

    The document keeps its place even where it no longer passes the filter, as after it was marked done.
    """
    with workspace.reading() as db:
        where, values = _where(db, project_id, which or Filter(), run, besides=checked_id(document_id))
        row = db.execute(
            f"{_BETWEEN} FROM {where} WINDOW queue AS (ORDER BY {_order(order)})) WHERE id = :besides",
            values,
        ).fetchone()
    return (None, None) if row is None else (row["before"], row["after"])


def _order(order: str) -> str:
    return ORDERS[checked_choice(order, tuple(ORDERS), "order")]


def _where(
    db: sqlite3.Connection, project_id: int, which: Filter, run: str | None, besides: int | None = None
) -> tuple[str, dict[str, Any]]:
    """The FROM and WHERE of a queue; whatever came from outside is a named value, never SQL."""
    project = row_of(db, project_id)
    tests = [f"d.trashed IS {'NOT ' if which.trashed else ''}NULL"]
    if which.status is not None:
        checked_choice(which.status, STATUSES, "status")
        tests.append("d.status = :status")
    if which.split is not None:
        checked_choice(which.split, SPLITS, "split")
        tests.append("d.split = :split")
    if which.label is not None:
        tests.append("EXISTS (SELECT 1 FROM spans s WHERE s.document_id = d.id AND s.label = :label)")
    if which.predicted is not None:
        tests.append(f"p.run IS {'NOT ' if which.predicted else ''}NULL")
    if which.search:
        tests.append("instr(lower(d.text), :search) > 0")
    values = {
        "project": project_id, "run": run or project.serving_run, "besides": besides, "status": which.status,
        "split": which.split, "label": which.label, "search": _ascii_lower(which.search),
    }  # fmt: skip
    sql = (
        "documents d LEFT JOIN predictions p ON p.run = :run AND p.document_id = d.id "
        f"WHERE d.project_id = :project AND ({' AND '.join(tests)} OR d.id = :besides)"
    )
    return sql, values


def _ascii_lower(text: str) -> str:
    """Lower case as SQLite's ``lower`` has it: ASCII letters only."""
    return "".join(char.lower() if char.isascii() else char for char in text)

"""The queue of documents: filtered, searched, ordered, a page at a time."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any, Literal

from core.store.payload import SPLITS, STATUSES, checked_choice
from core.store.projects import checked_id, row_of
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
_SCORES = (
    "LEFT JOIN queue_scores q ON q.project_id = :project AND q.strategy = :strategy AND q.document_id = d.id"
)
_PREDICTIONS = "LEFT JOIN predictions p ON p.run = :run AND p.document_id = d.id"
_HANDED = """
    JOIN assignments a ON a.document_id = d.id AND a.user = :worker
    LEFT JOIN copies c ON c.document_id = d.id AND c.user = :worker"""
_LABELLED = "EXISTS (SELECT 1 FROM spans s WHERE s.document_id = d.id AND s.label = :label)"
_LABELLED_BY_WORKER = (
    "EXISTS (SELECT 1 FROM json_each(c.spans) s WHERE json_extract(s.value, '$[2]') = :label)"
)
_SUMMARY = """
    SELECT d.id, d.name, substr(d.text, max(1, instr(lower(d.text), :search) - 10), :excerpt) AS excerpt,
           length(d.text) AS length, d.split,
           CASE WHEN :worker IS NULL THEN d.status ELSE coalesce(c.status, 'new') END AS status,
           CASE WHEN :worker IS NULL THEN d.revision ELSE coalesce(c.revision, 0) END AS revision,
           CASE WHEN :worker IS NULL THEN (SELECT count(*) FROM spans s WHERE s.document_id = d.id)
                ELSE coalesce(json_array_length(c.spans), 0) END AS spans, p.least_score
    FROM documents d LEFT JOIN predictions p ON p.run = :run AND p.document_id = d.id
    LEFT JOIN copies c ON c.document_id = d.id AND c.user = :worker
    WHERE d.id IN (SELECT value FROM json_each(:ids))"""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which documents; None and an empty search let everything through.

    Args:
        status: new, in_progress or done. split: train, dev, test or none.
        label: on a current span. predicted: whether ``run`` (or the serving run) has answered.
        search: any substring of the text, one Chinese character included; ASCII letters of either case.
        trashed: documents in the trash instead of the others.
        worker: only documents handed to this person, with the status and the labels of their own copy.
    """

    status: str | None = None
    split: str | None = None
    label: str | None = None
    predicted: bool | None = None
    search: str = ""
    trashed: bool = False
    worker: str | None = None


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
        where, values = _where(db, project_id, which or Filter(), run, keys)
        values["strategy"] = strategy
        total = db.execute(f"SELECT count(*) {where}", values).fetchone()[0]
        values |= {"limit": max(0, limit), "offset": max(0, offset)}
        found = db.execute(
            f"SELECT d.id {where} ORDER BY {', '.join(keys)} LIMIT :limit OFFSET :offset", values
        )
        # Texts are read for the page's rows only: sorting must not drag them along.
        ids = [row["id"] for row in found]
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
        where, values = _where(db, project_id, which or Filter(), run, keys)
        values["strategy"] = strategy
        place = db.execute(
            f"SELECT {', '.join(keys)} FROM documents d {_PREDICTIONS} {_SCORES} "  # noqa: S608 - ours
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


def _keys(order: str) -> tuple[str, ...]:
    return ORDERS[checked_choice(order, tuple(ORDERS), "order")]


def _where(
    db: sqlite3.Connection, project_id: int, which: Filter, run: str | None, keys: tuple[str, ...]
) -> tuple[str, dict[str, Any]]:
    """FROM and WHERE of a queue; whatever came from outside is a named value, never SQL."""
    project = row_of(db, project_id)
    tests = [f"d.trashed IS {'NOT ' if which.trashed else ''}NULL"]
    if which.status is not None:
        checked_choice(which.status, STATUSES, "status")
        tests.append("d.status = :status" if which.worker is None else "coalesce(c.status, 'new') = :status")
    if which.split is not None:
        checked_choice(which.split, SPLITS, "split")
        tests.append("d.split = :split")
    if which.label is not None:
        tests.append(_LABELLED if which.worker is None else _LABELLED_BY_WORKER)
    if which.predicted is not None:
        tests.append(f"p.run IS {'NOT ' if which.predicted else ''}NULL")
    if which.search:
        tests.append("instr(lower(d.text), :search) > 0")
    values = {
        "project": project_id, "run": run or project.serving_run, "status": which.status,
        "split": which.split, "label": which.label, "search": _ascii_lower(which.search),
        "worker": which.worker,
    }  # fmt: skip
    join = _PREDICTIONS if any("p." in part for part in (*keys, *tests)) else ""
    if any("q." in key for key in keys):
        join += f" {_SCORES}"
    if which.worker is not None:
        join += _HANDED
    return f"FROM documents d {join} WHERE d.project_id = :project AND {' AND '.join(tests)}", values


def _ascii_lower(text: str) -> str:
    """Lower case as SQLite's ``lower`` has it: ASCII letters only."""
    return "".join(char.lower() if char.isascii() else char for char in text)

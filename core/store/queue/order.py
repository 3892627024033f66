"""The orders of the queue, each as stretches that an index already holds in order.

Sorting a project by a score that some documents lack takes three stretches: those with a score, from the
index over scores; those asked about without one; the others in their own order. A page is read from where it
begins, and nothing is sorted.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Literal

from core.store.db.payload import checked_choice
from core.store.queue.filter import Source

Order = Literal["in order", "least confident", "random", "lowest score", "highest score"]
ORDERS: tuple[Order, ...] = ("in order", "least confident", "random", "lowest score", "highest score")

_PREDICTED = "predictions p INDEXED BY predictions_in_order"
_SCORED = "q.project_id = :project AND q.acquisition = :acquisition AND"
# The trash is left out by number: an index that knows nothing of it is walked without opening a document.
_NOT_IN_TRASH = "NOT IN (SELECT id FROM documents WHERE project_id = :project AND trashed IS NOT NULL)"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Documents that follow each other in an order.

    Args:
        rows: FROM and WHERE. number: which column names the document. keys: what they are sorted by, the
            last one unique, so that pages never overlap. belongs: the test, of ``d`` with ``p`` and ``q``,
            that says whether a document lies in this stretch.
    """

    rows: str
    number: str
    keys: tuple[str, ...]
    belongs: str = "1"

    def page(
        self, db: sqlite3.Connection, source: Source, offset: int, limit: int, total: int | None = None
    ) -> list[int]:
        """Some of them, in order; where the ``total`` is known, counted from the end that is nearer."""
        from_end = total is not None and offset > total // 2
        if total is not None and from_end:
            limit = max(0, min(limit, total - offset))
            offset = max(0, total - offset - limit)
        order = ", ".join(f"{key} DESC" if from_end else key for key in self.keys)
        rows = db.execute(
            f"SELECT {self.number} {self.rows} ORDER BY {order} LIMIT :limit OFFSET :offset",
            source.values | {"limit": limit, "offset": offset},
        )
        return [row[0] for row in rows][:: -1 if from_end else 1]

    def count(self, db: sqlite3.Connection, source: Source) -> int:
        """How many there are."""
        return int(db.execute(f"SELECT count(*) {self.rows}", source.values).fetchone()[0])


def stretches(db: sqlite3.Connection, order: str, source: Source) -> tuple[Stretch, ...]:
    """The stretches of an order, first to last.

    Raises:
        PayloadError: an order that does not exist.
    """
    checked_choice(order, ORDERS, "order")
    if order == "least confident":
        return _by_confidence(db, source)
    if order == "lowest score":
        return _by_score(source, "queue_scores q INDEXED BY queue_scores_in_order", "q.score")
    if order == "highest score":
        return _by_score(source, "queue_scores q INDEXED BY queue_scores_from_the_top", "-q.score")
    if order == "in order":
        return (Stretch(source.documents(), "d.id", ("d.id",)),)
    rows = f"FROM documents d WHERE d.project_id = :project AND d.id {_NOT_IN_TRASH}"
    return (Stretch(rows if source.plain else source.documents(), "d.id", ("d.content_hash",)),)


def _by_confidence(db: sqlite3.Connection, source: Source) -> tuple[Stretch, ...]:
    """Documents with a score, lowest first; then those the run found nothing in; then those it has not been
    asked about."""
    # Predictions of the project's own run are of its own documents.
    row = db.execute(
        "SELECT 1 FROM runs WHERE name = :run AND project_id = :project", source.values
    ).fetchone()

    def answered(which: str) -> str:
        if source.plain and row:
            return f"FROM {_PREDICTED} WHERE p.run = :run AND {which} AND p.document_id {_NOT_IN_TRASH}"
        return source.others_first(_PREDICTED, f"p.run = :run AND {which}")

    scored, empty = "p.least_score IS NOT NULL", "p.least_score IS NULL"
    number = "p.document_id"
    return (
        Stretch(answered(scored), number, ("p.least_score", number), scored),
        Stretch(answered(empty), number, (number,), f"p.run IS NOT NULL AND {empty}"),
        Stretch(source.documents("p.run IS NULL", tables=("p",)), "d.id", ("d.id",), "p.run IS NULL"),
    )


def _by_score(source: Source, table: str, key: str) -> tuple[Stretch, ...]:
    """By the scores of an acquisition function; documents without a score come last."""
    scored = f"{key} IS NOT NULL"
    return (
        Stretch(
            source.others_first(table, f"{_SCORED} {scored}"),
            "q.document_id", (key, "q.document_id"), scored,
        ),
        Stretch(source.documents("q.score IS NULL", tables=("q",)), "d.id", ("d.id",), "q.score IS NULL"),
    )  # fmt: skip

"""Orders of the queue, each a sequence of segments that an index has in order.

Sorting by a score that some documents lack takes three segments: documents with a score, from the index over
scores; predicted ones without a score; the others. A page is read from where it begins, without sorting.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from core.store.db.payload import checked_choice
from core.store.queue.filter import NOT_IN_TRASH, PREDICTIONS, SCORES, Source

Order = Literal["in order", "least confident", "random", "lowest score", "highest score"]
ORDERS: tuple[Order, ...] = ("in order", "least confident", "random", "lowest score", "highest score")

_PREDICTED = "predictions p INDEXED BY predictions_in_order"
_SCORED = "q.project_id = :project AND q.acquisition = :acquisition AND"
_ONE_DOCUMENT = f"FROM documents d {PREDICTIONS} {SCORES} WHERE d.id = :id AND d.project_id = :project"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A segment of an order.

    Args:
        rows: FROM and WHERE. number: the column with the document's id. keys: sort keys, the last one unique,
            so that pages never overlap. belongs: the condition on ``d`` with ``p`` and ``q`` for a document
            to be in this segment. grouped: a GROUP BY, where ``rows`` repeats documents.
    """

    rows: str
    number: str
    keys: tuple[str, ...]
    belongs: str = "1"
    grouped: str = ""

    def page(
        self, db: sqlite3.Connection, source: Source, offset: int, limit: int, total: int | None = None
    ) -> list[int]:
        """Some documents, in order, read from the nearer end if the ``total`` is known."""
        from_end = total is not None and offset > total // 2
        if total is not None and from_end:
            limit = max(0, min(limit, total - offset))
            offset = max(0, total - offset - limit)
        order = ", ".join(f"{key} DESC" if from_end else key for key in self.keys)
        rows = db.execute(
            f"SELECT {self.number} {self.rows} {self.grouped} ORDER BY {order} LIMIT :limit OFFSET :offset",
            source.values | {"limit": limit, "offset": offset},
        )
        return [row[0] for row in rows][:: -1 if from_end else 1]

    def count(self, db: sqlite3.Connection, source: Source) -> int:
        """Number of documents."""
        return int(db.execute(f"SELECT count(*) {self.rows}", source.values).fetchone()[0])

    def place(self, db: sqlite3.Connection, source: Source, document_id: int) -> tuple[Any, ...] | None:
        """The keys of a document, whether it passes the filter or not; None if it is of another segment."""
        # In the order of the documents an index has their ids under names of its own.
        keys = ("d.id",) if self.keys == (self.number,) else self.keys
        row = db.execute(
            f"SELECT {', '.join(keys)} {_ONE_DOCUMENT} AND {self.belongs}",
            source.values | {"id": document_id},
        ).fetchone()
        return None if row is None else tuple(row)

    def following(
        self,
        db: sqlite3.Connection,
        source: Source,
        place: Sequence[Any] = (),
        *,
        limit: int = 1,
        backwards: bool = False,
    ) -> list[int]:
        """The documents after the keys of ``place`` (without them the first ones), or before them."""
        order = ", ".join(f"{key} DESC" if backwards else key for key in self.keys)
        values = {f"key{at}": key for at, key in enumerate(place)}
        beyond = ""
        if values:
            marks = ", ".join(f":{name}" for name in values)
            sign = "<" if backwards else ">"
            # The bound on the first key alone is one that an index over an expression can use.
            beyond = f"AND {self.keys[0]} {sign}= :key0 AND ({', '.join(self.keys)}) {sign} ({marks})"
        rows = db.execute(
            f"SELECT {self.number} {self.rows} {beyond} {self.grouped} ORDER BY {order} LIMIT :limit",
            source.values | values | {"limit": limit},
        )
        return [row[0] for row in rows]


def stretches(db: sqlite3.Connection, order: str, source: Source) -> tuple[Stretch, ...]:
    """The segments of an order.

    Raises:
        PayloadError: no such order.
    """
    checked_choice(order, ORDERS, "order")
    if source.few:
        return _sorted(order, source)
    if order == "least confident":
        return _by_confidence(db, source)
    if order == "lowest score":
        return _by_score(source, "queue_scores q INDEXED BY queue_scores_in_order", "q.score")
    if order == "highest score":
        return _by_score(source, "queue_scores q INDEXED BY queue_scores_from_the_top", "-q.score")
    if order == "in order":
        lead = source.lead
        number = lead.number if lead else "d.id"
        return (Stretch(source.in_order(), number, (number,), grouped=lead.grouped if lead else ""),)
    rows = f"FROM documents d WHERE d.project_id = :project AND d.id {NOT_IN_TRASH}"
    return (Stretch(rows if source.plain else source.documents(scattered=True), "d.id", ("d.content_hash",)),)


def _sorted(order: str, source: Source) -> tuple[Stretch, ...]:
    """A few documents, sorted by hand in the same segments."""
    if order in ("in order", "random"):
        return (Stretch(source.documents(), "d.id", ("d.id" if order == "in order" else "d.content_hash",)),)
    if order == "least confident":
        table, key, parts = (
            "p",
            "p.least_score",
            ("p.run IS NOT NULL AND p.least_score IS NULL", "p.run IS NULL"),
        )
    else:
        table, key, parts = "q", "q.score" if order == "lowest score" else "-q.score", ("q.score IS NULL",)
    scored = f"{key} IS NOT NULL"
    return (
        Stretch(source.documents(scored, tables=(table,)), "d.id", (key, "d.id"), scored),
        *(Stretch(source.documents(part, tables=(table,)), "d.id", ("d.id",), part) for part in parts),
    )


def _by_confidence(db: sqlite3.Connection, source: Source) -> tuple[Stretch, ...]:
    """Documents with a score, lowest first; then those without predicted spans; then those not predicted."""
    # A run has predictions for documents of its project only.
    row = db.execute(
        "SELECT 1 FROM runs WHERE name = :run AND project_id = :project", source.values
    ).fetchone()

    def answered(which: str) -> str:
        if source.plain and row:
            return f"FROM {_PREDICTED} WHERE p.run = :run AND {which} AND p.document_id {NOT_IN_TRASH}"
        return source.others_first(_PREDICTED, f"p.run = :run AND {which}")

    # What nothing suggests has no score: looking for one would read every prediction.
    first = "FROM predictions p WHERE 0" if source.unsuggested else None
    scored, empty = "p.least_score IS NOT NULL", "p.least_score IS NULL"
    number = "p.document_id"
    return (
        Stretch(first or answered(scored), number, ("p.least_score", number), scored),
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

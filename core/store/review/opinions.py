"""What reviewers say of single spans, a row each: decisions on them, and choices of their links.

The last row about a span counts. One that is withdrawn stays in its table, marked as undone.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from core.store.db.clock import now
from core.store.document.documents import document_row
from core.store.label.ids import label_ids, read_names
from core.store.project import members
from core.text import Span, SpanKey

Table = Literal["decisions", "link_choices"]


def reviewed_row(db: sqlite3.Connection, document_id: int, by: str) -> sqlite3.Row:
    """The row of a document that ``by`` reviews.

    Raises:
        NotAllowed: ``by`` may not review. NotFound: no such document.
    """
    row = document_row(db, document_id)
    members.check_in(db, row["project_id"], by, "review")
    return row


def last(
    db: sqlite3.Connection, table: Table, columns: str, document: sqlite3.Row
) -> dict[SpanKey, list[Any]]:
    """The values of ``columns`` in the last row about each span, spans of deleted labels left out."""
    rows = db.execute(
        f'SELECT start, "end", label, {columns} FROM {table} '  # noqa: S608 - ours
        "WHERE document_id = ? AND undone IS NULL ORDER BY id",
        (document["id"],),
    )
    names = read_names(db, document["project_id"])
    named = (((start, end, names[label]), values) for start, end, label, *values in map(tuple, rows))
    return {(start, end, name): values for (start, end, name), values in named if name is not None}


def insert(
    db: sqlite3.Connection,
    table: Table,
    document: sqlite3.Row,
    spans: Iterable[Span],
    by: str,
    values: Callable[[Span], Mapping[str, Any]],
) -> list[int]:
    """Insert a row about each span; returns their ids.

    Args:
        values: the columns of this table alone.
    """
    at, ids = now(), label_ids(db, document["project_id"]).ids
    made = []
    for span in spans:
        row = {
            "document_id": document["id"], "start": span.start, '"end"': span.end, "label": ids[span.label],
            **values(span), "user": by, "at": at,
        }  # fmt: skip
        marks = ", ".join("?" * len(row))
        sql = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})"  # noqa: S608 - ours
        made.append(int(db.execute(sql, tuple(row.values())).lastrowid or 0))
    return made


def withdraw(db: sqlite3.Connection, table: Table, document: sqlite3.Row, keys: Iterable[SpanKey]) -> None:
    """Mark all rows about these spans as undone."""
    at, label_map = now(), label_ids(db, document["project_id"])
    db.executemany(
        f'UPDATE {table} SET undone = ? WHERE document_id = ? AND start = ? AND "end" = ? '  # noqa: S608 - ours
        "AND label IN (SELECT value FROM json_each(?)) AND undone IS NULL",
        [(at, document["id"], start, end, json.dumps(label_map.read_as(name))) for start, end, name in keys],
    )

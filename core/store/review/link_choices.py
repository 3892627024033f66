"""Reviewers' choices of the link of a span; kept through later annotation, apart from the verdict on it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from core.store.db.clock import now
from core.store.db.payload import checked_spans
from core.store.db.span_json import dump_link, load_link
from core.store.db.workspace import Workspace
from core.store.document.documents import document_row
from core.store.label.ids import label_ids, read_names
from core.store.project import members
from core.text import Span, SpanKey


@dataclass(frozen=True, slots=True)
class LinkChoice:
    """The link of ``span`` in the merge, or that it has none; who chose it, and when (UTC ms)."""

    span: Span
    user: str
    at: int


def current(workspace: Workspace, document_id: int, *, by: str) -> dict[SpanKey, LinkChoice]:
    """The last choice for each span that has one.

    Raises:
        NotAllowed: ``by`` may not review. NotFound: no such document.
    """
    with workspace.reading() as db:
        row = document_row(db, document_id)
        members.check_in(db, row["project_id"], by, "review")
        return current_of(db, row)


def choose(workspace: Workspace, document_id: int, spans: Iterable[object], *, by: str) -> None:
    """Choose the link of each span: the one it has here, or none where it has none.

    Args:
        spans: ``Span`` objects or mappings, as ``annotations.save`` takes them.

    Raises:
        NotAllowed: ``by`` may not review. PayloadError, UnknownLabelError: invalid span.
    """
    with workspace.writing() as db:
        row = document_row(db, document_id)
        members.check_in(db, row["project_id"], by, "review")
        at, label_map = now(), label_ids(db, row["project_id"])
        db.executemany(
            'INSERT INTO link_choices (document_id, start, "end", label, link, user, at) '
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (row["id"], span.start, span.end, label_map.ids[span.label], dump_link(span.link), by, at)
                for span in checked_spans(spans, row["text"], label_map.listed, "spans")
            ],
        )


def withdraw(workspace: Workspace, document_id: int, keys: Iterable[SpanKey], *, by: str) -> None:
    """Undo all choices for these spans; they stay in the table, marked as undone.

    Raises:
        NotAllowed: ``by`` may not review. NotFound: no such document.
    """
    with workspace.writing() as db:
        row = document_row(db, document_id)
        members.check_in(db, row["project_id"], by, "review")
        at, label_map = now(), label_ids(db, row["project_id"])
        db.executemany(
            'UPDATE link_choices SET undone = ? WHERE document_id = ? AND start = ? AND "end" = ? '
            "AND label IN (SELECT value FROM json_each(?)) AND undone IS NULL",
            [(at, row["id"], start, end, json.dumps(label_map.read_as(name))) for start, end, name in keys],
        )


def current_of(db: sqlite3.Connection, document: sqlite3.Row) -> dict[SpanKey, LinkChoice]:
    """``current`` from the document's row, through an open connection."""
    rows = db.execute(
        'SELECT start, "end", label, link, user, at FROM link_choices '
        "WHERE document_id = ? AND undone IS NULL ORDER BY id",
        (document["id"],),
    )
    names = read_names(db, document["project_id"])
    last: dict[SpanKey, LinkChoice] = {}
    for start, end, label, link, user, at in map(tuple, rows):
        name = names[label]
        if name is not None:
            last[start, end, name] = LinkChoice(Span(start, end, name, link=load_link(link)), user, at)
    return last

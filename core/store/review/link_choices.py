"""Reviewers' choices of the link of a span; kept through later annotation, apart from the verdict on it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from core.store.db.payload import checked_spans
from core.store.db.span_json import dump_link, load_link
from core.store.db.workspace import Workspace
from core.store.label.ids import label_ids
from core.store.review import opinions
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
        return current_of(db, opinions.reviewed_row(db, document_id, by))


def choose(workspace: Workspace, document_id: int, spans: Iterable[object], *, by: str) -> None:
    """Choose the link of each span: the one it has here, or none where it has none.

    Args:
        spans: ``Span`` objects or mappings, as ``annotations.save`` takes them.

    Raises:
        NotAllowed: ``by`` may not review. PayloadError, UnknownLabelError: invalid span.
    """
    with workspace.writing() as db:
        row = opinions.reviewed_row(db, document_id, by)
        chosen = checked_spans(spans, row["text"], label_ids(db, row["project_id"]).listed, "spans")
        opinions.insert(db, "link_choices", row, chosen, by, lambda span: {"link": dump_link(span.link)})


def withdraw(workspace: Workspace, document_id: int, keys: Iterable[SpanKey], *, by: str) -> None:
    """Undo all choices for these spans.

    Raises:
        NotAllowed: ``by`` may not review. NotFound: no such document.
    """
    with workspace.writing() as db:
        opinions.withdraw(db, "link_choices", opinions.reviewed_row(db, document_id, by), keys)


def current_of(db: sqlite3.Connection, document: sqlite3.Row) -> dict[SpanKey, LinkChoice]:
    """``current`` from the document's row, through an open connection."""
    rows = opinions.last(db, "link_choices", "link, user, at", document)
    return {
        key: LinkChoice(Span(*key, link=load_link(link)), user, at) for key, (link, user, at) in rows.items()
    }

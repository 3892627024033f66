"""Events: what each save of an annotation added and removed; folding them gives it at any revision."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from core.store.db.span_json import load_spans
from core.text import Span, sort_spans


@dataclass(frozen=True, slots=True)
class Event:
    """One save: who, when (UTC ms), what was added and removed, what stood rejected after it, the status, the
    run whose prediction was shown, and the client's id of the edit."""

    revision: int
    user: str
    at: int
    action: str
    added: tuple[Span, ...]
    removed: tuple[Span, ...]
    rejected: tuple[Span, ...]
    status: str
    run: str | None
    client_edit: str | None = None


def at_revision(events: Sequence[Event], revision: int) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Spans and rejected spans after the event ``revision`` (0: before any), by folding the events."""
    spans: dict[tuple[int, int, str], Span] = {}
    rejected: tuple[Span, ...] = ()
    for event in events:
        if event.revision > revision:
            break
        for span in event.removed:
            del spans[span.key]
        spans.update((span.key, span) for span in event.added)
        rejected = event.rejected
    return sort_spans(spans.values()), rejected


def events_of(db: sqlite3.Connection, document_id: int) -> list[Event]:
    """Every event of a document's agreed annotation, oldest first."""
    rows = db.execute("SELECT * FROM events WHERE document_id = ? ORDER BY revision", (document_id,))
    return [event_of(row) for row in rows]


def event_of(row: sqlite3.Row) -> Event:
    """The event in a row of ``events`` or ``copy_events``."""
    return Event(
        row["revision"], row["user"], row["at"], row["action"], load_spans(row["added"]),
        load_spans(row["removed"]), load_spans(row["rejected"]), row["status"], row["run"],
        row["client_edit"],
    )  # fmt: skip

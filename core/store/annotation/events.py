"""Events: the spans each save added and removed; folding them gives the annotation at any revision."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.store.db.span_json import Item, Names, load_items, load_spans, without_score
from core.store.db.workspace import Workspace
from core.store.document.documents import GOLD
from core.store.label.ids import label_ids, name_history
from core.store.project.projects import checked_id
from core.text import Span, SpanKey, sort_spans


@dataclass(frozen=True, slots=True)
class Event:
    """One save: user, time (UTC ms), spans added and removed, rejected spans afterwards, status, the run
    whose prediction was shown, and the client's id of the edit.

    ``called``: former names of labels renamed since, by their current names. ``reason``: why an ignored
    document is ignored.
    """

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
    reason: str = ""
    called: Mapping[str, str] = field(default_factory=dict, compare=False)


def at_revision(events: Sequence[Event], revision: int) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Spans and rejected spans after the event ``revision`` (0: before any), by folding the events."""
    spans: dict[SpanKey, Span] = {}
    rejected: tuple[Span, ...] = ()
    for event in events:
        if event.revision > revision:
            break
        for span in event.removed:
            del spans[span.key]
        spans.update((span.key, span) for span in event.added)
        rejected = event.rejected
    return sort_spans(spans.values()), rejected


def events_of(db: sqlite3.Connection, document: sqlite3.Row, annotator: str = GOLD) -> list[Event]:
    """The events of an annotation, oldest first, with current label names.

    Args:
        document: its row of the table ``documents``.
    """
    label_map = label_ids(db, document["project_id"])
    rows = db.execute(
        "SELECT * FROM events WHERE document_id = ? AND annotator = ? ORDER BY revision",
        (document["id"], annotator),
    ).fetchall()
    events = [_event(row, label_map.names) for row in rows]
    if label_map.has_merged:
        first = imported(db, document["id"]) if annotator else ()
        events = list(_with_merged_labels(events, rows, first, label_map.names))
    given = name_history(db, document["project_id"]) if rows else {}
    if sum(map(len, given.values())) == len(given):
        return events
    return [
        replace(event, called=_former_names(row, label_map.names, given))
        for event, row in zip(events, rows, strict=True)
    ]


def imported(db: sqlite3.Connection, document_id: int) -> list[Item]:
    """The imported spans of a document, without scores."""
    row = db.execute(
        "SELECT added FROM events WHERE document_id = ? AND annotator = '' AND revision = 1 "
        "AND action = 'import'",
        (document_id,),
    ).fetchone()
    return [without_score(item) for item in load_items(row["added"])] if row else []


def count_since(workspace: Workspace, project_id: int, at: int) -> int:
    """Number of edits of the gold annotation after ``at`` (UTC ms) that added, removed or rejected a span.

    Imports and changes of the status do not count.
    """
    with workspace.reading() as db:
        row = db.execute(
            "SELECT count(*) FROM documents d JOIN events e ON e.document_id = d.id AND e.annotator = '' "
            "WHERE d.project_id = ? AND d.trashed IS NULL AND d.revision > 0 AND e.at > ? "
            "AND e.action NOT IN ('import', 'status', 'done', 'reopen', 'ignore', 'restore', 'to_check', "
            "'distant', 'undo_distant')",
            (checked_id(project_id), at),
        ).fetchone()
    return int(row[0])


def _event(row: sqlite3.Row, names: Names) -> Event:
    return Event(
        row["revision"], row["user"], row["at"], row["action"], load_spans(row["added"], names),
        load_spans(row["removed"], names), load_spans(row["rejected"], names), row["status"], row["run"],
        row["client_edit"], row["reason"],
    )  # fmt: skip


def _with_merged_labels(
    events: Sequence[Event], rows: Sequence[sqlite3.Row], first: Iterable[Item], names: Names
) -> Iterable[Event]:
    """Adapt events to merged labels: a span is added with the first of them and removed with the last."""
    current: Counter[tuple[int, int, str | None]] = Counter(
        (item[0], item[1], names[item[2]]) for item in first
    )
    for event, row in zip(events, rows, strict=True):
        before = {key for key, count in current.items() if count}
        for column, sign in (("removed", -1), ("added", 1)):
            for item in load_items(row[column]):
                current[item[0], item[1], names[item[2]]] += sign
        after = {key for key, count in current.items() if count}
        links = {span.key: span.link for span in event.removed}
        relinked = {span.key for span in event.added if links.get(span.key, span.link) != span.link}
        yield replace(
            event,
            added=tuple(
                x for x in event.added if x.key in after and (x.key not in before or x.key in relinked)
            ),
            removed=tuple(
                x for x in event.removed if x.key in before and (x.key not in after or x.key in relinked)
            ),
        )


def _former_names(
    row: sqlite3.Row, names: Names, given: Mapping[int, Sequence[tuple[int, str]]]
) -> Mapping[str, str]:
    former: dict[str, str] = {}
    for column in ("added", "removed", "rejected"):
        for item in load_items(row[column]):
            now = names[item[2]]
            then = [name for at, name in given[item[2]] if at <= row["at"]]
            if now is not None and then and then[-1] != now:
                former[now] = then[-1]
    return former

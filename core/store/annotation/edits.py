"""What one save writes: the event, the spans, the status, and what follows from them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.store.annotation import corrections
from core.store.annotation.heads import Head, stored_items
from core.store.db.clock import now
from core.store.db.payload import IGNORED
from core.store.db.span_json import Item, dump_items, dump_link_of, item_of, load_items, load_link
from core.store.document.document_import import labels_column
from core.store.document.documents import GOLD
from core.store.label.ids import LabelIds
from core.store.project import event_log
from core.text import Span, SpanKey, sort_spans


@dataclass(frozen=True, slots=True)
class Saved:
    """The revision a save made, and when (UTC ms)."""

    revision: int
    at: int


@dataclass(frozen=True, slots=True)
class Edit:
    """A validated save."""

    spans: tuple[Span, ...]
    rejected: tuple[Span, ...]
    status: str | None
    user: str
    action: str
    run: str | None
    client_edit: str | None
    reason: str | None


def saved_before(
    db: sqlite3.Connection, document_id: int, annotator: str, client_edit: str | None
) -> Saved | None:
    """What the edit of this id was answered before; None if it is new."""
    if client_edit is None:
        return None
    row = db.execute(
        "SELECT revision, at FROM events WHERE document_id = ? AND annotator = ? AND client_edit = ?",
        (document_id, annotator, client_edit),
    ).fetchone()
    return None if row is None else Saved(row["revision"], row["at"])


def apply(db: sqlite3.Connection, row: sqlite3.Row, head: Head, edit: Edit, label_map: LabelIds) -> Saved:
    """Write spans, status and the event of ``edit``; nothing if it changes nothing."""
    document_id, revision, at = row["id"], head.revision + 1, now()
    stored = stored_items(db, document_id, head)
    keys: list[SpanKey | None] = [_key(item, label_map) for item in stored]
    before, after = set(keys), {span.key: span for span in edit.spans}
    relinked = _relinked(stored, keys, after)
    new = sort_spans(span for key, span in after.items() if key not in before or key in relinked)
    if head.annotator != GOLD:
        new = tuple(Span(*span.key, link=span.link) for span in new)  # versions are compared without scores
    added = [item_of(span, label_map.ids) for span in new]
    removed = [
        item
        for item, key in zip(stored, keys, strict=True)
        if key is not None and (key not in after or key in relinked)
    ]
    rejected, is_other = _rejected(head, edit, label_map)
    next_head = _after(head, edit, rejected)
    kept = edit.status in (None, head.status) and next_head.reason == head.reason
    if not added and not removed and not is_other and kept:
        return Saved(head.revision, at)
    _record(db, document_id, next_head, edit, at, added, removed)
    _log(db, row["project_id"], document_id, head, next_head, edit, at)
    if head.annotator != GOLD and not head.revision:
        gone = [item[:3] for item in removed]
        added = [
            *(item for item in stored if item[:3] not in gone),
            *added,
        ]  # the imported spans have no author
        removed = []
    db.executemany(
        'DELETE FROM spans WHERE document_id = ? AND annotator = ? AND start = ? AND "end" = ? AND label = ?',
        [(document_id, head.annotator, *item[:3]) for item in removed],
    )
    db.executemany(
        'INSERT INTO spans (document_id, annotator, start, "end", label, score, revision, link) '
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(document_id, head.annotator, *item[:3], item[3] if len(item) > 3 else None, revision,
          dump_link_of(item)) for item in added],
    )  # fmt: skip
    stay = [
        item[2]
        for item, key in zip(stored, keys, strict=True)
        if key is None or (key in after and key not in relinked)
    ]
    labels = [*stay, *(item[2] for item in added)]
    _advance(db, row, next_head, edit, at, label_map, labels)
    return Saved(revision, at)


def apply_status(db: sqlite3.Connection, row: sqlite3.Row, head: Head, edit: Edit) -> Saved:
    """Write the status and the reason of ``edit`` alone, unless both are as before."""
    after, at = _after(head, edit, head.rejected), now()
    if (after.status, after.reason) == (head.status, head.reason):
        return Saved(head.revision, at)
    _record(db, row["id"], after, edit, at, [], [])
    _log(db, row["project_id"], row["id"], head, after, edit, at)
    _advance(db, row, after, edit, at)
    return Saved(after.revision, at)


def _relinked(
    stored: Sequence[Item], keys: Sequence[SpanKey | None], after: Mapping[SpanKey, Span]
) -> set[SpanKey]:
    """The spans that stay with another link, or without the one they had."""
    had = {key: item[4] for item, key in zip(stored, keys, strict=True) if key is not None and len(item) > 4}
    has = {key: span.link for key, span in after.items() if span.link is not None}
    if not had and not has:
        return set()
    changed = {key for key, link in had.items() if key in after and load_link(link) != has.get(key)}
    return changed | (has.keys() - had.keys()).intersection(keys)


def _after(head: Head, edit: Edit, rejected: str) -> Head:
    """The annotation's head after an edit; ``rejected`` is the column of rejected spans then."""
    status = edit.status or ("in_progress" if head.status == "new" else head.status)
    reason = (head.reason if edit.reason is None else edit.reason) if status == IGNORED else ""
    return Head(head.annotator, head.revision + 1, status, rejected, reason)


def _record(
    db: sqlite3.Connection,
    document_id: int,
    after: Head,
    edit: Edit,
    at: int,
    added: Sequence[Item],
    removed: Sequence[Item],
) -> None:
    db.execute(
        "INSERT INTO events (document_id, annotator, revision, user, at, action, added, removed, rejected, "
        "status, run, client_edit, reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (document_id, after.annotator, after.revision, edit.user, at, edit.action, dump_items(added),
         dump_items(removed), after.rejected, after.status, edit.run, edit.client_edit, after.reason),
    )  # fmt: skip


def _log(
    db: sqlite3.Connection, project_id: int, document_id: int, before: Head, after: Head, edit: Edit, at: int
) -> None:
    """Tell programs that follow the project."""
    what: dict[str, Any] = {
        "user": edit.user, "document_id": document_id, "annotator": after.annotator,
        "revision": after.revision, "run": edit.run, "at": at,
    }  # fmt: skip
    event_log.record(db, project_id, "document.saved", **what)
    if after.status == "done" and before.status != "done":
        event_log.record(db, project_id, "document.done", **what)


def _rejected(head: Head, edit: Edit, label_map: LabelIds) -> tuple[str, bool]:
    """The column of rejected spans after an edit, and whether it differs.

    Rejections that are not read stay, as the label may be restored: those of deleted labels, and those that a
    label merge has put on an annotated span.
    """
    if head.rejected == "[]" and not edit.rejected:
        return head.rejected, False
    stored = load_items(head.rejected)
    keys = [_key(item, label_map) for item in stored]
    after = {span.key: Span(*span.key) for span in edit.rejected}
    unread = {None, *(span.key for span in (edit.spans if label_map.has_merged else ()))}
    kept = [item for item, key in zip(stored, keys, strict=True) if key in after or key in unread]
    new = [item_of(after[key], label_map.ids) for key in sorted(after.keys() - set(keys))]
    column = dump_items(sorted([*kept, *new], key=lambda item: (item[0], -item[1], item[2])))
    return column, bool(new) or len(kept) < len(stored)


def _key(item: Item, label_map: LabelIds) -> SpanKey | None:
    name = label_map.names[item[2]]
    return None if name is None else (item[0], item[1], name)


def _advance(
    db: sqlite3.Connection,
    row: sqlite3.Row,
    head: Head,
    edit: Edit,
    at: int,
    label_map: LabelIds | None = None,
    labels: Sequence[int] | None = None,
) -> None:
    """Make the head the annotation's, with what follows: the time of the last save, and corrections.

    Args:
        labels: the label ids of all spans of the gold annotation; None where no span changed.
    """
    if head.annotator == GOLD:
        db.execute(
            "UPDATE documents SET revision = ?, rejected = ?, status = ?, labels = coalesce(?, labels), "
            "gold_spans = coalesce(?, gold_spans) WHERE id = ?",
            (
                head.revision,
                head.rejected,
                head.status,
                None if labels is None else labels_column(labels),
                None if labels is None else len(labels),
                row["id"],
            ),
        )
    else:
        db.execute(
            "INSERT INTO versions (document_id, annotator, revision, rejected, status, updated) "
            "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (document_id, annotator) DO UPDATE SET "
            "revision = excluded.revision, rejected = excluded.rejected, status = excluded.status, "
            "updated = excluded.updated",
            (row["id"], head.annotator, head.revision, head.rejected, head.status, at),
        )
    db.execute("UPDATE projects SET last_saved = ? WHERE id = ?", (at, row["project_id"]))
    if head.annotator == GOLD:
        standing = corrections.Standing(row["id"], row["project_id"], head.rejected, head.status)
        corrections.refresh(db, standing, edit.run, edit.user, at, label_map)

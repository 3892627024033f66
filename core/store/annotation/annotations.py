"""Annotations of documents. Every save is an event; the spans are a view of the events.

The annotator ``GOLD`` stands for the gold annotation. Other annotators have their own versions, which start
from the imported spans and are hidden from each other until adjudication. Only the gold annotation makes
corrections for the ledger.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.store.annotation import corrections
from core.store.annotation.events import Event, at_revision, events_of, imported
from core.store.db.clock import now
from core.store.db.errors import NotFound, PayloadError, StoreError
from core.store.db.payload import (
    IGNORED,
    checked_action,
    checked_client_edit,
    checked_reason,
    checked_spans,
    checked_step,
    checked_user,
)
from core.store.db.span_json import (
    Item,
    Names,
    dump_items,
    dump_link_of,
    item_of,
    item_of_row,
    load_items,
    load_link,
    load_spans,
    spans_of,
)
from core.store.db.workspace import Workspace
from core.store.document.document_import import labels_column
from core.store.document.documents import GOLD, built, document_row
from core.store.label.ids import LabelIds, label_ids, read_names
from core.store.project import event_log, members
from core.store.project.assignments import is_assigned
from core.text import Document, Span, SpanKey, sort_spans


@dataclass(frozen=True, slots=True)
class Annotation:
    """The current annotation: spans, revision (0: untouched), spans a person rejected, status, and why it is
    ignored where it is."""

    document_id: int
    document: Document
    revision: int
    rejected: tuple[Span, ...]
    status: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Saved:
    """The revision a save made, and when (UTC ms)."""

    revision: int
    at: int


class StaleRevision(StoreError):
    """Somebody else saved first; nothing was overwritten. ``current`` is the saved annotation."""

    def __init__(self, document_id: int, base_revision: int, current: Annotation) -> None:
        super().__init__(
            "document {document} is at revision {revision}, this edit was made on revision "
            "{base_revision}; nothing was overwritten: compare the two and choose",
            document=document_id,
            revision=current.revision,
            base_revision=base_revision,
        )
        self.current = current


@dataclass(frozen=True, slots=True)
class _Head:
    """Revision, status and rejected spans of an annotation, as stored; ``reason``: why it is ignored."""

    annotator: str
    revision: int
    status: str
    rejected: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Edit:
    """A validated save."""

    spans: tuple[Span, ...]
    rejected: tuple[Span, ...]
    status: str | None
    user: str
    action: str
    run: str | None
    client_edit: str | None
    reason: str | None


def current(workspace: Workspace, document_id: int, annotator: str = GOLD) -> Annotation:
    """The current annotation.

    Raises:
        NotFound: no such document, or it is in the trash. NotAllowed: it is not assigned to the annotator.
    """
    with workspace.reading() as db:
        return _current(db, *_opened(db, document_id, annotator))


def several(workspace: Workspace, document_ids: Iterable[int], annotator: str = GOLD) -> list[Annotation]:
    """``current`` of many documents of one project, in the given order; those in the trash are left out.

    Raises:
        NotAllowed: one of them is not assigned to the annotator.
    """
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT d.* FROM json_each(?) AS wanted JOIN documents AS d ON d.id = wanted.value "
            "WHERE d.trashed IS NULL ORDER BY wanted.key",
            (json.dumps(list(document_ids)),),
        ).fetchall()
        if annotator != GOLD:
            return [_current(db, *_opened(db, row["id"], annotator)) for row in rows]
        documents = built(db, rows)
        heads = (_head(db, row, GOLD) for row in rows)
        return [_read(db, *each) for each in zip(rows, heads, documents, strict=True)]


def current_for_update(workspace: Workspace, document_id: int, annotator: str = GOLD) -> Annotation:
    """``current`` inside an open write transaction, for edits based on it."""
    with workspace.writing() as db:
        return _current(db, *_opened(db, document_id, annotator))


def save(
    workspace: Workspace,
    document_id: int,
    base_revision: int,
    spans: Iterable[object],
    rejected: Iterable[object] = (),
    *,
    user: str,
    annotator: str = GOLD,
    action: str = "edit",
    run: str | None = None,
    status: str | None = None,
    reason: str | None = None,
    client_edit: str | None = None,
) -> Saved:
    """Replace the annotation's spans, as one event in one transaction.

    Args:
        base_revision: the revision the edit is based on.
        spans, rejected: ``Span`` objects or mappings with ``start``, ``end`` and ``label``; a mapping may
            have a ``link`` as ``EntityLink.to_json`` writes it. Without one the span has none.
        run: the run whose prediction was shown; without a stored prediction no corrections are recorded.
        status: the new status; None turns ``new`` into ``in_progress`` and keeps the others.
        reason: why the document is ignored, if it is; None keeps what was said.
        client_edit: the client's id of this edit; repeating it returns the same result and changes nothing.

    A save without changes makes no event and returns the current revision.

    Raises:
        StaleRevision: somebody saved since ``base_revision``; has the saved annotation.
        PayloadError, UnknownLabelError, NotFound: the edit is malformed; nothing was saved.
        NotAllowed: the document is not assigned to the annotator. StoreFull: no space; nothing was saved.
    """
    user, action, client_edit = checked_user(user), checked_action(action), checked_client_edit(client_edit)
    status, reason = checked_step(base_revision, status), checked_reason(reason)
    with workspace.saving() as db:
        row, head = _opened(db, document_id, annotator)
        replay = _saved_before(db, document_id, annotator, client_edit)
        if replay is not None:
            return replay
        if base_revision != head.revision:
            raise StaleRevision(document_id, base_revision, _current(db, row, head))
        if run is not None:
            check_run(db, row["project_id"], run)
        label_map = label_ids(db, row["project_id"])
        edit = _Edit(
            checked_spans(spans, row["text"], label_map.listed),
            checked_spans(rejected, row["text"], label_map.listed, "rejected"),
            status, user, action, run, client_edit, reason,
        )  # fmt: skip
        return _apply(db, row, head, edit, label_map)


def set_status(
    workspace: Workspace,
    document_id: int,
    status: str,
    *,
    user: str,
    run: str | None = None,
    reason: str | None = None,
    client_edit: str | None = None,
) -> Saved:
    """Set the status of the gold annotation, one of ``STATUSES``. This is an event, too.

    Raises:
        PayloadError, NotFound: as ``save``.
    """
    user, client_edit, reason = checked_user(user), checked_client_edit(client_edit), checked_reason(reason)
    # No span changes, so none is read: many documents are set at once.
    edit = _Edit((), (), checked_step(0, status), user, "status", run, client_edit, reason)
    with workspace.writing() as db:
        row, head = _opened(db, document_id, GOLD)
        replay = _saved_before(db, document_id, GOLD, client_edit)
        if replay is not None:
            return replay
        if run is not None:
            check_run(db, row["project_id"], run)
        after, at = _after(head, edit, head.rejected), now()
        if (after.status, after.reason) == (head.status, head.reason):
            return Saved(head.revision, at)
        _record(db, row["id"], after, edit, at, [], [])
        _log(db, row["project_id"], row["id"], head, after, edit, at)
        _advance(db, row, after, edit, at)
    return Saved(after.revision, at)


def standing(db: sqlite3.Connection, document_id: int) -> tuple[int, str, str]:
    """Revision, status and reason of the gold annotation, without its spans.

    Raises:
        NotFound: no such document.
    """
    _, head = _opened(db, document_id, GOLD)
    return head.revision, head.status, head.reason


def history(workspace: Workspace, document_id: int, annotator: str = GOLD) -> list[Event]:
    """Every event of an annotation, oldest first.

    Raises:
        NotFound: no such document. NotAllowed: it is not assigned to the annotator.
    """
    with workspace.reading() as db:
        row, _ = _opened(db, document_id, annotator)
        return events_of(db, row, annotator)


def revert(
    workspace: Workspace,
    document_id: int,
    to_revision: int,
    *,
    base_revision: int,
    user: str,
    annotator: str = GOLD,
    action: str = "revert",
    run: str | None = None,
    client_edit: str | None = None,
) -> Saved:
    """Restore the spans of an earlier revision as a new event.

    Raises:
        PayloadError: the document never had that revision. StaleRevision and others: as ``save``.
    """
    with workspace.writing() as db:
        row, head = _opened(db, document_id, annotator)
        replay = _saved_before(db, document_id, annotator, checked_client_edit(client_edit))
        if replay is not None:
            return replay
        is_number = isinstance(to_revision, int) and not isinstance(to_revision, bool)
        if not is_number or not 0 <= to_revision <= head.revision:
            raise PayloadError(
                "document {document} has revisions 0 to {revision}, got {to_revision}",
                document=document_id,
                revision=head.revision,
                to_revision=repr(str(to_revision)[:40]),
            )
        spans, rejected = at_revision(since_import(db, row, annotator), to_revision)
        return save(
            workspace, document_id, base_revision, spans, rejected, user=user, annotator=annotator,
            action=action, run=run, client_edit=client_edit,
        )  # fmt: skip


def since_import(db: sqlite3.Connection, document: sqlite3.Row, annotator: str) -> list[Event]:
    """The events of an annotation; those of a version follow one of revision 0 with its imported spans."""
    events = events_of(db, document, annotator)
    if annotator == GOLD:
        return events
    names = read_names(db, document["project_id"])
    first = spans_of(imported(db, document["id"]), names)
    return [Event(0, "", 0, "import", first, (), (), "new", None), *events]


def version_spans(db: sqlite3.Connection, document_id: int, annotator: str, names: Names) -> tuple[Span, ...]:
    """The spans of an annotator's version; before the first save, the imported ones."""
    row = db.execute(
        "SELECT revision FROM versions WHERE document_id = ? AND annotator = ?", (document_id, annotator)
    ).fetchone()
    return spans_of(_items(db, document_id, _Head(annotator, row[0] if row else 0, "", "")), names)


def last_saved(workspace: Workspace, project_id: int) -> int | None:
    """Time of the user's last save in this project (UTC ms), or None."""
    with workspace.reading() as db:
        row = db.execute("SELECT last_saved FROM projects WHERE id = ?", (project_id,)).fetchone()
    return None if row is None else row["last_saved"]


def check_run(db: sqlite3.Connection, project_id: int, run: object) -> None:
    """Refuse a run that the project does not have.

    Raises:
        NotFound: there is none of that name.
    """
    exists = (
        isinstance(run, str)
        and db.execute("SELECT 1 FROM runs WHERE name = ? AND project_id = ?", (run, project_id)).fetchone()
    )
    if not exists:
        raise NotFound("run", run)


def assigned_row(db: sqlite3.Connection, document_id: int, annotator: str) -> sqlite3.Row:
    """The document's row, if it is assigned to the annotator; ``GOLD`` may always.

    Raises:
        NotAllowed: it is not. NotFound: no such document.
    """
    row = document_row(db, document_id)
    if annotator != GOLD:
        members.check_in(db, row["project_id"], annotator, "annotate")
        if not is_assigned(db, row["id"], annotator):
            raise members.not_assigned(db, row, annotator)
    return row


def _opened(db: sqlite3.Connection, document_id: int, annotator: str) -> tuple[sqlite3.Row, _Head]:
    row = assigned_row(db, document_id, annotator)
    return row, _head(db, row, annotator)


def _head(db: sqlite3.Connection, row: sqlite3.Row, annotator: str) -> _Head:
    annotation = row
    if annotator != GOLD:
        annotation = db.execute(
            "SELECT revision, status, rejected FROM versions WHERE document_id = ? AND annotator = ?",
            (row["id"], annotator),
        ).fetchone()
    if annotation is None:
        return _Head(annotator, 0, "new", "[]")
    revision, status = annotation["revision"], annotation["status"]
    reason = _reason(db, row["id"], annotator, revision) if status == IGNORED else ""
    return _Head(annotator, revision, status, annotation["rejected"], reason)


def _reason(db: sqlite3.Connection, document_id: int, annotator: str, revision: int) -> str:
    event = db.execute(
        "SELECT reason FROM events WHERE document_id = ? AND annotator = ? AND revision = ?",
        (document_id, annotator, revision),
    ).fetchone()
    return event["reason"] if event else ""


def _current(db: sqlite3.Connection, row: sqlite3.Row, head: _Head) -> Annotation:
    (document,) = built(db, [row])
    return _read(db, row, head, document)


def _read(db: sqlite3.Connection, row: sqlite3.Row, head: _Head, document: Document) -> Annotation:
    """The annotation of ``head``; ``document`` has the gold spans."""
    rejected: tuple[Span, ...] = ()
    if head.annotator != GOLD or head.rejected != "[]":
        label_map = label_ids(db, row["project_id"])
        if head.annotator != GOLD:
            document = document.with_spans(spans_of(_items(db, row["id"], head), label_map.names))
        rejected = load_spans(head.rejected, label_map.names)
        if label_map.has_merged:  # a span may be rejected by one of the labels and annotated by the other
            keys = {span.key for span in document.spans}
            rejected = tuple(span for span in rejected if span.key not in keys)
    return Annotation(row["id"], document, head.revision, rejected, head.status, head.reason)


def _items(db: sqlite3.Connection, document_id: int, head: _Head) -> list[Item]:
    """The stored spans; before the first save of a version, the imported ones."""
    if head.annotator != GOLD and not head.revision:
        return imported(db, document_id)
    rows = db.execute(
        'SELECT start, "end", label, score, link FROM spans WHERE document_id = ? AND annotator = ? '
        'ORDER BY start, "end" DESC',
        (document_id, head.annotator),
    )
    return [item_of_row(row) for row in rows]


def _apply(db: sqlite3.Connection, row: sqlite3.Row, head: _Head, edit: _Edit, label_map: LabelIds) -> Saved:
    document_id, revision, at = row["id"], head.revision + 1, now()
    stored = _items(db, document_id, head)
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
    _advance(db, row, next_head, edit, at, label_map, [*stay, *(item[2] for item in added)])
    return Saved(revision, at)


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


def _after(head: _Head, edit: _Edit, rejected: str) -> _Head:
    """The annotation's head after an edit; ``rejected`` is the column of rejected spans then."""
    status = edit.status or ("in_progress" if head.status == "new" else head.status)
    reason = (head.reason if edit.reason is None else edit.reason) if status == IGNORED else ""
    return _Head(head.annotator, head.revision + 1, status, rejected, reason)


def _record(
    db: sqlite3.Connection,
    document_id: int,
    after: _Head,
    edit: _Edit,
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
    db: sqlite3.Connection,
    project_id: int,
    document_id: int,
    before: _Head,
    after: _Head,
    edit: _Edit,
    at: int,
) -> None:
    """Tell programs that follow the project."""
    what: dict[str, Any] = {
        "user": edit.user, "document_id": document_id, "annotator": after.annotator,
        "revision": after.revision, "run": edit.run, "at": at,
    }  # fmt: skip
    event_log.record(db, project_id, "document.saved", **what)
    if after.status == "done" and before.status != "done":
        event_log.record(db, project_id, "document.done", **what)


def _rejected(head: _Head, edit: _Edit, label_map: LabelIds) -> tuple[str, bool]:
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
    head: _Head,
    edit: _Edit,
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


def _saved_before(
    db: sqlite3.Connection, document_id: int, annotator: str, client_edit: str | None
) -> Saved | None:
    if client_edit is None:
        return None
    row = db.execute(
        "SELECT revision, at FROM events WHERE document_id = ? AND annotator = ? AND client_edit = ?",
        (document_id, annotator, client_edit),
    ).fetchone()
    return None if row is None else Saved(row["revision"], row["at"])

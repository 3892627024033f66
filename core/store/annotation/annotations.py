"""Annotations of documents. Every save is an event; the spans are a view of the events.

The annotator ``GOLD`` stands for the gold annotation. Other annotators have their own versions, which start
from the imported spans and are hidden from each other until adjudication. Only the gold annotation makes
corrections for the ledger.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from core.store.annotation.edits import Edit, Saved, apply, apply_status, saved_before
from core.store.annotation.events import Event, at_revision, events_of, imported
from core.store.annotation.heads import Head, head_of, opened, stored_items
from core.store.db.errors import NotFound, PayloadError, StoreError
from core.store.db.payload import (
    checked_action,
    checked_client_edit,
    checked_reason,
    checked_spans,
    checked_step,
    checked_user,
)
from core.store.db.span_json import Names, load_spans, spans_of
from core.store.db.workspace import Workspace
from core.store.document.documents import GOLD, built
from core.store.label.ids import label_ids, read_names
from core.text import Document, Span


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


def current(workspace: Workspace, document_id: int, annotator: str = GOLD) -> Annotation:
    """The current annotation.

    Raises:
        NotFound: no such document, or it is in the trash. NotAllowed: it is not assigned to the annotator.
    """
    with workspace.reading() as db:
        return _current(db, *opened(db, document_id, annotator))


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
            return [_current(db, *opened(db, row["id"], annotator)) for row in rows]
        documents = built(db, rows)
        heads = (head_of(db, row, GOLD) for row in rows)
        return [_read(db, *each) for each in zip(rows, heads, documents, strict=True)]


def current_for_update(workspace: Workspace, document_id: int, annotator: str = GOLD) -> Annotation:
    """``current`` inside an open write transaction, for edits based on it."""
    with workspace.writing() as db:
        return _current(db, *opened(db, document_id, annotator))


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
        row, head = opened(db, document_id, annotator)
        replay = saved_before(db, document_id, annotator, client_edit)
        if replay is not None:
            return replay
        if base_revision != head.revision:
            raise StaleRevision(document_id, base_revision, _current(db, row, head))
        if run is not None:
            check_run(db, row["project_id"], run)
        label_map = label_ids(db, row["project_id"])
        edit = Edit(
            checked_spans(spans, row["text"], label_map.listed),
            checked_spans(rejected, row["text"], label_map.listed, "rejected"),
            status, user, action, run, client_edit, reason,
        )  # fmt: skip
        return apply(db, row, head, edit, label_map)


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
    edit = Edit((), (), checked_step(0, status), user, "status", run, client_edit, reason)
    with workspace.writing() as db:
        row, head = opened(db, document_id, GOLD)
        replay = saved_before(db, document_id, GOLD, client_edit)
        if replay is not None:
            return replay
        if run is not None:
            check_run(db, row["project_id"], run)
        return apply_status(db, row, head, edit)


def standing(db: sqlite3.Connection, document_id: int) -> tuple[int, str, str]:
    """Revision, status and reason of the gold annotation, without its spans.

    Raises:
        NotFound: no such document.
    """
    _, head = opened(db, document_id, GOLD)
    return head.revision, head.status, head.reason


def history(workspace: Workspace, document_id: int, annotator: str = GOLD) -> list[Event]:
    """Every event of an annotation, oldest first.

    Raises:
        NotFound: no such document. NotAllowed: it is not assigned to the annotator.
    """
    with workspace.reading() as db:
        row, _ = opened(db, document_id, annotator)
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
        row, head = opened(db, document_id, annotator)
        replay = saved_before(db, document_id, annotator, checked_client_edit(client_edit))
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
    return spans_of(stored_items(db, document_id, Head(annotator, row[0] if row else 0, "", "")), names)


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


def _current(db: sqlite3.Connection, row: sqlite3.Row, head: Head) -> Annotation:
    (document,) = built(db, [row])
    return _read(db, row, head, document)


def _read(db: sqlite3.Connection, row: sqlite3.Row, head: Head, document: Document) -> Annotation:
    """The annotation of ``head``; ``document`` has the gold spans."""
    rejected: tuple[Span, ...] = ()
    if head.annotator != GOLD or head.rejected != "[]":
        label_map = label_ids(db, row["project_id"])
        if head.annotator != GOLD:
            document = document.with_spans(spans_of(stored_items(db, row["id"], head), label_map.names))
        rejected = load_spans(head.rejected, label_map.names)
        if label_map.has_merged:  # a span may be rejected by one of the labels and annotated by the other
            keys = {span.key for span in document.spans}
            rejected = tuple(span for span in rejected if span.key not in keys)
    return Annotation(row["id"], document, head.revision, rejected, head.status, head.reason)

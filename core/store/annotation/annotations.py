"""Annotations: every save is an event, and the current spans are a view of the events."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.store.annotation import corrections
from core.store.annotation.events import Event, at_revision, events_of
from core.store.db.clock import now
from core.store.db.errors import NotFound, PayloadError, StoreError
from core.store.db.payload import (
    checked_action,
    checked_client_edit,
    checked_spans,
    checked_step,
    checked_user,
)
from core.store.db.span_json import dump_spans, load_spans
from core.store.db.workspace import Workspace
from core.store.document.documents import built, document_row
from core.store.label import steps as label_steps
from core.store.label.labels import label_set
from core.text import Document, Span, sort_spans


@dataclass(frozen=True, slots=True)
class Annotation:
    """A document as it stands: current spans, revision (0: untouched), spans a person rejected, status."""

    document_id: int
    document: Document
    revision: int
    rejected: tuple[Span, ...]
    status: str


class StaleRevision(StoreError):
    """Somebody else saved first; ``current`` is what they saved and nothing was overwritten."""

    def __init__(self, document_id: int, base_revision: int, current: Annotation) -> None:
        super().__init__(
            f"document {document_id} is at revision {current.revision}, this edit was made on revision "
            f"{base_revision}; nothing was overwritten: compare the two and choose"
        )
        self.current = current


@dataclass(frozen=True, slots=True)
class Saved:
    """The acknowledgement of a save: the revision it made, and when (UTC ms)."""

    revision: int
    at: int


@dataclass(frozen=True, slots=True)
class _Edit:
    """A checked save on its way into the tables."""

    spans: tuple[Span, ...]
    rejected: tuple[Span, ...]
    status: str | None
    user: str
    action: str
    run: str | None
    client_edit: str | None


def current(workspace: Workspace, document_id: int) -> Annotation:
    """The annotation as it stands.

    Raises:
        NotFound: no such document, or it is in the trash.
    """
    with workspace.reading() as db:
        return _current(db, document_id)


def save(
    workspace: Workspace,
    document_id: int,
    base_revision: int,
    spans: Iterable[object],
    rejected: Iterable[object] = (),
    *,
    user: str,
    action: str = "edit",
    run: str | None = None,
    status: str | None = None,
    client_edit: str | None = None,
) -> Saved:
    """Make ``spans`` the document's annotation: one event, all of it or nothing.

    Args:
        base_revision: the revision the person was looking at.
        spans, rejected: ``Span`` objects or mappings with ``start``, ``end`` and ``label``.
        run: whose prediction was shown (it must be in ``predictions``, or no correction can be told).
        status: the new status; None turns ``new`` into ``in_progress`` and keeps the others.
        client_edit: the client's id of this edit; the same id again gets the same answer and changes nothing.

    A save that changes nothing makes no event and answers with the current revision.

    Raises:
        StaleRevision: somebody saved since ``base_revision``; carries what they saved.
        PayloadError, UnknownLabelError, NotFound: the edit is not well formed; nothing was saved.
        StoreFull: no room; nothing was saved.
    """
    user, action, client_edit = checked_user(user), checked_action(action), checked_client_edit(client_edit)
    status = checked_step(base_revision, status)
    with workspace.writing() as db:
        row = _settled(db, document_id)
        replay = _saved_before(db, document_id, client_edit)
        if replay is not None:
            return replay
        if base_revision != row["revision"]:
            raise StaleRevision(document_id, base_revision, _current(db, document_id))
        if run is not None:
            check_run(db, row["project_id"], run)
        labels = label_set(db, row["project_id"])
        edit = _Edit(
            checked_spans(spans, row["text"], labels),
            checked_spans(rejected, row["text"], labels, "rejected"),
            status, user, action, run, client_edit,
        )  # fmt: skip
        return _apply(db, row, edit)


def set_status(
    workspace: Workspace, document_id: int, status: str, *, user: str, run: str | None = None
) -> Saved:
    """Mark a document ``new``, ``in_progress`` or ``done``; an event like every other.

    Raises:
        PayloadError, NotFound: as ``save``.
    """
    with workspace.writing():
        now_stands = current_for_update(workspace, document_id)
        return save(
            workspace, document_id, now_stands.revision, now_stands.document.spans, now_stands.rejected,
            user=user, action="status", run=run, status=status,
        )  # fmt: skip


def finish_empty(
    workspace: Workspace, imported: Sequence[Document], ids: Sequence[int], *, user: str
) -> None:
    """Call the documents without spans of a labelled corpus done: they say that there is nothing to find.

    Without that a snapshot would take them for documents nobody has looked at, and leave them out.

    Args:
        imported, ids: as given to ``documents.add`` and as it numbered them.
    """
    for document, id_ in zip(imported, ids, strict=True):
        if not document.spans:
            stands = current(workspace, id_)
            if stands.status == "new" and not stands.revision:
                set_status(workspace, id_, "done", user=user)


def history(workspace: Workspace, document_id: int) -> list[Event]:
    """Every event of a document, oldest first.

    Raises:
        NotFound: no such document.
    """
    with workspace.reading() as db:
        document_row(db, document_id)
        return events_of(db, document_id)


def revert(
    workspace: Workspace,
    document_id: int,
    to_revision: int,
    *,
    base_revision: int,
    user: str,
    action: str = "revert",
    run: str | None = None,
    client_edit: str | None = None,
) -> Saved:
    """Bring back the spans of an earlier revision, as a new event (undo and redo across a reload).

    Raises:
        PayloadError: the document never had that revision. StaleRevision and others: as ``save``.
    """
    with workspace.writing() as db:
        row = _settled(db, document_id)
        replay = _saved_before(db, document_id, checked_client_edit(client_edit))
        if replay is not None:
            return replay
        is_number = isinstance(to_revision, int) and not isinstance(to_revision, bool)
        if not is_number or not 0 <= to_revision <= row["revision"]:
            raise PayloadError(
                f"document {document_id} has revisions 0 to {row['revision']}, got {str(to_revision)[:40]!r}"
            )
        spans, rejected = at_revision(events_of(db, document_id), to_revision)
        return save(
            workspace, document_id, base_revision, spans, rejected,
            user=user, action=action, run=run, client_edit=client_edit,
        )  # fmt: skip


def last_saved(workspace: Workspace, project_id: int) -> int | None:
    """When a person last saved anything in this project (UTC ms), or None."""
    with workspace.reading() as db:
        row = db.execute("SELECT last_saved FROM projects WHERE id = ?", (project_id,)).fetchone()
    return None if row is None else row["last_saved"]


def current_for_update(workspace: Workspace, document_id: int) -> Annotation:
    """The annotation as the open write transaction sees it; for edits that build on what stands."""
    with workspace.writing() as db:
        _settled(db, document_id)
        return _current(db, document_id)


def _settled(db: sqlite3.Connection, document_id: int) -> sqlite3.Row:
    """The document's row, after a change of labels that is on its way to it."""
    row = document_row(db, document_id)
    return document_row(db, document_id) if label_steps.settle(db, row["project_id"], row["id"]) else row


def _current(db: sqlite3.Connection, document_id: int) -> Annotation:
    row = document_row(db, document_id)
    document, rejected = built(db, [row])[0], load_spans(row["rejected"])
    return Annotation(row["id"], document, row["revision"], rejected, row["status"])


def _apply(db: sqlite3.Connection, row: sqlite3.Row, edit: _Edit) -> Saved:
    document_id, revision, at = row["id"], row["revision"] + 1, now()
    before = {span.key: span for span in built(db, [row])[0].spans}
    after = {span.key: span for span in edit.spans}
    added = sort_spans(span for key, span in after.items() if key not in before)
    removed = sort_spans(span for key, span in before.items() if key not in after)
    rejected = dump_spans(Span(*span.key) for span in sort_spans(edit.rejected))
    if not added and not removed and rejected == row["rejected"] and edit.status in (None, row["status"]):
        return Saved(row["revision"], at)
    status = edit.status or ("in_progress" if row["status"] == "new" else row["status"])
    db.execute(
        "INSERT INTO events (document_id, revision, user, at, action, added, removed, rejected, status, run, "
        "client_edit) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (document_id, revision, edit.user, at, edit.action, dump_spans(added), dump_spans(removed), rejected,
         status, edit.run, edit.client_edit),
    )  # fmt: skip
    db.executemany(
        'DELETE FROM spans WHERE document_id = ? AND start = ? AND "end" = ? AND label = ?',
        [(document_id, *span.key) for span in removed],
    )
    db.executemany(
        'INSERT INTO spans (document_id, start, "end", label, score, revision) VALUES (?, ?, ?, ?, ?, ?)',
        [(document_id, *span.key, span.score, revision) for span in added],
    )
    db.execute(
        "UPDATE documents SET revision = ?, rejected = ?, status = ? WHERE id = ?",
        (revision, rejected, status, document_id),
    )
    db.execute("UPDATE projects SET last_saved = ? WHERE id = ?", (at, row["project_id"]))
    corrections.refresh(db, document_id, edit.run, edit.user, at)
    return Saved(revision, at)


def _saved_before(db: sqlite3.Connection, document_id: int, client_edit: str | None) -> Saved | None:
    if client_edit is None:
        return None
    row = db.execute(
        "SELECT revision, at FROM events WHERE document_id = ? AND client_edit = ?",
        (document_id, client_edit),
    ).fetchone()
    return None if row is None else Saved(row["revision"], row["at"])


def check_run(db: sqlite3.Connection, project_id: int, run: object) -> None:
    """Refuse a run that the project does not have.

    Raises:
        NotFound: there is none of that name.
    """
    known = (
        isinstance(run, str)
        and db.execute("SELECT 1 FROM runs WHERE name = ? AND project_id = ?", (run, project_id)).fetchone()
    )
    if not known:
        raise NotFound("run", run)

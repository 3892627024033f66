"""Copies: one person's own annotation of a document, kept from the others until a reviewer merges them.

The same promises as `annotations`: a save is an event, all of it or nothing, a repeated one is
answered and not applied again, and one that somebody overtook is refused with what they saved.

Corrections for the ledger are not told here: what one person says is not yet what the project says. The
review writes into the agreed annotation, and there they are told once.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.store.annotation import annotations as agreed
from core.store.annotation import looked, looked_marks
from core.store.annotation.annotations import Annotation, Saved, StaleRevision
from core.store.annotation.events import Event, at_revision, event_of
from core.store.annotation.looked import Looked
from core.store.annotation.looked_marks import Stretch
from core.store.db.clock import now
from core.store.db.errors import PayloadError
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
from core.store.project import members
from core.store.project.assignments import is_handed
from core.text import Span, sort_spans
from core.text.looked import Region


@dataclass(frozen=True, slots=True)
class Version:
    """What one person made of a document, for a reviewer: spans, status, revision, last save (UTC ms).

    ``looked``: the stretches they looked at; None for all of it. Outside, no span of theirs is no answer.
    """

    user: str
    spans: tuple[Span, ...]
    status: str
    revision: int
    updated: int
    looked: tuple[Region, ...] | None = None


def current(workspace: Workspace, document_id: int, user: str) -> Annotation:
    """The person's copy as it stands; before their first save what the document was imported with.

    Raises:
        NotAllowed: the document is not handed to them. NotFound: no such document.
    """
    with workspace.reading() as db:
        return _current(db, _own_row(db, document_id, user), user)


def current_for_update(workspace: Workspace, document_id: int, user: str) -> Annotation:
    """``current`` as the open write transaction sees it; for edits that build on what stands."""
    with workspace.writing() as db:
        return _current(db, _settled(db, document_id, user), user)


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
    """Make ``spans`` the person's copy; arguments and promises are those of ``annotations.save``.

    Raises:
        NotAllowed: the document is not handed to them. StaleRevision, PayloadError, UnknownLabelError,
        NotFound, StoreFull: as ``annotations.save``; nothing was saved.
    """
    user, action, client_edit = checked_user(user), checked_action(action), checked_client_edit(client_edit)
    status = checked_step(base_revision, status)
    with workspace.writing() as db:
        row = _settled(db, document_id, user)
        replay = _saved_before(db, document_id, user, client_edit)
        if replay is not None:
            return replay
        stands = _current(db, row, user)
        if base_revision != stands.revision:
            raise StaleRevision(document_id, base_revision, stands)
        if run is not None:
            agreed.check_run(db, row["project_id"], run)
        labels = label_set(db, row["project_id"])
        after = _bare(checked_spans(spans, row["text"], labels))
        refused = _bare(checked_spans(rejected, row["text"], labels, "rejected"))
        return _apply(db, row, stands, after, refused, (user, action, status, run, client_edit))


def history(workspace: Workspace, document_id: int, user: str) -> list[Event]:
    """Every event of the person's copy, oldest first.

    Raises:
        NotAllowed: the document is not handed to them. NotFound: no such document.
    """
    with workspace.reading() as db:
        _own_row(db, document_id, user)
        return _events(db, document_id, user)


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
    """Bring back the spans of an earlier revision of the copy, as a new event.

    Raises:
        PayloadError: the copy never had that revision. StaleRevision and others: as ``save``.
    """
    with workspace.writing() as db:
        row = _settled(db, document_id, user)
        replay = _saved_before(db, document_id, user, checked_client_edit(client_edit))
        if replay is not None:
            return replay
        latest = _current(db, row, user).revision
        is_number = isinstance(to_revision, int) and not isinstance(to_revision, bool)
        if not is_number or not 0 <= to_revision <= latest:
            raise PayloadError(
                f"your copy of document {document_id} has revisions 0 to {latest}, "
                f"got {str(to_revision)[:40]!r}"
            )
        spans, rejected = at_revision(
            [*beginning(db, document_id), *_events(db, document_id, user)], to_revision
        )
        return save(
            workspace, document_id, base_revision, spans, rejected,
            user=user, action=action, run=run, client_edit=client_edit,
        )  # fmt: skip


def looked_at(workspace: Workspace, document_id: int, user: str) -> Looked:
    """What the person has looked at of their copy.

    Raises:
        NotAllowed: the document is not handed to them. NotFound: no such document.
    """
    with workspace.reading() as db:
        row = _own_row(db, document_id, user)
        return looked.of_copy(db, row, _current(db, row, user).status, user)


def change_marks(
    workspace: Workspace, document_id: int, stretches: Sequence[Stretch], *, user: str, way: str = "mark"
) -> Looked:
    """As ``looked.change_marks``, in the person's copy.

    Raises:
        NotAllowed: the document is not handed to them. PayloadError, NotFound: as ``looked.mark``.
    """
    with workspace.writing() as db:
        row = _own_row(db, document_id, user)
        stands = _current(db, row, user)
        looked_marks.change(db, row, stretches, revision=stands.revision, user=user, owner=user, way=way)
        return looked.of_copy(db, row, stands.status, user)


def mark_history(workspace: Workspace, document_id: int, user: str) -> list[looked_marks.MarkEvent]:
    """Every change of the marks of the person's copy, oldest first.

    Raises:
        NotAllowed: the document is not handed to them. NotFound: no such document.
    """
    with workspace.reading() as db:
        return looked_marks.events_of(db, _own_row(db, document_id, user)["id"], user)


def statuses(workspace: Workspace, user: str, document_ids: Sequence[int]) -> dict[int, str]:
    """The person's own status of each of these documents that is handed to them."""
    with workspace.reading() as db:
        rows = db.execute(
            "SELECT a.document_id, coalesce(c.status, 'new') FROM assignments a LEFT JOIN copies c "
            "ON c.document_id = a.document_id AND c.user = a.user "
            "WHERE a.user = ? AND a.document_id IN (SELECT value FROM json_each(?))",
            (user, json.dumps(list(document_ids))),
        )
        return {row[0]: row[1] for row in rows}


def versions(
    workspace: Workspace, document_id: int, *, by: str, finished_only: bool = True
) -> tuple[Version, ...]:
    """What everybody who has the document made of it, by name: for those who review.

    Args:
        finished_only: leave out copies that are not done.

    Raises:
        NotAllowed: ``by`` may not review. NotFound: no such document.
    """
    with workspace.reading() as db:
        row = document_row(db, document_id)
        members.check_in(db, row["project_id"], by, "review")
        return versions_of(db, document_id, finished_only=finished_only)


def versions_of(
    db: sqlite3.Connection, document_id: int, *, finished_only: bool = True
) -> tuple[Version, ...]:
    """``versions`` through a connection that is open already, and without asking who asks."""
    rows = db.execute(
        "SELECT c.user, c.spans, c.status, c.revision, c.updated FROM copies c JOIN assignments a "
        "ON a.document_id = c.document_id AND a.user = c.user "
        "WHERE c.document_id = ? AND (NOT ? OR c.status = 'done') ORDER BY c.user",
        (document_id, finished_only),
    ).fetchall()
    return tuple(
        Version(row[0], load_spans(row[1]), row[2], row[3], row[4], _seen(db, document_id, row))
        for row in rows
    )


def _seen(db: sqlite3.Connection, document_id: int, copy: sqlite3.Row) -> tuple[Region, ...] | None:
    if copy["status"] == "done":
        return None
    found = looked.of_copy(db, document_row(db, document_id), copy["status"], copy["user"])
    return None if found.whole else found.regions


def _own_row(db: sqlite3.Connection, document_id: int, user: str) -> sqlite3.Row:
    row = document_row(db, document_id)
    members.check_in(db, row["project_id"], user, "annotate")
    if not is_handed(db, row["id"], user):
        raise members.not_handed(db, row, user)
    return row


def _settled(db: sqlite3.Connection, document_id: int, user: str) -> sqlite3.Row:
    """The document's row, after a change of labels that is on its way to it."""
    row = _own_row(db, document_id, user)
    return _own_row(db, document_id, user) if label_steps.settle(db, row["project_id"], row["id"]) else row


def _current(db: sqlite3.Connection, row: sqlite3.Row, user: str) -> Annotation:
    copy = db.execute("SELECT * FROM copies WHERE document_id = ? AND user = ?", (row["id"], user)).fetchone()
    if copy is None:
        spans, _ = at_revision(beginning(db, row["id"]), 0)
        return Annotation(row["id"], built(db, [row])[0].with_spans(spans), 0, (), "new")
    document = built(db, [row])[0].with_spans(load_spans(copy["spans"]))
    return Annotation(row["id"], document, copy["revision"], load_spans(copy["rejected"]), copy["status"])


def beginning(db: sqlite3.Connection, document_id: int) -> list[Event]:
    """What the document was imported with, as an event before the first: everybody starts from the same."""
    row = db.execute(
        "SELECT added FROM events WHERE document_id = ? AND revision = 1 AND action = 'import'",
        (document_id,),
    ).fetchone()
    added = _bare(load_spans(row["added"])) if row else ()
    return [Event(0, "", 0, "import", added, (), (), "new", None)]


def _apply(
    db: sqlite3.Connection,
    row: sqlite3.Row,
    stands: Annotation,
    after: tuple[Span, ...],
    refused: tuple[Span, ...],
    how: tuple[str, str, str | None, str | None, str | None],
) -> Saved:
    user, action, asked, run, client_edit = how
    at, revision = now(), stands.revision + 1
    before = set(stands.document.spans)
    added = sort_spans(set(after) - before)
    removed = sort_spans(before - set(after))
    changes = added or removed or refused != stands.rejected
    if not changes and asked in (None, stands.status):
        return Saved(stands.revision, at)
    status = asked or ("in_progress" if stands.status == "new" else stands.status)
    db.execute(
        "INSERT INTO copies (document_id, user, revision, spans, rejected, status, updated) "
        "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (document_id, user) DO UPDATE SET "
        "revision = excluded.revision, spans = excluded.spans, rejected = excluded.rejected, "
        "status = excluded.status, updated = excluded.updated",
        (row["id"], user, revision, dump_spans(after), dump_spans(refused), status, at),
    )
    db.execute(
        "INSERT INTO copy_events (document_id, user, revision, at, action, added, removed, rejected, status, "
        "run, client_edit) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (row["id"], user, revision, at, action, dump_spans(added), dump_spans(removed), dump_spans(refused),
         status, run, client_edit),
    )  # fmt: skip
    db.execute("UPDATE projects SET last_saved = ? WHERE id = ?", (at, row["project_id"]))
    return Saved(revision, at)


def _saved_before(
    db: sqlite3.Connection, document_id: int, user: str, client_edit: str | None
) -> Saved | None:
    if client_edit is None:
        return None
    row = db.execute(
        "SELECT revision, at FROM copy_events WHERE document_id = ? AND user = ? AND client_edit = ?",
        (document_id, user, client_edit),
    ).fetchone()
    return None if row is None else Saved(row["revision"], row["at"])


def _events(db: sqlite3.Connection, document_id: int, user: str) -> list[Event]:
    rows = db.execute(
        "SELECT * FROM copy_events WHERE document_id = ? AND user = ? ORDER BY revision", (document_id, user)
    )
    return [event_of(row) for row in rows]


def _bare(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Sorted and without scores, so that two people who say the same have the same column."""
    return sort_spans(Span(*span.key) for span in spans)

"""Changes of many documents as one step of the journal: status, split, person, trash, accepted suggestions.

Written in short transactions, so that other saves are not blocked. `step_documents` keeps, for each document
that was changed, what was there before; undo restores it where nobody has changed it since.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from core.store.annotation import annotations as saved
from core.store.annotation.undo_steps import ASIDE
from core.store.db import audit
from core.store.db.clock import now
from core.store.db.errors import NotFound, PayloadError, PeopleError
from core.store.db.payload import SPLITS, checked_choice, checked_user
from core.store.db.workspace import Workspace
from core.store.document import splits
from core.store.document.documents import GOLD
from core.store.project import journal, members
from core.store.project.journal import Progress, Step
from core.store.project.projects import row_of
from core.store.run import accepting

KIND = "bulk"  # of a step of the journal
Change = Literal["status", "split", "assign", "trash", "accept"]
CHANGES: tuple[Change, ...] = get_args(Change)
RESTORED = "restored"  # a status to set: the one before the document was ignored or flagged
STATUSES = ("in_progress", "to_check", "done", "ignored", RESTORED)
_NO_ANNOTATION = ("to_check", "ignored", RESTORED)  # what they say holds for the versions of a document, too
NEEDS: dict[str, str] = {
    "status": "review",
    "split": "import",
    "assign": "manage",
    "trash": "remove_documents",
    "accept": "review",
}
DOCUMENTS_AT_ONCE = 100  # per transaction


@dataclass(frozen=True, slots=True)
class Order:
    """What to do with many documents.

    Args:
        change: one of `CHANGES`. to: the status, the split or the person; for ``accept`` the run.
        reason: why documents are ignored. threshold: the lowest score of accepted suggestions.
    """

    change: Change
    to: str = ""
    reason: str = ""
    threshold: float = 0.0


@dataclass(frozen=True, slots=True)
class BulkStep:
    """An order that was carried out: its step of the journal, number of documents changed, user, time
    (UTC ms), and when it was undone, or None."""

    id: int
    order: Order
    documents: int
    user: str
    at: int
    undone: int | None


def apply(
    workspace: Workspace,
    project_id: int,
    ids: Sequence[int],
    order: Order,
    *,
    user: str,
    progress: Progress | None = None,
) -> BulkStep:
    """Carry out an order on these documents, as one step. Those it cannot be carried out on are left alone.

    Args:
        progress: called with the number of documents looked at. If it raises, the step is undone.

    Raises:
        PayloadError: no such change, status or split. PeopleError: documents of this project are not
            assigned. NotFound: no such project, member or run. NotAllowed: the person's role lacks the right.
    """
    with workspace.writing() as db:
        row_of(db, project_id)
        members.check_in(db, project_id, checked_user(user), NEEDS[_checked(db, project_id, order)])
        detail = {"change": order.change, "to": order.to, "reason": order.reason} | {
            "threshold": order.threshold, "documents": 0,
        }  # fmt: skip
        step = journal.record(db, project_id, KIND, user, detail)
    try:
        for at in range(0, len(ids), DOCUMENTS_AT_ONCE):
            chunk = ids[at : at + DOCUMENTS_AT_ONCE]
            with workspace.writing() as db:
                _write(workspace, db, step, order, _standing(db, project_id, chunk), user)
            if progress is not None:
                progress(at + len(chunk))
    except BaseException:
        journal.undo(workspace, project_id, step.id, user=user)
        raise
    with workspace.reading() as db:
        return _bulk_step(journal.read(db, project_id, step.id, [KIND]))


def latest(workspace: Workspace, project_id: int, user: str) -> BulkStep | None:
    """The person's latest order in the project that changed something and is not undone."""
    step = journal.latest(workspace, project_id, [KIND], user, lambda one: one.detail["documents"] > 0)
    return None if step is None else _bulk_step(step)


@journal.undoes(KIND)
def _undo(workspace: Workspace, step: Step, user: str, progress: Progress | None) -> int:
    """Restore what was there before; returns the number of documents changed back."""
    order = _bulk_step(step).order
    with workspace.reading() as db:
        members.check_in(db, step.project_id, user, NEEDS[order.change])
        rows = db.execute(
            "SELECT document_id, before FROM step_documents WHERE step = ? ORDER BY document_id", (step.id,)
        ).fetchall()
    restored = 0
    for at in range(0, len(rows), DOCUMENTS_AT_ONCE):
        with workspace.writing() as db:
            for row in rows[at : at + DOCUMENTS_AT_ONCE]:
                restored += _RESTORE[order.change](
                    workspace, db, step, row["document_id"], row["before"], user
                )
        if progress is not None:
            progress(min(at + DOCUMENTS_AT_ONCE, len(rows)))
    with workspace.writing() as db:
        journal.close(db, step)
    return restored


def _checked(db: sqlite3.Connection, project_id: int, order: Order) -> Change:
    checked_choice(order.change, CHANGES, "change")
    if order.change == "status":
        checked_choice(order.to, STATUSES, "status")
    elif order.change == "split":
        checked_choice(order.to, SPLITS, "split")
    elif order.change == "accept":
        saved.check_run(db, project_id, order.to)
        if not 0 <= order.threshold <= 1:
            raise PayloadError("a threshold lies between 0 and 1, got {given}", given=order.threshold)
    elif order.change == "assign":
        if not members.is_separate(db, project_id):
            raise PeopleError(
                "Documents are assigned where everybody annotates separately. Choose that in Settings."
            )
        if order.to not in {member.user for member in members.members_of(db, project_id)}:
            raise NotFound("member", order.to)
    return order.change


def _standing(db: sqlite3.Connection, project_id: int, ids: Sequence[int]) -> list[int]:
    """The ones of these documents that are in the project and not in the trash."""
    rows = db.execute(
        "SELECT id FROM documents WHERE project_id = ? AND trashed IS NULL "
        "AND id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (project_id, json.dumps(list(ids))),
    )
    return [row["id"] for row in rows]


def _write(
    workspace: Workspace, db: sqlite3.Connection, step: Step, order: Order, ids: list[int], user: str
) -> None:
    if order.change == "accept":
        changed = accepting.accept(
            workspace, step.project_id, order.to, ids, order.threshold, user=user, client_edit=_edit_of(step)
        )
    else:
        changed = _WRITE[order.change](workspace, db, step, order, ids, user)
    db.executemany(
        "INSERT INTO step_documents (step, document_id, before) VALUES (?, ?, ?)",
        [(step.id, document_id, before) for document_id, before in changed],
    )
    db.execute(
        "UPDATE steps SET detail = json_set(detail, '$.documents', json_extract(detail, '$.documents') + ?) "
        "WHERE id = ?",
        (len(changed), step.id),
    )


Changed = list[tuple[int, str]]  # documents, with what was there before


def _set_status(
    workspace: Workspace, db: sqlite3.Connection, step: Step, order: Order, ids: list[int], user: str
) -> Changed:
    changed = []
    for document_id in ids if order.to in _NO_ANNOTATION else _without_versions(db, step.project_id, ids):
        revision, before, reason = saved.standing(db, document_id)
        status = _before_aside(db, document_id) if order.to == RESTORED else order.to
        if order.to == RESTORED and before not in ASIDE:
            continue
        after = saved.set_status(
            workspace, document_id, status, user=user, reason=order.reason, client_edit=_edit_of(step)
        )
        if after.revision != revision:
            changed.append((document_id, json.dumps([before, reason], ensure_ascii=False)))
    return changed


def _without_versions(db: sqlite3.Connection, project_id: int, ids: list[int]) -> list[int]:
    """The documents whose gold annotation does not come from a review that is still to be made."""
    if not members.is_separate(db, project_id):
        return ids
    rows = db.execute(
        "SELECT value FROM json_each(?) WHERE value NOT IN (SELECT document_id FROM assignments)",
        (json.dumps(ids),),
    )
    return [row[0] for row in rows]


def _before_aside(db: sqlite3.Connection, document_id: int) -> str:
    row = db.execute(
        "SELECT status FROM events WHERE document_id = ? AND annotator = ? "
        "AND status NOT IN (SELECT value FROM json_each(?)) ORDER BY revision DESC LIMIT 1",
        (document_id, GOLD, json.dumps(sorted(ASIDE))),
    ).fetchone()
    return row["status"] if row else "new"


def _put_back_status(
    workspace: Workspace, db: sqlite3.Connection, step: Step, document_id: int, before: str, user: str
) -> bool:
    event = db.execute(
        "SELECT e.revision FROM events e JOIN documents d ON d.id = e.document_id AND d.trashed IS NULL "
        "WHERE e.document_id = ? AND e.annotator = ? AND e.client_edit = ?",
        (document_id, GOLD, _edit_of(step)),
    ).fetchone()
    if event is None or saved.standing(db, document_id)[0] != event["revision"]:
        return False
    status, reason = json.loads(before)
    saved.set_status(
        workspace, document_id, status, user=user, reason=reason, client_edit=f"undo:{_edit_of(step)}"
    )
    return True


def _set_split(
    workspace: Workspace, db: sqlite3.Connection, step: Step, order: Order, ids: list[int], user: str
) -> Changed:
    # Documents set apart for evaluation keep their split.
    rows = db.execute(
        "SELECT id, split FROM documents WHERE id IN "  # noqa: S608 - ours
        "(SELECT value FROM json_each(?)) AND split <> ? "
        f"{splits.FREE} ORDER BY id",
        (json.dumps(ids), order.to),
    ).fetchall()
    splits.set_split(workspace, step.project_id, [row["id"] for row in rows], order.to)
    return [(row["id"], row["split"]) for row in rows]


def _put_back_split(
    workspace: Workspace, db: sqlite3.Connection, step: Step, document_id: int, before: str, user: str
) -> bool:
    changed = db.execute(
        "UPDATE documents SET split = ? WHERE id = ? AND split = ?", (before, document_id, step.detail["to"])
    )
    return changed.rowcount > 0


def _assign(
    workspace: Workspace, db: sqlite3.Connection, step: Step, order: Order, ids: list[int], user: str
) -> Changed:
    at = now()
    changed: Changed = []
    for document_id in ids:
        given = db.execute(
            "INSERT OR IGNORE INTO assignments (document_id, user, at) VALUES (?, ?, ?)",
            (document_id, order.to, at),
        )
        if given.rowcount > 0:
            changed.append((document_id, ""))
    return changed


def _withdraw(
    workspace: Workspace, db: sqlite3.Connection, step: Step, document_id: int, before: str, user: str
) -> bool:
    # What has been begun stays with who began it.
    gone = db.execute(
        "DELETE FROM assignments WHERE document_id = :id AND user = :who AND NOT EXISTS "
        "(SELECT 1 FROM versions v WHERE v.document_id = :id AND v.annotator = :who) AND NOT EXISTS "
        "(SELECT 1 FROM annotated_regions r WHERE r.document_id = :id AND r.annotator = :who)",
        {"id": document_id, "who": step.detail["to"]},
    )
    return gone.rowcount > 0


def _trash(
    workspace: Workspace, db: sqlite3.Connection, step: Step, order: Order, ids: list[int], user: str
) -> Changed:
    at = now()
    db.executemany("UPDATE documents SET trashed = ? WHERE id = ?", [(at, id_) for id_ in ids])
    audit.record(db, "documents.trashed", step.project_id, user=user, documents=len(ids))
    return [(id_, "") for id_ in ids]


def _untrash(
    workspace: Workspace, db: sqlite3.Connection, step: Step, document_id: int, before: str, user: str
) -> bool:
    back = db.execute(
        "UPDATE documents SET trashed = NULL WHERE id = ? AND trashed IS NOT NULL", (document_id,)
    )
    return back.rowcount > 0


def _take_back(
    workspace: Workspace, db: sqlite3.Connection, step: Step, document_id: int, before: str, user: str
) -> bool:
    return accepting.take_back(workspace, db, document_id, before, user=user, client_edit=_edit_of(step))


_WRITE: dict[str, Callable[[Workspace, sqlite3.Connection, Step, Order, list[int], str], Changed]] = {
    "status": _set_status,
    "split": _set_split,
    "assign": _assign,
    "trash": _trash,
}
_RESTORE: dict[str, Callable[[Workspace, sqlite3.Connection, Step, int, str, str], bool]] = {
    "status": _put_back_status,
    "split": _put_back_split,
    "assign": _withdraw,
    "trash": _untrash,
    "accept": _take_back,
}


def _edit_of(step: Step) -> str:
    return f"{KIND}:{step.id}"


def _bulk_step(step: Step) -> BulkStep:
    detail = step.detail
    order = Order(detail["change"], detail["to"], detail["reason"], detail["threshold"])
    return BulkStep(step.id, order, detail["documents"], step.user, step.at, step.undone)

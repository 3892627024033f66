"""Labels renamed, merged and deleted with everything that carries them, each change undoable.

A change is not an edit: no revision moves and no event is written, so every page that is open stays current.
The events themselves are carried along, so that folding them still gives the spans, at every revision. The
label leaves the list at once; documents follow in short steps (`core.store.label.steps`).
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any, Literal

from core.store.db.cells import load_json
from core.store.db.clock import now
from core.store.db.errors import NameTaken, NotFound, PayloadError
from core.store.db.payload import checked_user
from core.store.db.workspace import Workspace
from core.store.label import labels
from core.store.label import steps as label_steps
from core.store.label.carrying import affected, carry_project
from core.store.label.labels import label_set
from core.store.label.mapping import LabelMapping
from core.store.label.renaming import rename_project
from core.store.label.returning import return_project
from core.store.label.scope import Reach, reach_in
from core.store.project.projects import checked_id, row_of
from core.text import Label, LabelSet

Kind = Literal["rename", "merge", "delete"]
MOST_LISTED = 50


@dataclass(frozen=True, slots=True)
class LabelChange:
    """One change: ``old`` became ``new`` (None: it was deleted), by whom and when (UTC ms).

    Args:
        spans, documents: that carried the old label. undone: when it was taken back, or None.
        blocked_by: the later change that has to be undone first, or None.
    """

    id: int
    kind: Kind
    old: str
    new: str | None
    user: str
    at: int
    undone: int | None
    spans: int
    documents: int
    blocked_by: int | None = None


@dataclass(frozen=True, slots=True)
class Undone:
    """What an undo did; ``left`` are names of documents that later edits keep as they are."""

    change: LabelChange
    left: tuple[str, ...]


class ChangeBlocked(PayloadError):
    """A later change has to be undone first, or this one is undone already."""


def rename(workspace: Workspace, project_id: int, old: str, new: str, *, user: str) -> LabelChange | None:
    """Call a label something else everywhere; None where that is its name already.

    Raises:
        UnknownLabelError: there is no label ``old``. NameTaken: there is a label ``new``; merge them instead.
        ValueError: ``new`` is no name of a label.
    """
    Label(new)
    if old == new:
        return None
    checked_user(user)
    label_steps.finish(workspace, project_id)
    with workspace.reading() as db:  # counting reads every document: nobody waits for it
        row_of(db, project_id)
        label_set(db, project_id)[old]
        found = reach_in(db, project_id, old)
        before = affected(db, project_id, new)
    with workspace.writing() as db:
        _check_alone(db, project_id)
        labels.call(db, project_id, old, new)
        rename_project(db, project_id, old, new)
        made = _record(db, project_id, "rename", {"old": old, "new": new, "before": before}, found, user)
        label_steps.begin(db, made.id, project_id)
    label_steps.go_on(workspace, made.id)
    return made


def merge(workspace: Workspace, project_id: int, old: str, into: str, *, user: str) -> LabelChange:
    """Make every ``old`` an ``into``, and take ``old`` off the list; spans that then coincide become one.

    Raises:
        UnknownLabelError: one of the two is no label. PayloadError: they are the same.
    """
    if old == into:
        raise PayloadError(f"label {old!r} cannot be merged into itself; choose another one")
    return _carry(workspace, project_id, "merge", LabelMapping(old, into), user)


def delete(workspace: Workspace, project_id: int, old: str, *, user: str) -> LabelChange:
    """Take a label off the list, with its spans, decisions and patterns.

    Raises:
        UnknownLabelError: there is no such label.
    """
    return _carry(workspace, project_id, "delete", LabelMapping(old, None), user)


def undo(workspace: Workspace, project_id: int, change_id: int, *, user: str) -> Undone:
    """Take a change back. Everything is as it was, and what was done since stays.

    A document where somebody has since taken away or moved a span that the change had given its new label is
    left alone, and named.

    Raises:
        NotFound: no such change. ChangeBlocked: it is undone, or a later change of the same labels is not.
        NameTaken: there is a new label of the old name.
    """
    checked_user(user)
    label_steps.finish(workspace, project_id)
    with workspace.writing() as db:
        _check_alone(db, project_id)
        row = _row(db, project_id, change_id)
        change = load_json(row["change"])
        _check_free(db, project_id, row, change)
        mapping = LabelMapping(change["old"], change["new"])
        if row["kind"] == "rename":
            labels.call(db, project_id, change["new"], change["old"])
            rename_project(db, project_id, change["new"], change["old"])
        else:
            _put_back(db, project_id, change["label"])
            return_project(db, project_id, mapping, change["saved"]["project"])
        label_steps.begin_return(db, change_id)
    label_steps.go_on(workspace, change_id)
    with workspace.reading() as db:
        names = db.execute(
            "SELECT name FROM documents WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
            (json.dumps(label_steps.left_alone(db, change_id)),),
        )
        return Undone(_listed(_row(db, project_id, change_id)), tuple(name[0] for name in names))


def history(workspace: Workspace, project_id: int, limit: int = MOST_LISTED) -> list[LabelChange]:
    """The project's changes, the newest first.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        rows = db.execute(_LISTING + "WHERE project_id = ? ORDER BY id DESC", (project_id,)).fetchall()
    found: list[LabelChange] = []
    later: list[LabelChange] = []
    for row in rows:
        one = _listed(row)
        if one.undone is None:
            names = {one.old, one.new} - {None}
            blocking = next((other for other in reversed(later) if names & {other.old, other.new}), None)
            later.append(one)
            if blocking is not None:
                one = _listed(row, blocking.id)
        found.append(one)
    return found[:limit]


_LISTING = (
    "SELECT id, kind, user, at, undone, json_extract(change, '$.old') AS old, "
    "json_extract(change, '$.new') AS new, json_extract(change, '$.spans') AS spans, "
    "json_extract(change, '$.documents') AS documents FROM label_changes "
)


def _carry(
    workspace: Workspace, project_id: int, kind: Kind, mapping: LabelMapping, user: str
) -> LabelChange:
    checked_user(user)
    label_steps.finish(workspace, project_id)
    with workspace.reading() as db:  # counting reads every document: nobody waits for it
        row_of(db, project_id)
        known = label_set(db, project_id)
        for name in (mapping.old, mapping.new):
            if name is not None:
                known[name]
        found = reach_in(db, project_id, mapping.old)
    with workspace.writing() as db:
        _check_alone(db, project_id)
        known = label_set(db, project_id)
        was = known[mapping.old]
        if mapping.new is not None:
            known[mapping.new]
        change: dict[str, Any] = {"old": mapping.old, "new": mapping.new}
        change["label"] = [known.names.index(was.name), was.name, was.colour, was.hotkey, was.description]
        change["saved"] = {"project": carry_project(db, project_id, mapping, now())}
        labels.write(db, project_id, LabelSet(label for label in known if label is not was))
        made = _record(db, project_id, kind, change, found, user)
        label_steps.begin(db, made.id, project_id)
    label_steps.go_on(workspace, made.id)
    return made


def _check_alone(db: sqlite3.Connection, project_id: int) -> None:
    if label_steps.under_way(db, project_id):
        raise ChangeBlocked("another change of labels is under way; try again in a moment")


def _record(
    db: sqlite3.Connection, project_id: int, kind: Kind, change: dict[str, Any], found: Reach, user: str
) -> LabelChange:
    change |= {"spans": found.spans + found.copies, "documents": found.documents}
    made = db.execute(
        "INSERT INTO label_changes (project_id, kind, change, user, at) VALUES (?, ?, ?, ?, ?)",
        (project_id, kind, json.dumps(change, ensure_ascii=False), checked_user(user), now()),
    )
    return _listed(_row(db, project_id, int(made.lastrowid or 0)))


def _row(db: sqlite3.Connection, project_id: int, change_id: int) -> sqlite3.Row:
    row: sqlite3.Row | None = db.execute(
        "SELECT *, json_extract(change, '$.old') AS old, json_extract(change, '$.new') AS new, "
        "json_extract(change, '$.spans') AS spans, json_extract(change, '$.documents') AS documents "
        "FROM label_changes WHERE id = ? AND project_id = ?",
        (checked_id(change_id), checked_id(project_id)),
    ).fetchone()
    if row is None:
        raise NotFound("change of a label", change_id)
    return row


def _listed(row: sqlite3.Row, blocked_by: int | None = None) -> LabelChange:
    return LabelChange(
        row["id"], row["kind"], row["old"], row["new"], row["user"], row["at"], row["undone"], row["spans"],
        row["documents"], blocked_by,
    )  # fmt: skip


def _check_free(db: sqlite3.Connection, project_id: int, row: sqlite3.Row, change: dict[str, Any]) -> None:
    old, new = change["old"], change["new"]
    if row["undone"] is not None:
        raise ChangeBlocked(f"the change of label {old!r} is undone already")
    names = json.dumps([name for name in (old, new) if name is not None])
    later = db.execute(
        _LISTING + "WHERE project_id = ? AND id > ? AND undone IS NULL AND "  # noqa: S608
        "(json_extract(change, '$.old') IN (SELECT value FROM json_each(?)) "
        "OR json_extract(change, '$.new') IN (SELECT value FROM json_each(?))) ORDER BY id DESC LIMIT 1",
        (project_id, row["id"], names, names),
    ).fetchone()
    if later is not None:
        raise ChangeBlocked(
            f"label {later['old']!r} was changed after that ({later['kind']}); undo that change first"
        )
    known = label_set(db, project_id)
    if old in known:
        raise NameTaken(f"there is a new label {old!r}; rename that one, then undo this change")
    if new is not None and new not in known:
        raise ChangeBlocked(f"label {new!r} is not there any more, so this change cannot be undone")


def _put_back(db: sqlite3.Connection, project_id: int, label: list[Any]) -> None:
    """The label in its place again, without its key where another label has that now."""
    place, name, colour, hotkey, description = label
    known = list(label_set(db, project_id))
    if any(other.hotkey == hotkey for other in known):
        hotkey = ""
    known.insert(min(place, len(known)), Label(name, colour, hotkey, description))
    labels.write(db, project_id, LabelSet(known))

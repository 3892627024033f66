"""Renaming, merging and deleting labels, each in one short transaction and undoable.

Spans refer to labels by id, so a change updates one row: the label's name, or the label it reads as. No
revision changes and no event is written, so open pages stay current.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, replace
from typing import Any, Literal

from core.runtime.message import pgettext
from core.store.db.errors import NameTaken, PayloadError
from core.store.db.workspace import Workspace
from core.store.label import words
from core.store.label.ids import LabelIds, label_ids, note_name
from core.store.label.labels import label_set
from core.store.project import journal
from core.store.project.journal import Step
from core.store.project.projects import row_of
from core.text import Label, UnknownLabelError

Kind = Literal["rename", "merge", "delete"]
KINDS = ("rename", "merge", "delete")
_KIND_NAMES = {
    "rename": pgettext("change", "rename"),
    "merge": pgettext("change", "merge"),
    "delete": pgettext("change", "delete"),
}
MOST_LISTED = 50


@dataclass(frozen=True, slots=True)
class LabelChange:
    """One change: ``old`` became ``new`` (None: it was deleted), its user and time (UTC ms).

    Args:
        spans, documents: numbers with the old label. undone: when it was undone, or None.
        blocked_by: the later change that must be undone first, or None.
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


class ChangeBlocked(PayloadError):
    """A later change must be undone first."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What uses a label: spans of the gold annotation and of annotators' versions, their documents,
    predictions, patterns and comments; ``coinciding`` spans share their offsets with one of the other
    label."""

    spans: int
    documents: int
    versions: int
    predictions: int
    patterns: int
    comments: int
    coinciding: int = 0


def scope(workspace: Workspace, project_id: int, label: str, into: str | None = None) -> Scope:
    """What a change of ``label`` would affect, including documents in the trash.

    Args:
        into: the label it would be merged into, for ``coinciding``.

    Raises:
        UnknownLabelError: there is no such label. NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        label_map = label_ids(db, project_id)
        ids = json.dumps(label_map.read_as(_listed(label_map, label)))
        others = json.dumps(label_map.read_as(into) if into is not None else [])

        def count(sql: str, *values: object) -> int:
            return int(db.execute(sql, (ids, *values)).fetchone()[0])

        carried = _usage(db, ids)
        return Scope(
            spans=carried[0],
            documents=carried[2],
            versions=carried[1],
            predictions=count(
                "SELECT count(*) FROM predictions p JOIN documents d ON d.id = p.document_id "
                "WHERE d.project_id = ?2 AND EXISTS (SELECT 1 FROM json_each(p.spans) s "
                "WHERE json_extract(s.value, '$[2]') IN (SELECT value FROM json_each(?1)))",
                project_id,
            ),
            patterns=count(
                "SELECT count(*) FROM patterns WHERE label IN (SELECT value FROM json_each(?)) "
                "AND trashed IS NULL"
            ),
            comments=count("SELECT count(*) FROM comments WHERE label IN (SELECT value FROM json_each(?))"),
            coinciding=count(
                "SELECT count(*) FROM spans s WHERE s.label IN (SELECT value FROM json_each(?)) "
                "AND s.annotator = '' "
                "AND EXISTS (SELECT 1 FROM spans o WHERE o.document_id = s.document_id AND o.annotator = '' "
                'AND o.start = s.start AND o."end" = s."end" '
                "AND o.label IN (SELECT value FROM json_each(?)))",
                others,
            ),
        )


def rename(workspace: Workspace, project_id: int, old: str, new: str, *, user: str) -> LabelChange | None:
    """Rename a label everywhere; None if it has that name already.

    Raises:
        UnknownLabelError: there is no label ``old``. NameTaken: there is a label ``new``; merge them instead.
        ValueError: ``new`` is not a valid name.
    """
    Label(new)
    if old == new:
        return None
    counts = _counted(workspace, project_id, old)
    with workspace.writing() as db:
        label_map = label_ids(db, project_id)
        id_ = label_map.listed[_listed(label_map, old)]
        _set_name(db, label_map, id_, new)
        return _record(db, project_id, "rename", user, {"label": id_, "old": old, "new": new, **counts})


def merge(workspace: Workspace, project_id: int, old: str, into: str, *, user: str) -> LabelChange:
    """Merge ``old`` into ``into`` and unlist it; spans that coincide become one.

    Raises:
        UnknownLabelError: an unknown label. PayloadError: they are the same.
    """
    if old == into:
        raise PayloadError("label {old} cannot be merged into itself; choose another one", old=repr(old))
    counts = _counted(workspace, project_id, old)
    with workspace.writing() as db:
        label_map = label_ids(db, project_id)
        id_, target = (label_map.listed[_listed(label_map, name)] for name in (old, into))
        detail = _unlist(db, project_id, id_)
        detail |= {"label": id_, "into": target, "old": old, "new": into, **counts}
        detail["batch"] = words.merge_types(
            db, project_id, label_map.read_as(old), label_map.read_as(into), f"{old} → {into}"
        )
        db.execute("UPDATE labels SET reads_as = ? WHERE reads_as = ?", (target, id_))
        return _record(db, project_id, "merge", user, detail)


def delete(workspace: Workspace, project_id: int, old: str, *, user: str) -> LabelChange:
    """Delete a label; its spans, decisions and patterns are no longer read.

    Raises:
        UnknownLabelError: there is no such label.
    """
    counts = _counted(workspace, project_id, old)
    with workspace.writing() as db:
        label_map = label_ids(db, project_id)
        id_ = label_map.listed[_listed(label_map, old)]
        detail = _unlist(db, project_id, id_) | {"label": id_, "old": old, "new": None, **counts}
        db.execute("UPDATE labels SET reads_as = NULL WHERE reads_as = ?", (id_,))
        return _record(db, project_id, "delete", user, detail)


@journal.undoes(*KINDS)
def _undo(workspace: Workspace, step: Step, user: str, progress: journal.Progress | None) -> LabelChange:
    """Undo a change. Later edits stay.

    Raises:
        ChangeBlocked: a later change of the same labels is not undone. NameTaken: there is a new label with
            the old name.
    """
    project_id = step.project_id
    with workspace.writing() as db:
        label_map = label_ids(db, project_id)
        _check_free(db, step, label_map)
        detail = step.detail
        if step.kind == "rename":
            _set_name(db, label_map, detail["label"], detail["old"])
        else:
            _relist(db, project_id, detail)
            if step.kind == "merge":
                words.unmerge_types(db, project_id, detail["batch"])
        words.touch(db, project_id)
        return _change(journal.close(db, step))


def history(workspace: Workspace, project_id: int, limit: int = MOST_LISTED) -> list[LabelChange]:
    """The project's label changes, newest first.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        made = journal.steps(db, project_id, KINDS)
    return [
        replace(_change(step), blocked_by=None if step.undone is not None else _blocking(step, made))
        for step in made[:limit]
    ]


def _listed(label_map: LabelIds, name: str) -> str:
    if name not in label_map.listed:
        raise UnknownLabelError(name, label_map.listed)
    return name


def _counted(workspace: Workspace, project_id: int, label: str) -> dict[str, int]:
    """The recorded scope of a change; counted outside the write transaction."""
    with workspace.reading() as db:
        row_of(db, project_id)
        label_map = label_ids(db, project_id)
        spans, versions, documents = _usage(db, json.dumps(label_map.read_as(_listed(label_map, label))))
    return {"spans": spans + versions, "documents": documents}


def _usage(db: sqlite3.Connection, ids: str) -> tuple[int, int, int]:
    """Spans of the gold annotation, spans of annotators' versions, and documents with either."""
    row = db.execute(
        "SELECT coalesce(sum(annotator = ''), 0), coalesce(sum(annotator <> ''), 0), "
        "count(DISTINCT document_id) FROM spans WHERE label IN (SELECT value FROM json_each(?))",
        (ids,),
    ).fetchone()
    return row[0], row[1], row[2]


def _set_name(db: sqlite3.Connection, label_map: LabelIds, id_: int, name: str) -> None:
    if name in label_map.listed:
        raise NameTaken("there is a label {name} already; choose another name", name=repr(name))
    db.execute("UPDATE labels SET name = ? WHERE id = ?", (name, id_))
    note_name(db, id_, name)


def _unlist(db: sqlite3.Connection, project_id: int, id_: int) -> dict[str, Any]:
    """Unlist a label; its position and the labels merged into it."""
    place = list(label_set(db, project_id).names).index(
        db.execute("SELECT name FROM labels WHERE id = ?", (id_,)).fetchone()[0]
    )
    readers = [row[0] for row in db.execute("SELECT id FROM labels WHERE reads_as = ?", (id_,))]
    db.execute("UPDATE labels SET position = NULL WHERE id = ?", (id_,))
    return {"place": place, "readers": readers}


def _relist(db: sqlite3.Connection, project_id: int, detail: Any) -> None:
    """Put a label back in its position, without its hotkey if another label has taken it."""
    rows = db.execute(
        "SELECT id, hotkey FROM labels WHERE project_id = ? AND position IS NOT NULL ORDER BY position",
        (project_id,),
    ).fetchall()
    order = [row["id"] for row in rows]
    order.insert(min(detail["place"], len(order)), detail["label"])
    db.executemany("UPDATE labels SET position = ? WHERE id = ?", [(at, id_) for at, id_ in enumerate(order)])
    keys = json.dumps([row["hotkey"] for row in rows])
    db.execute(
        "UPDATE labels SET hotkey = '' WHERE id = ? AND hotkey IN (SELECT value FROM json_each(?))",
        (detail["label"], keys),
    )
    db.executemany(
        "UPDATE labels SET reads_as = ? WHERE id = ?", [(detail["label"], id_) for id_ in detail["readers"]]
    )


def _record(
    db: sqlite3.Connection, project_id: int, kind: Kind, user: str, detail: dict[str, Any]
) -> LabelChange:
    words.touch(db, project_id)
    return _change(journal.record(db, project_id, kind, user, detail))


def _change(step: Step) -> LabelChange:
    detail = step.detail
    return LabelChange(
        step.id, step.kind, detail["old"], detail["new"], step.user, step.at, step.undone, detail["spans"],  # type: ignore[arg-type]
        detail["documents"],
    )  # fmt: skip


def _blocking(step: Step, made: list[Step]) -> int | None:
    """The latest later change, not undone, of one of its labels."""
    concerned = _affected_labels(step)
    later = (change for change in made if change.id > step.id and change.undone is None)
    return next((change.id for change in later if concerned & _affected_labels(change)), None)


def _affected_labels(step: Step) -> set[int]:
    return {id_ for id_ in (step.detail["label"], step.detail.get("into")) if id_ is not None}


def _check_free(db: sqlite3.Connection, step: Step, label_map: LabelIds) -> None:
    old, new = step.detail["old"], step.detail["new"]
    made = journal.steps(db, step.project_id, KINDS)
    blocking = _blocking(step, made)
    if blocking is not None:
        later = next(change for change in made if change.id == blocking)
        raise ChangeBlocked(
            "label {label} was changed after that ({kind}); undo that change first",
            label=repr(later.detail["old"]),
            kind=_KIND_NAMES[later.kind],
        )
    if old in label_map.listed:
        raise NameTaken(
            "there is a new label {old}; rename the new one, then undo this change", old=repr(old)
        )
    if new is not None and new not in label_map.listed:
        raise ChangeBlocked(
            "label {new} is not there any more, so this change cannot be undone", new=repr(new)
        )

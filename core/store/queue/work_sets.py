"""Work sets: filters of a project under a name, for everybody who works in it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from core.store.db.cells import load_json
from core.store.db.clock import now
from core.store.db.errors import NameTaken, NotFound, PayloadError
from core.store.db.payload import checked_user
from core.store.db.workspace import Workspace
from core.store.project import members
from core.store.project.projects import checked_id, row_of
from core.store.queue.filter import Filter, source

LONGEST_NAME = 100
MOST_SETS = 200  # of a project
# What a set does not keep: whose queue it is, the trash, and what is gone with an undo.
_NOT_KEPT = frozenset(("worker", "trashed", "batch", "ignored"))
_KEPT = tuple(field for field in fields(Filter) if field.name not in _NOT_KEPT)


@dataclass(frozen=True, slots=True)
class WorkSet:
    """A filter under a name; ``user`` saved it ``at`` (UTC ms)."""

    id: int
    name: str
    filter: Filter
    user: str
    at: int


def all_sets(workspace: Workspace, project_id: int) -> list[WorkSet]:
    """The work sets of a project, by name.

    Raises:
        NotFound: no such project.
    """
    with workspace.reading() as db:
        row_of(db, project_id)
        rows = db.execute("SELECT * FROM work_sets WHERE project_id = ? ORDER BY name", (project_id,))
        return [_work_set(row) for row in rows]


def get(workspace: Workspace, project_id: int, set_id: int) -> WorkSet:
    """One work set of the project.

    Raises:
        NotFound: there is none.
    """
    with workspace.reading() as db:
        return _work_set(_row(db, project_id, set_id))


def add(workspace: Workspace, project_id: int, name: str, which: Filter, *, user: str) -> WorkSet:
    """Keep a filter under a name.

    Raises:
        NameTaken: another set of the project has the name. PayloadError: an empty or long name, a filter that
            matches everything or cannot be used, or too many sets.
        NotAllowed: the person may not annotate in the project.
    """
    name, user = _cleaned(name), checked_user(user)
    kept = to_json(which)
    if not kept:
        raise PayloadError("a work set narrows the documents; choose a filter first")
    with workspace.writing() as db:
        source(db, project_id, which, None)  # refuses what cannot be used
        members.check_in(db, project_id, user, "annotate")
        _refuse_taken(db, project_id, name)
        count = db.execute("SELECT count(*) FROM work_sets WHERE project_id = ?", (project_id,)).fetchone()
        if count[0] >= MOST_SETS:
            raise PayloadError("a project has at most {most} work sets; delete one first", most=MOST_SETS)
        made = db.execute(
            "INSERT INTO work_sets (project_id, name, filter, user, at) VALUES (?, ?, ?, ?, ?)",
            (project_id, name, json.dumps(kept, ensure_ascii=False), user, now()),
        )
        return _work_set(_row(db, project_id, int(made.lastrowid or 0)))


def rename(workspace: Workspace, project_id: int, set_id: int, name: str, *, user: str) -> WorkSet:
    """Give a work set another name.

    Raises:
        NotFound, NameTaken, PayloadError, NotAllowed: as ``add``, and where it is another's (``remove``).
    """
    name = _cleaned(name)
    with workspace.writing() as db:
        _check_may_change(db, project_id, _row(db, project_id, set_id), user)
        _refuse_taken(db, project_id, name, besides=set_id)
        db.execute("UPDATE work_sets SET name = ? WHERE id = ?", (name, set_id))
        return _work_set(_row(db, project_id, set_id))


def remove(workspace: Workspace, project_id: int, set_id: int, *, user: str) -> None:
    """Delete a work set; its documents stay as they are.

    Raises:
        NotFound: there is none. NotAllowed: it is neither the person's own, nor are they a manager.
    """
    with workspace.writing() as db:
        _check_may_change(db, project_id, _row(db, project_id, set_id), user)
        db.execute("DELETE FROM work_sets WHERE id = ?", (set_id,))


def to_json(which: Filter) -> dict[str, Any]:
    """The fields of a filter that narrow something, for a work set or an address."""
    values = asdict(which)
    return {field.name: values[field.name] for field in _KEPT if values[field.name] != field.default}


def from_json(kept: Mapping[str, Any]) -> Filter:
    """The filter of `to_json`."""
    values = {field.name: kept[field.name] for field in _KEPT if field.name in kept}
    meta = tuple((str(field), str(value)) for field, value in values.pop("meta", ()))
    return Filter(**values, meta=meta)


def _work_set(row: sqlite3.Row) -> WorkSet:
    return WorkSet(row["id"], row["name"], from_json(load_json(row["filter"])), row["user"], row["at"])


def _row(db: sqlite3.Connection, project_id: int, set_id: int) -> sqlite3.Row:
    row: sqlite3.Row | None = db.execute(
        "SELECT * FROM work_sets WHERE id = ? AND project_id = ?",
        (checked_id(set_id), checked_id(project_id)),
    ).fetchone()
    if row is None:
        raise NotFound("work set", set_id)
    return row


def _check_may_change(db: sqlite3.Connection, project_id: int, row: sqlite3.Row, user: str) -> None:
    members.check_in(db, project_id, checked_user(user), "annotate" if row["user"] == user else "manage")


def _cleaned(name: object) -> str:
    cleaned = " ".join(name.split()) if isinstance(name, str) else ""
    if not 0 < len(cleaned) <= LONGEST_NAME:
        raise PayloadError(
            "the name of a work set has 1 to {longest} characters, got {given}",
            longest=LONGEST_NAME,
            given=len(cleaned),
        )
    return cleaned


def _refuse_taken(db: sqlite3.Connection, project_id: int, name: str, besides: int = 0) -> None:
    row = db.execute(
        "SELECT 1 FROM work_sets WHERE project_id = ? AND name = ? AND id <> ?", (project_id, name, besides)
    ).fetchone()
    if row is not None:
        raise NameTaken("this project has a work set {name} already; choose another name", name=repr(name))

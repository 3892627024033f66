"""Projects and their active run."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from core.runtime.message import _, pgettext
from core.store.db import audit
from core.store.db.clock import now
from core.store.db.errors import NameTaken, NotFound, PayloadError, StoreError
from core.store.db.workspace import Workspace
from core.store.project import event_log

LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class Project:
    """One project. ``active_run`` is the active run, ``previous_run`` the one before; ``created`` in UTC
    ms."""

    id: int
    name: str
    active_run: str | None
    previous_run: str | None
    created: int


def create(workspace: Workspace, name: str) -> Project:
    """Create an empty project.

    Raises:
        NameTaken: another project, perhaps in the trash, has this name.
        PayloadError: an empty or long name.
    """
    name = _clean(name)
    with workspace.writing() as db:
        _refuse_taken(db, name)
        # Not the number of a deleted project, whose entries in the audit log it would take over.
        row = db.execute(
            "INSERT INTO projects (id, name, created) VALUES (1 + max("
            "coalesce((SELECT max(id) FROM projects), 0), coalesce((SELECT max(project_id) FROM audit), 0)), "
            "?, ?)",
            (name, now()),
        )
        created = int(row.lastrowid or 0)
        audit.record(db, "project.created", created)
    return get(workspace, created)


def get(workspace: Workspace, project_id: int) -> Project:
    """The project with this id.

    Raises:
        NotFound: there is none, or it is in the trash.
    """
    with workspace.reading() as db:
        return row_of(db, project_id)


def by_name(workspace: Workspace, name: str) -> Project:
    """The project with this name.

    Raises:
        NotFound: there is none, or it is in the trash.
    """
    with workspace.reading() as db:
        row = db.execute("SELECT * FROM projects WHERE name = ? AND trashed IS NULL", (name,)).fetchone()
    if row is None:
        raise NotFound("project", name)
    return project_of(row)


def all_projects(workspace: Workspace) -> list[Project]:
    """Every project that is not in the trash, oldest first."""
    with workspace.reading() as db:
        rows = db.execute("SELECT * FROM projects WHERE trashed IS NULL ORDER BY id")
        return [project_of(row) for row in rows]


def free_name(workspace: Workspace, wanted: str) -> str:
    """``wanted``, with a number if there is a project of that name, also in the trash."""
    with workspace.reading() as db:
        taken = {str(name) for (name,) in db.execute("SELECT name FROM projects")}
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted} {number}", number + 1
    return name


def rename(workspace: Workspace, project_id: int, name: str) -> Project:
    """Rename a project.

    Raises:
        NameTaken, NotFound, PayloadError: as ``create``.
    """
    name = _clean(name)
    with workspace.writing() as db:
        row_of(db, project_id)
        _refuse_taken(db, name, besides=project_id)
        db.execute("UPDATE projects SET name = ? WHERE id = ?", (name, project_id))
    return get(workspace, project_id)


def set_active(workspace: Workspace, project_id: int, run: str | None) -> Project:
    """Make ``run`` the active run; the previous one is kept for ``roll_back``.

    Raises:
        NotFound: no such project, or no such run in it.
    """
    with workspace.writing() as db:
        project = row_of(db, project_id)
        if run == project.active_run:
            return project
        if run is not None:
            row = db.execute("SELECT 1 FROM runs WHERE name = ? AND project_id = ?", (run, project_id))
            if row.fetchone() is None:
                raise NotFound("run", run)
            # The ledger compares an activated run with the one it replaced.
            db.execute(
                "UPDATE runs SET replaced = ?, declined = NULL WHERE name = ?", (project.active_run, run)
            )
        db.execute(
            "UPDATE projects SET active_run = ?, previous_run = ? WHERE id = ?",
            (run, project.active_run, project_id),
        )
        event_log.record(db, project_id, "run.active", run=run)
        audit.record(db, "run.active", project_id, run=run, before=project.active_run)
    return get(workspace, project_id)


def roll_back(workspace: Workspace, project_id: int) -> Project:
    """Swap the active and the previous run.

    Raises:
        StoreError: there is no previous run.
    """
    with workspace.writing() as db:
        project = row_of(db, project_id)
        if project.previous_run is None:
            raise StoreError(
                "project {project} has no earlier active run to go back to", project=repr(project.name)
            )
        db.execute(
            "UPDATE projects SET active_run = previous_run, previous_run = active_run WHERE id = ?",
            (project_id,),
        )
        event_log.record(db, project_id, "run.active", run=project.previous_run)
        audit.record(db, "run.active", project_id, run=project.previous_run, before=project.active_run)
    return get(workspace, project_id)


def row_of(db: sqlite3.Connection, project_id: int) -> Project:
    """The project's row, through an open connection.

    Raises:
        NotFound: there is none, or it is in the trash.
    """
    checked_id(project_id)
    row = db.execute("SELECT * FROM projects WHERE id = ? AND trashed IS NULL", (project_id,)).fetchone()
    if row is None:
        raise NotFound("project", project_id)
    return project_of(row)


def checked_id(value: object) -> int:
    """Check that ``value`` can be a row id.

    Raises:
        PayloadError: it is not a positive 63-bit integer.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 2**63:
        raise PayloadError(
            "an id is a positive whole number, got {value}; reload the page", value=repr(str(value)[:80])
        )
    return value


def project_of(row: sqlite3.Row) -> Project:
    return Project(row["id"], row["name"], row["active_run"], row["previous_run"], row["created"])


def _clean(name: str) -> str:
    cleaned = " ".join(name.split()) if isinstance(name, str) else ""
    if not cleaned or len(cleaned) > LONGEST_NAME:
        raise PayloadError(
            "a project name has 1 to {longest} characters, got {given}",
            longest=LONGEST_NAME,
            given=len(cleaned),
        )
    return cleaned


def _refuse_taken(db: sqlite3.Connection, name: str, besides: int = 0) -> None:
    row = db.execute("SELECT trashed FROM projects WHERE name = ? AND id <> ?", (name, besides)).fetchone()
    if row is not None:
        where = _("in the trash") if row["trashed"] is not None else pgettext("project", "here")
        raise NameTaken(
            "a project {name} is {where} already; choose another name", name=repr(name), where=where
        )

"""The trash keeps deleted documents and projects until it is emptied."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from core.store.db import audit
from core.store.db.clock import now
from core.store.db.errors import NotFound, StoreError
from core.store.db.payload import can_be_a_folder
from core.store.db.workspace import Workspace
from core.store.document import text_index
from core.store.knowledge import name_index
from core.store.project.projects import Project, checked_id, get

_CHUNK = 500  # documents per transaction, so that other saves are not blocked


def trash_documents(workspace: Workspace, project_id: int, document_ids: Iterable[int]) -> int:
    """Move documents of a project to the trash; returns their number."""
    return _mark(workspace, project_id, document_ids, now())


def restore_documents(workspace: Workspace, project_id: int, document_ids: Iterable[int]) -> int:
    """Restore documents with spans, history and corrections; returns their number."""
    return _mark(workspace, project_id, document_ids, None)


def empty(workspace: Workspace, project_id: int) -> int:
    """Permanently delete the documents in the project's trash, with their history; returns their number."""
    with workspace.writing() as db:
        rows = db.execute(
            "SELECT id FROM documents WHERE project_id = ? AND trashed IS NOT NULL", (checked_id(project_id),)
        )
        return _purge(db, project_id, [row["id"] for row in rows])


def discard_import(workspace: Workspace, project_id: int, document_ids: Iterable[int], *, user: str) -> int:
    """Delete the documents of an aborted import; returns their number.

    Documents that somebody other than ``user`` has edited stay.
    """
    numbers = list(document_ids)
    gone = 0
    for first in range(0, len(numbers), _CHUNK):
        with workspace.writing() as db:
            rows = db.execute(
                "SELECT id FROM documents WHERE project_id = ? AND id IN (SELECT value FROM json_each(?)) "
                "AND NOT EXISTS (SELECT 1 FROM events WHERE document_id = documents.id AND user <> ?)",
                (checked_id(project_id), json.dumps(numbers[first : first + _CHUNK]), user),
            )
            gone += _purge(db, project_id, [row["id"] for row in rows])
    return gone


def trash_project(workspace: Workspace, project_id: int) -> None:
    """Move a project to the trash.

    Raises:
        NotFound: no such project.
    """
    with workspace.writing() as db:
        gone = db.execute(
            "UPDATE projects SET trashed = ? WHERE id = ? AND trashed IS NULL",
            (now(), checked_id(project_id)),
        )
        if not gone.rowcount:
            raise NotFound("project", project_id)
        audit.record(db, "project.trashed", project_id)


def restore_project(workspace: Workspace, project_id: int) -> Project:
    """Restore a project from the trash.

    Raises:
        NotFound: no such project.
    """
    with workspace.writing() as db:
        db.execute("UPDATE projects SET trashed = NULL WHERE id = ?", (checked_id(project_id),))
        audit.record(db, "project.restored", project_id)
    return get(workspace, project_id)


def empty_project(workspace: Workspace, project_id: int) -> tuple[Path, ...]:
    """Permanently delete a project in the trash, with documents, history, runs and their folders.

    Only folders named after their run in the workspace's runs folder are deleted: a run registered from
    elsewhere, such as the demo tagger, keeps its model. Links are not followed.

    Returns:
        The run folders that could not be deleted; nothing refers to them any more.

    Raises:
        NotFound: no such project in the trash.
        StoreError: one of its runs is still active.
    """
    with workspace.writing() as db:
        runs = db.execute(
            "SELECT name, folder, status FROM runs WHERE project_id = ?", (checked_id(project_id),)
        ).fetchall()
        working = [run["name"] for run in runs if run["status"] in ("queued", "running")]
        if working:
            raise StoreError(
                "run {run} of this project is still under way; cancel it first", run=repr(working[0])
            )
        name_index.drop_of_project(db, project_id)
        gone = db.execute("DELETE FROM projects WHERE id = ? AND trashed IS NOT NULL", (project_id,))
        if not gone.rowcount:
            raise NotFound("project", project_id)
        text_index.drop(db, project_id)
        audit.record(db, "project.deleted", project_id, runs=len(runs))
    # After the rows: a crash may leave folders without a row, never rows without a folder.
    names = [run["name"] for run in runs if run["folder"] == f"runs/{run['name']}"]
    folders = [workspace.runs_folder / name for name in names if can_be_a_folder(name)]
    return tuple(folder for folder in folders if not _delete(folder))


def trashed_projects(workspace: Workspace) -> list[tuple[int, str]]:
    """Id and name of every project in the trash."""
    with workspace.reading() as db:
        rows = db.execute("SELECT id, name FROM projects WHERE trashed IS NOT NULL ORDER BY trashed")
        return [(row["id"], row["name"]) for row in rows]


def _mark(workspace: Workspace, project_id: int, document_ids: Iterable[int], at: int | None) -> int:
    with workspace.writing() as db:
        changed = 0
        for document_id in document_ids:
            changed += db.execute(
                "UPDATE documents SET trashed = ? WHERE id = ? AND project_id = ? AND (trashed IS NULL) = ?",
                (at, checked_id(document_id), project_id, at is not None),
            ).rowcount
        if changed:
            kind: audit.Kind = "documents.restored" if at is None else "documents.trashed"
            audit.record(db, kind, project_id, documents=changed)
        return changed


def _purge(db: sqlite3.Connection, project_id: int, numbers: list[int]) -> int:
    """Permanently delete documents; returns their number."""
    text_index.remove(db, project_id, numbers)
    gone = db.execute(
        "DELETE FROM documents WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(numbers),)
    )
    if gone.rowcount:
        audit.record(db, "documents.deleted", project_id, documents=gone.rowcount)
    return gone.rowcount


def _delete(folder: Path) -> bool:
    """Delete a run folder unless it is a link; whether it is gone."""
    if folder.is_symlink():
        return False
    shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()

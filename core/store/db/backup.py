"""Backup of the workspace's file while it is in use, and restore from one."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

from core.corpus.atomic import replacing, sync_file, sync_names
from core.store.db import audit, damage, schema
from core.store.db.errors import NotAWorkspace, StoreError, StoreReadOnly
from core.store.db.workspace import Workspace, check_is_ours, connect, migrate, named_errors

PAGES_AT_ONCE = 2_000  # about 8 MB: saves can run between the steps
CHECK_STEPS = 100_000  # of SQLite's machine, between two looks at whether the workspace closes


def backup(
    workspace: Workspace,
    target: Path,
    *,
    checked: bool = True,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Path:
    """Copy the database to ``target`` by SQLite's online backup, while others go on working.

    The copy is atomic (written to a temporary file and renamed). Run folders are not included. The copy is
    checked before it has its name: `integrity_check`, and as many events as the workspace had then.

    Args:
        checked: False to keep a damaged file as it is, before it is mended.
        progress: called with the MiB copied, and of all; what it raises ends the backup, and nothing is left.

    Raises:
        StoreFull, StoreReadOnly: ``target`` cannot be written.
        StoreError: ``target`` is the workspace's own file, or the copy is not whole.
    """
    target = target.expanduser().resolve()
    if target == workspace.file.resolve():
        raise StoreError(
            "{target} is the workspace's own file; choose another name for the backup", target=target
        )
    copy_now(workspace, target, checked=checked, progress=progress)
    audit.note(workspace, "backup.made", file=target.name)
    return target


def copy_now(
    workspace: Workspace,
    target: Path,
    *,
    checked: bool = True,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """`backup` that changes nothing in the workspace: the audit log does not have it.

    Raises:
        StoreFull, StoreReadOnly, StoreError: as ``backup``.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replacing(target) as (beside,):
            _copy_moment(workspace, beside, target, progress, checked=checked)
    except OSError as error:
        raise StoreReadOnly(
            "the backup cannot be written to {target} ({reason}); choose another place",
            target=target,
            reason=error,
        ) from error


def _copy_moment(
    workspace: Workspace, beside: Path, target: Path, progress: Callable[[int, int], None], *, checked: bool
) -> None:
    def copied_pages(_status: int, left: int, total: int) -> None:
        workspace.background.pause()  # a workspace that closes does not wait for a large copy
        progress((total - left) * page >> 20, total * page >> 20)

    with named_errors(target), workspace.reading() as db, closing(sqlite3.connect(beside)) as copy:
        # One read transaction around all steps: otherwise every save between two steps starts the copy over.
        db.execute("BEGIN")
        try:
            events = db.execute("SELECT count(*) FROM events").fetchone()[0]
            page = int(db.execute("PRAGMA page_size").fetchone()[0])
            db.backup(copy, pages=PAGES_AT_ONCE, progress=copied_pages)
        finally:
            db.execute("COMMIT")
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, no -wal beside it
        if not checked:
            return
        copy.set_progress_handler(workspace.background.pause, CHECK_STEPS)
        verdict = str(copy.execute("PRAGMA integrity_check(1)").fetchone()[0])
        copied = copy.execute("SELECT count(*) FROM events").fetchone()[0]
    if verdict != "ok" or copied != events:
        raise StoreError(
            "the backup {target} would not be whole ({verdict}; {copied} of {events} events), so it was not "
            "kept; run python -m core doctor on the workspace",
            target=target,
            verdict=verdict,
            copied=copied,
            events=events,
        )


def restore(
    workspace: Workspace, source: Path, may_hold: Callable[[Path], bool] = lambda folder: True
) -> Path:
    """Replace the workspace's file by the backup ``source``; returns the path of the old file.

    Access tokens of the API and webhooks are not brought back: new ones are made in Settings.

    Args:
        may_hold: whether a run of the backup may have its model in this folder; where others can open the
            app, a backup must not make it read a folder that its sender chose. A folder of a run that is
            here already is allowed.

    Raises:
        NotAWorkspace, WorkspaceTooNew: ``source`` is damaged, not ours or too new, or a run's model lies
            where it may not; nothing changed.
    """
    source = source.expanduser().resolve()
    beside = workspace.file.with_name("restore.part")
    stamp = datetime.now(timezone.utc).strftime("%Y%m%d-%H%M%S-%f")
    kept = workspace.file.with_name(f"before-restore-{stamp}.sqlite")
    try:
        _checked_copy(source, beside)
        _check_run_folders(workspace, beside, source, may_hold)
        # Through the backup API: a plain file copy would miss what is still in the -wal.
        backup(workspace, kept)
        _go_on_with_audit(workspace, beside, source)
        sync_file(beside)
        with workspace.replaced_file():
            for suffix in ("-wal", "-shm"):
                workspace.file.with_name(workspace.file.name + suffix).unlink(missing_ok=True)
            os.replace(beside, workspace.file)
            sync_names(workspace.file.parent)
    finally:
        beside.unlink(missing_ok=True)
    return kept


def _go_on_with_audit(workspace: Workspace, beside: Path, source: Path) -> None:
    """Bring the copy to the present schema, and add what the log has here, and that it was restored."""
    with named_errors(source), workspace.reading() as present, closing(connect(beside)) as copy:
        migrate(copy)
        copy.execute("BEGIN IMMEDIATE")
        audit.add_missing(present, copy)
        audit.record(copy, "backup.restored", file=source.name)
        copy.execute("COMMIT")
        copy.execute("PRAGMA journal_mode=DELETE")


def _check_run_folders(
    workspace: Workspace, copy: Path, source: Path, may_hold: Callable[[Path], bool]
) -> None:
    with workspace.reading() as db:
        known = {row["folder"] for row in db.execute("SELECT folder FROM runs")}
    with named_errors(source), closing(sqlite3.connect(copy)) as restored:
        for name, folder in restored.execute("SELECT name, folder FROM runs ORDER BY name"):
            if folder not in known and not may_hold(workspace.folder / folder):
                raise NotAWorkspace(
                    "{source}: its run {run} has its model outside the workspace; whoever runs LatticeLens "
                    "can allow that folder with --allow-path",
                    source=source,
                    run=repr(name),
                )


def _checked_copy(source: Path, target: Path) -> None:
    """Copy ``source``, possibly on a read-only disk, after checking that it is a complete workspace."""
    if not source.is_file():
        raise NotAWorkspace("there is no file {source}; choose a backup made by LatticeLens", source=source)
    target.unlink(missing_ok=True)
    with named_errors(source), closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True)) as db:
        check_is_ours(db, source)
        if db.execute("PRAGMA application_id").fetchone()[0] != schema.APPLICATION_ID:
            raise NotAWorkspace("{source} is empty; choose a backup made by LatticeLens", source=source)
        # SQL of others would run in the workspace at every save.
        code = {
            row[0] for row in db.execute("SELECT sql FROM sqlite_schema WHERE type IN ('trigger', 'view')")
        }
        if not code <= schema.TRIGGERS:
            raise NotAWorkspace(
                "{source} contains triggers or views that LatticeLens did not create; do not trust it",
                source=source,
            )
        with closing(connect(target)) as copy:
            db.backup(copy)
            # On the copy: on a read-only connection SQLite skips the CHECK constraints.
            verdict = copy.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if verdict != "ok":
                raise NotAWorkspace("{source} is damaged; choose another backup", source=source)
            copy.execute("PRAGMA journal_mode=DELETE")
            rows = damage.damaged_rows(copy)
            if rows:
                raise NotAWorkspace(
                    "{source} has damaged rows ({rows}); the first: {first}; choose another backup",
                    source=source,
                    rows=len(rows),
                    first=rows[0].message,
                )
            # Whoever made the file knows its tokens, and those revoked since would open doors again; its
            # webhooks would send what happens here to them.
            copy.execute("DELETE FROM api_tokens")
            copy.execute("DELETE FROM webhooks")

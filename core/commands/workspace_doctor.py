"""What ``doctor`` does with a workspace: say what is inconsistent in it, and mend it with ``--fix``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from core.commands.terminal.errors import CommandError
from core.commands.workspace_storage import opened
from core.jobs.dead_jobs import dead_jobs
from core.store.db import snapshots
from core.store.db.backup_folder import back_up_into
from core.store.db.errors import StoreError
from core.store.db.workspace import FILE_NAME, Workspace
from core.store.doctor.examination import examine, mend
from core.store.doctor.finding import Finding

KEPT = 3  # backups before a repair


def is_workspace(path: Path) -> bool:
    """Whether the folder holds a workspace."""
    return (path / FILE_NAME).is_file()


def holds_snapshots(path: Path) -> bool:
    """Whether the folder holds snapshots of a workspace whose file is elsewhere, as that of a Space does."""
    return not is_workspace(path) and path.is_dir() and bool(snapshots.snapshots_of(path))


def examined_snapshot(folder: Path) -> tuple[dict[str, Any], int]:
    """The report on the newest whole snapshot of a folder, and the exit status.

    Runs may lie elsewhere, so their folders are not looked for.

    Raises:
        CommandError: no snapshot is whole, or it cannot be opened.
    """
    try:
        with opened(folder, "doctor") as workspace:
            found = examine(workspace, folders=False)
    except (StoreError, OSError) as error:
        raise CommandError(str(error)) from error
    report: dict[str, Any] = {"workspace": str(folder), "healthy": not found}
    return (report | {"found": [_row(each) for each in found]}, 1) if found else (report, 0)


def examined(folder: Path, *, fix: bool) -> tuple[dict[str, Any], int]:
    """The report, and the exit status: 0 healthy or all mended, 1 something is wrong.

    Raises:
        CommandError: it cannot be opened, or a remedy failed and nothing was changed.
    """
    try:
        with Workspace.open(folder) as workspace:
            jobs = partial(dead_jobs, workspace.runs_folder)
            found = examine(workspace, [jobs])
            report: dict[str, Any] = {"workspace": str(workspace.folder), "healthy": not found}
            if not found:
                return report, 0
            if not fix or not any(finding.mend for finding in found):
                return {**report, "found": [_row(each) for each in found]}, 1
            kept = back_up_into(workspace, workspace.folder / "before-repair", KEPT, checked=False).path
            mended, left = mend(workspace, [jobs])
            report |= {"backup": str(kept), "mended": [_row(each) for each in mended]}
            return {**report, "left": [_row(each) for each in left]}, 1 if left else 0
    except (StoreError, OSError) as error:
        raise CommandError(str(error)) from error


def _row(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "where": finding.where,
        "what": finding.what,
        "remedy": finding.remedy,
        "fix": finding.mend is not None,
    }

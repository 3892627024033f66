"""Runs against their folders, and files that killed processes have left."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from core.store.db.workspace import Workspace
from core.store.doctor.finding import Finding

ASIDE = "lost-and-found"  # below the workspace: nothing of a person's is deleted
OLD_SECONDS = 3600.0  # a younger temporary file may be being written
_TEMPORARY = ("*.new", "*.part")


def runs_without_folders(workspace: Workspace, db: sqlite3.Connection) -> Iterator[Finding]:
    """Runs whose model is gone. They stay in the list as failed: the ledger and predictions name them."""
    rows = db.execute("SELECT name, folder FROM runs WHERE status NOT IN ('failed', 'cancelled')")
    for name, folder in rows.fetchall():
        if not (workspace.folder / folder).is_dir():
            yield Finding(
                "run without folder", f"run {name}", "its folder is not there",
                "mark it as failed, and let no project use it", _failing(name),
            )  # fmt: skip


def folders_without_runs(workspace: Workspace, db: sqlite3.Connection) -> Iterator[Finding]:
    """Trainings that no row names, and folders of none; other jobs (curves, searches) have no rows."""
    named = {str(name) for (name,) in db.execute("SELECT name FROM runs")}
    for path in sorted(workspace.runs_folder.iterdir()):
        if path.is_dir() and not path.is_symlink() and path.name not in named and _is_lost(path):
            yield Finding(
                "folder without run", f"runs/{path.name}", "no run of any project has this folder",
                f"move it to {ASIDE}", _aside(workspace, path),
            )  # fmt: skip


def leftovers(workspace: Workspace) -> Iterator[Finding]:
    """Temporary files of processes that were killed while writing."""
    for pattern in _TEMPORARY:
        for path in sorted(workspace.folder.rglob(pattern)):
            if path.is_file() and not path.is_symlink() and time.time() - path.stat().st_mtime > OLD_SECONDS:
                where = path.relative_to(workspace.folder).as_posix()
                yield Finding(
                    "leftover file", where, "was being written when its process ended", "delete it",
                    _unlinking(path),
                )  # fmt: skip


def _is_lost(folder: Path) -> bool:
    """Whether a row would name this folder: it is of a training, or was never begun."""
    try:
        request = json.loads((folder / "request.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return not any((folder / name).exists() for name in ("state.json", "trials", "points"))
    except (OSError, ValueError):
        return True
    return isinstance(request, dict) and request.get("kind") == "train"


def _failing(run: str) -> Callable[[sqlite3.Connection], None]:
    def mend(db: sqlite3.Connection) -> None:
        db.execute("UPDATE runs SET status = 'failed', finished = NULL WHERE name = ?", (run,))
        db.execute("UPDATE projects SET active_run = NULL WHERE active_run = ?", (run,))
        db.execute("UPDATE projects SET previous_run = NULL WHERE previous_run = ?", (run,))

    return mend


def _aside(workspace: Workspace, path: Path) -> Callable[[sqlite3.Connection], None]:
    def mend(db: sqlite3.Connection) -> None:
        shelf = workspace.folder / ASIDE
        shelf.mkdir(exist_ok=True)
        path.rename(shelf / f"{path.name}-{time.time_ns()}")

    return mend


def _unlinking(path: Path) -> Callable[[sqlite3.Connection], None]:
    def mend(db: sqlite3.Connection) -> None:
        path.unlink(missing_ok=True)

    return mend

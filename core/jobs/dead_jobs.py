"""Runs that say they are running although their process has died: what the app mends at its start."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from core.jobs.process import is_alive
from core.jobs.queue import LOST
from core.store.doctor.finding import Finding
from core.training.run.run_folder import RunFolder


def dead_jobs(runs_folder: Path) -> Iterator[Finding]:
    """Those of a workspace, by the state in their folders."""
    for file in sorted(runs_folder.glob("*/state.json")):
        folder = RunFolder(file.parent)
        state = folder.state()
        if state.status == "running" and not is_alive(state.pid, state.process):
            yield Finding(
                "dead job", f"runs/{folder.name}", "its process has ended without finishing",
                "mark it as interrupted; it can be resumed", _interrupting(folder),
            )  # fmt: skip


def _interrupting(folder: RunFolder) -> Callable[[sqlite3.Connection], None]:
    def mend(db: sqlite3.Connection) -> None:
        folder.set_state(status="interrupted", pid=None, process=None, remaining_seconds=None, message=LOST)
        db.execute("UPDATE runs SET status = 'interrupted' WHERE name = ?", (folder.name,))

    return mend

"""Opening the workspace that a command works on: its file, or the newest snapshot where there is no file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.commands.arguments.corpus_files import say
from core.commands.terminal.errors import CommandError
from core.store.db import snapshots
from core.store.db.workspace import FILE_NAME, Workspace

WRITING = ("import", "restore")


@contextmanager
def opened(folder: Path, action: str) -> Iterator[Workspace]:
    """The workspace in ``folder``.

    An app whose storage cannot hold the live file keeps that elsewhere, so there a command reads the newest
    snapshot and changes nothing.

    Raises:
        CommandError: there is none, or only snapshots, which the action would have to change.
        StoreError: it cannot be opened, or no snapshot is whole.
    """
    if not (folder / FILE_NAME).is_file() and folder.is_dir() and snapshots.snapshots_of(folder):
        if action in WRITING:
            raise CommandError(
                f"{folder} holds snapshots, which the app replaces with its own: do this on the pages Data "
                "and Settings of the app, or over its HTTP API"
            )
        with tempfile.TemporaryDirectory(prefix="latticelens-snapshot-") as copy:
            newest = snapshots.restore_newest(folder, Path(copy))
            say([f"reading {newest}: what was saved after it is not in it"])
            with Workspace.open(copy) as workspace:
                yield workspace
        return
    if action not in WRITING and not (folder / FILE_NAME).is_file():
        raise CommandError(f"there is no workspace in {folder}; name its folder with --workspace DIR")
    with Workspace.open(folder) as workspace:
        yield workspace

"""Snapshots of a workspace's file on storage that cannot hold the live one: a network disk, a bucket.

The live file is on the local disk. A snapshot is a copy by SQLite's online backup, made and checked on the
local disk and then put into the folder under a new name with a seal (`sealed`), so that one which a killed
process left half written is never restored.
"""

from __future__ import annotations

import logging
import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from core.corpus import sealed
from core.store.db.backup import copy_now
from core.store.db.clock import now
from core.store.db.errors import StoreError
from core.store.db.workspace import FILE_NAME, Workspace, named_errors

KEPT = 3  # of which the newest may be torn
_NAME = re.compile(r"snapshot-(\d{13,16})\.sqlite")

log = logging.getLogger("latticelens")


def snapshots_of(folder: Path) -> list[Path]:
    """The snapshots of a folder that have a seal, newest first.

    Raises:
        OSError: the folder cannot be read.
    """
    found = [path for path in folder.iterdir() if _NAME.fullmatch(path.name) and sealed.is_sealed(path)]
    return sorted(found, key=_number, reverse=True)


def take(workspace: Workspace, folder: Path, keep: int = KEPT) -> Path:
    """Put a snapshot into ``folder``, then remove all but the newest ``keep``.

    Raises:
        StoreError, OSError, DiskFullError: it cannot be made or written; the earlier ones stay.
    """
    copy = workspace.folder / "snapshot.part"
    try:
        copy_now(workspace, copy)
        newest = max((_number(path) for path in folder.iterdir() if _NAME.fullmatch(path.name)), default=0)
        # Names only grow, whatever the clock of this machine says.
        target = folder / f"snapshot-{max(now(), newest + 1)}.sqlite"
        try:
            sealed.put(copy, target)
        except BaseException:
            with suppress(OSError):
                sealed.remove(target)
            raise
    finally:
        copy.unlink(missing_ok=True)
    outdated = snapshots_of(folder)[keep:]
    torn = [path for path in folder.iterdir() if _NAME.fullmatch(path.name) and not sealed.is_sealed(path)]
    for path in (*outdated, *torn):
        sealed.remove(path)
    return target


def restore_newest(folder: Path, live: Path) -> Path | None:
    """Bring the newest whole snapshot of ``folder`` into the empty folder ``live``; None: there is none yet.

    A workspace that was used in ``folder`` itself is taken over, and its file renamed there.

    Raises:
        StoreError: there are snapshots and not one is whole: a new workspace would take their place.
    """
    file = live / FILE_NAME
    candidates = snapshots_of(folder)
    for path in candidates:
        if sealed.fetch(path, file):
            return path
        log.warning("the snapshot %s is not whole; trying the one before", path.name)
    if candidates:
        raise StoreError(
            "no snapshot in {folder} is whole; move them away and put a backup there under "
            "the name {name}, or choose another folder with --workspace",
            folder=folder,
            name=FILE_NAME,
        )
    return _taken_over(folder / FILE_NAME, file)


def _taken_over(former: Path, file: Path) -> Path | None:
    """The workspace that was used in the folder itself, copied through SQLite, as it may have a journal."""
    if not former.is_file():
        return None
    with (
        named_errors(former),
        closing(sqlite3.connect(former)) as read,
        closing(sqlite3.connect(file)) as written,
    ):
        read.backup(written)
    return former


def put_former_away(folder: Path) -> None:
    """Rename the file of a workspace that was used in the folder itself, once a snapshot has what it had."""
    former = folder / FILE_NAME
    with suppress(OSError):  # snapshots are taken before it, wherever it stays
        former.rename(folder / f"before-snapshots-{now()}.sqlite")


def _number(path: Path) -> int:
    matched = _NAME.fullmatch(path.name)
    assert matched is not None
    return int(matched[1])

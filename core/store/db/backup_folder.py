"""Backups in a folder, named by their time, of which the latest are kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from core.store.db.backup import backup
from core.store.db.clock import now
from core.store.db.workspace import Workspace

_NAME = re.compile(r"latticelens-\d{8}-\d{6}-\d{3}\.sqlite")


@dataclass(frozen=True, slots=True)
class KeptBackup:
    """A backup in the folder; ``at`` in UTC ms, by its name."""

    path: Path
    at: int
    bytes: int


def kept_backups(folder: Path) -> list[KeptBackup]:
    """The backups of a folder, newest first; none if it is not there or cannot be read."""
    try:
        files = [path for path in folder.iterdir() if _NAME.fullmatch(path.name)]
        found = [KeptBackup(path, _time_of(path.name), path.stat().st_size) for path in files]
    except OSError:
        return []
    return sorted(found, key=lambda each: each.at, reverse=True)


def back_up_into(workspace: Workspace, folder: Path, keep: int, *, checked: bool = True) -> KeptBackup:
    """Make a backup, then delete the oldest beyond ``keep``; other files of the folder stay.

    Raises:
        StoreError: as ``backup``; then nothing is deleted.
    """
    at = now()
    moment = datetime.fromtimestamp(at / 1000, timezone.utc)
    path = backup(
        workspace, folder / f"latticelens-{moment:%Y%m%d-%H%M%S}-{at % 1000:03d}.sqlite", checked=checked
    )
    for old in kept_backups(path.parent)[keep:]:
        if old.path != path:
            old.path.unlink(missing_ok=True)
    return KeptBackup(path, at, path.stat().st_size)


def _time_of(name: str) -> int:
    stamp = name.removeprefix("latticelens-").removesuffix(".sqlite")
    moment = datetime.strptime(stamp[:15], "%Y%m%d-%H%M%S").replace(tzinfo=timezone.utc)
    return round(moment.timestamp()) * 1000 + int(stamp[16:])

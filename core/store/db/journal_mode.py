"""Which journal SQLite may use on a folder: WAL needs a real local disk."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from core.store.db.errors import StoreError

# Shared memory, which WAL needs, does not work across these; several have no file locks either.
REMOTE = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "davfs")
)


def is_local_disk(folder: Path, mounts: Path = Path("/proc/self/mounts")) -> bool:
    """Whether ``folder`` lies on a disk of this machine (True where the system does not tell).

    FUSE mounts count as remote: bucket mounts are FUSE, and lose locks.
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return not str(folder.resolve()).startswith("\\\\")
    target, kind, longest = folder.resolve(), "", -1
    for line in lines:
        fields = line.split()
        if len(fields) < 3:
            continue
        point = Path(fields[1].replace("\\040", " "))
        # Later mounts cover earlier ones on the same point, so equal lengths replace.
        if (target == point or point in target.parents) and len(point.parts) >= longest:
            kind, longest = fields[2], len(point.parts)
    return kind not in REMOTE and not kind.startswith("fuse")


def set_journal(connection: sqlite3.Connection, folder: Path) -> bool:
    """Choose the journal; returns whether the workspace is on storage that keeps (WAL works there).

    ``LATTICELENS_JOURNAL=wal`` or ``delete`` overrides the choice.

    Raises:
        StoreError: the variable holds something else.
    """
    forced = os.environ.get("LATTICELENS_JOURNAL", "").strip().lower()
    if forced not in ("", "wal", "delete"):
        raise StoreError(
            "LATTICELENS_JOURNAL is {forced}; set it to 'wal' or 'delete', or unset it", forced=repr(forced)
        )
    local = is_local_disk(folder)
    wanted = forced or ("wal" if local else "delete")
    got = connection.execute(f"PRAGMA journal_mode={wanted}").fetchone()[0]
    if got != wanted:
        connection.execute("PRAGMA journal_mode=delete")
    # FULL: an acknowledged edit survives a power cut, which WAL with NORMAL does not promise.
    connection.execute("PRAGMA synchronous=FULL")
    return local and got == wanted

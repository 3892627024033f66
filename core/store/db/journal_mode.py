"""Choose SQLite's journal mode for a folder: WAL needs a local disk."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from typing import Literal, get_args

from core.store.db.errors import StoreError

CHECKPOINT_PAGES = 8_000  # 32 MB
PATIENCE_SECONDS = 10.0  # for another program that is changing the mode
# WAL needs shared memory, which these lack; several have no file locks either.
REMOTE = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "davfs")
)
# Drivers of disks of this machine that only happen to run as programs.
LOCAL_FUSE = frozenset(("fuseblk", "fuse-overlayfs", "fuse.fuse-overlayfs"))
Storage = Literal["disk", "network", "bucket"]
STORAGES: tuple[Storage, ...] = get_args(Storage)


def storage_of(folder: Path, mounts: Path = Path("/proc/self/mounts")) -> Storage:
    """What ``folder`` is on: a local disk, a network disk, or a bucket.

    A bucket is whatever is mounted through FUSE: such mounts keep no locks, and many can neither append to a
    file nor rename it. Where the system does not say, it is a disk.
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return "network" if str(folder.resolve()).startswith("\\\\") else "disk"
    target, kind, longest = folder.resolve(), "", -1
    for line in lines:
        fields = line.split()
        if len(fields) < 3:
            continue
        point = Path(fields[1].replace("\\040", " "))
        # A later mount on the same point covers the earlier one.
        if (target == point or point in target.parents) and len(point.parts) >= longest:
            kind, longest = fields[2], len(point.parts)
    if kind in REMOTE:
        return "network"
    return "bucket" if kind.startswith("fuse") and kind not in LOCAL_FUSE else "disk"


def is_local_disk(folder: Path, mounts: Path = Path("/proc/self/mounts")) -> bool:
    """Whether ``folder`` is on a local disk; True where the system does not say."""
    return storage_of(folder, mounts) == "disk"


def set_journal(connection: sqlite3.Connection, folder: Path) -> None:
    """Set the journal mode: WAL on a local disk where it works, else a rollback journal.

    ``LATTICELENS_JOURNAL=wal`` or ``delete`` overrides the choice.

    Raises:
        StoreError: the variable has another value.
    """
    forced = os.environ.get("LATTICELENS_JOURNAL", "").strip().lower()
    if forced not in ("", "wal", "delete"):
        raise StoreError(
            "LATTICELENS_JOURNAL is {forced}; set it to 'wal' or 'delete', or unset it", forced=repr(forced)
        )
    wanted = forced or ("wal" if is_local_disk(folder) else "delete")
    if _changed(connection, wanted) != wanted:
        connection.execute("PRAGMA journal_mode=delete")
    # FULL: an acknowledged edit survives a power cut, which WAL with NORMAL does not promise.
    connection.execute("PRAGMA synchronous=FULL")
    # An import writes the same pages again and again: the later they are copied from the -wal, the fewer.
    connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")


def _changed(connection: sqlite3.Connection, wanted: str) -> str:
    """The journal mode after asking for one. SQLite waits for no lock here: of two programs that open a fresh
    workspace at once, one asks again."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return str(connection.execute(f"PRAGMA journal_mode={wanted}").fetchone()[0])
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
        time.sleep(0.05)

"""Files with a seal beside them, for storage that can tear a file: length and SHA-256, written last.

A bucket mount may upload a file in parts, rename by copying, or lose the last writes of a process that was
killed. A file counts only once its seal is there and fits what can be read.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from core.corpus.atomic import full_disk_as_error

ENDING = ".seal"
BLOCK = 1 << 20  # bytes read at once


def put(source: Path, target: Path) -> None:
    """Copy ``source`` to the new name ``target``, then seal it.

    Raises:
        OSError: it cannot be written. DiskFullError: there is no room. Then there is no seal.
    """
    with full_disk_as_error(target):
        with source.open("rb") as read, target.open("xb") as written:
            size, digest = _copied(read, written)
            _sync(written)
        with _seal(target).open("xb") as seal:
            seal.write(json.dumps({"bytes": size, "sha256": digest}).encode())
            _sync(seal)


def fetch(source: Path, target: Path) -> bool:
    """Copy ``source`` to ``target`` if it is what was sealed; else ``target`` is not there."""
    try:
        sealed = json.loads(_seal(source).read_bytes())
        with source.open("rb") as read, target.open("wb") as written:
            size, digest = _copied(read, written)
        if sealed == {"bytes": size, "sha256": digest}:
            return True
    except (OSError, ValueError, RecursionError):
        pass
    target.unlink(missing_ok=True)
    return False


def is_sealed(path: Path) -> bool:
    """Whether there is a seal, which says nothing of whether it fits."""
    return _seal(path).is_file()


def remove(path: Path) -> None:
    """Remove a file and its seal, the seal first."""
    _seal(path).unlink(missing_ok=True)
    path.unlink(missing_ok=True)


def _copied(read: BinaryIO, written: BinaryIO) -> tuple[int, str]:
    size, digest = 0, hashlib.sha256()
    while block := read.read(BLOCK):
        written.write(block)
        digest.update(block)
        size += len(block)
    return size, digest.hexdigest()


def _sync(file: BinaryIO) -> None:
    file.flush()
    with suppress(OSError):  # some mounts know no sync; a torn file has no seal that fits
        os.fsync(file.fileno())


def _seal(path: Path) -> Path:
    return path.with_name(path.name + ENDING)

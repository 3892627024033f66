"""Errors of documents on disk."""

from __future__ import annotations

import errno
from pathlib import Path

from core.runtime.message import Told, ToldValueError


class CorpusError(ToldValueError):
    """A snapshot or a file of documents is missing, incomplete or damaged; names the file and the line."""


class DiskFullError(Told, OSError):
    """There was no room for a file; the version written before is untouched."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            "the disk is full: {name} could not be written to {folder}; what was saved before is unchanged. "
            "Free some space, then try again or resume the run",
            name=path.name,
            folder=path.parent,
        )
        self.errno, self.strerror = errno.ENOSPC, "No space left on device"
        self.filename = str(path)

"""Errors of documents on disk."""

from __future__ import annotations

import errno
from pathlib import Path


class CorpusError(ValueError):
    """A snapshot or a file of documents is missing, incomplete or damaged; names the file and the line."""


class DiskFullError(OSError):
    """There was no room for a file; the version written before is untouched."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.ENOSPC, "No space left on device", str(path))

    def __str__(self) -> str:
        path = Path(str(self.filename))
        return (
            f"the disk is full: {path.name} could not be written to {path.parent}; what was saved before is "
            "unchanged. Free some space, then try again or resume the run"
        )

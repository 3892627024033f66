"""How much of the disk a folder takes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

READ_EVERY = 10.0  # seconds; a workspace with many runs has thousands of files


class DiskUse:
    """The bytes of a folder's files, read at most every ``READ_EVERY`` seconds; thread-safe.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._folder, self._clock = folder, clock
        self._size, self._until = 0, -1.0
        self._lock = threading.Lock()

    def size(self) -> int:
        """In bytes, links apart."""
        with self._lock:
            if self._clock() >= self._until:
                self._size = _size_of(self._folder)
                self._until = self._clock() + READ_EVERY
            return self._size


def _size_of(folder: Path) -> int:
    total, folders = 0, [str(folder)]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        total += entry.stat(follow_symlinks=False).st_size
        except FileNotFoundError:  # deleted meanwhile
            continue
    return total

"""A mark that other processes see while somebody waits to write, so that long work can give way to them.

SQLite tells nobody that others wait, and they miss the moment between two transactions: they look again after
up to a tenth of a second. The mark is a shared lock on an empty file beside the database; the system takes it
from a process that dies. Where files cannot be locked, on Windows and on some network disks, nobody is seen.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

REST_SECONDS = 0.3  # a queue of people; SQLite looks again whether a file is free after up to a third of that


class WaitingMark:
    """The mark of those who wait to write to a database.

    Args:
        file: the database.
    """

    def __init__(self, file: Path) -> None:
        self._file = file.with_name(f"{file.name}-waiting")

    @contextmanager
    def up(self) -> Iterator[None]:
        """Others see it during the block."""
        held = None
        if sys.platform != "win32":
            with suppress(OSError):
                held = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o666)
                fcntl.flock(held, fcntl.LOCK_SH)
        try:
            yield
        finally:
            if held is not None:
                os.close(held)

    @property
    def is_up(self) -> bool:
        """Whether somebody waits. Only for whoever writes at the moment: it shows one's own mark, too."""
        if sys.platform == "win32":
            return False
        try:
            looking = os.open(self._file, os.O_RDWR)
        except OSError:
            return False  # nobody has ever waited
        try:
            fcntl.flock(looking, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        finally:
            os.close(looking)
        return False

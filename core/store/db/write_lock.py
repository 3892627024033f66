"""The lock before the writer connection: it knows who waits, so that long work can give way."""

from __future__ import annotations

import threading
import time
from types import TracebackType

WAY_SECONDS = 0.1  # that long work gives way at most, so that it ends however many save


class WriteLock:
    """A reentrant lock of this process's threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._counting = threading.Lock()
        self._waiting = 0

    @property
    def is_waited_for(self) -> bool:
        """Whether a thread waits for it, so that a long transaction should end."""
        return self._waiting > 0

    def give_way(self) -> None:
        """Let those in who wait: a lock that is given up and taken again at once would keep them out."""
        until = time.monotonic() + WAY_SECONDS
        while self.is_waited_for and time.monotonic() < until:
            time.sleep(0.001)

    def __enter__(self) -> None:
        if self._lock.acquire(blocking=False):
            return
        self._count(1)
        try:
            self._lock.acquire()
        finally:
            self._count(-1)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def _count(self, change: int) -> None:
        with self._counting:
            self._waiting += change

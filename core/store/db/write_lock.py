"""The lock before the writer connection: it knows who waits, so that long work can give way."""

from __future__ import annotations

import threading
from types import TracebackType


class WriteLock:
    """A reentrant lock of this process's threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._owner: int | None = None  # read and set by whoever holds the lock, so one's own is always right
        self._depth = 0
        self._changed = threading.Condition()
        self._waiting: set[object] = set()

    @property
    def is_waited_for(self) -> bool:
        """Whether a thread waits for it, so that a long transaction should end."""
        return bool(self._waiting)

    def give_way(self) -> None:
        """Let those in who wait now: a lock that is given up and taken again at once would keep them out.

        Those who come later are not waited for, so that long work ends however many save. Nobody can come in
        before a thread that still holds the lock, so it goes on at once.
        """
        if self._owner == threading.get_ident():
            return
        with self._changed:
            first = set(self._waiting)
            self._changed.wait_for(lambda: not first & self._waiting)

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            self._wait()
        self._owner = threading.get_ident()
        self._depth += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if not self._depth:
            self._owner = None
        self._lock.release()

    def _wait(self) -> None:
        turn = object()
        with self._changed:
            self._waiting.add(turn)
        try:
            self._lock.acquire()
        finally:
            with self._changed:
                self._waiting.remove(turn)
                self._changed.notify_all()

"""Calls that answer one question anew: one after the other, and of those that wait only the last."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import count
from typing import TypeVar

Answer = TypeVar("Answer")


class Latest:
    """Makes such calls; thread-safe.

    Two at once could end in either order, and the answer to the earlier question would then stand.
    """

    def __init__(self) -> None:
        self._working = threading.Lock()
        self._numbers = count(1)
        self._asked = 0

    def call(self, work: Callable[[], Answer]) -> Answer | None:
        """What ``work`` answers, or None, without calling it, if there was a later call while this waited."""
        mine = self._asked = next(self._numbers)
        with self._working:
            return work() if self._asked == mine else None

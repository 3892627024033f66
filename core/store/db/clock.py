"""The store's time: milliseconds since 1970 in UTC."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

DAY = 86_400_000  # ms

_fixed: ContextVar[int | None] = ContextVar("fixed", default=None)


def now() -> int:
    """Milliseconds since 1970 in UTC."""
    at = _fixed.get()
    return time.time_ns() // 1_000_000 if at is None else at


@contextmanager
def fixed(at: int) -> Iterator[None]:
    """Let ``now`` be ``at`` in this thread, for what is recorded later, such as the demo's history."""
    token = _fixed.set(at)
    try:
        yield
    finally:
        _fixed.reset(token)

"""Turns Ctrl-C and SIGTERM into a flag that long work checks between its steps."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def stop_on_signals() -> Iterator[Callable[[], bool]]:
    """Ctrl-C and SIGTERM stop after the current step; a second one stops immediately."""
    received: list[int] = []

    def on_signal(number: int, frame: FrameType | None) -> None:
        if received:
            raise KeyboardInterrupt
        received.append(number)

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(received)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

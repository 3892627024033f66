"""One line of progress on stderr."""

from __future__ import annotations

import sys
import time

PLAIN_EVERY = 5.0  # seconds between lines where stderr is a file or a pipe


class ProgressLine:
    """A line that is rewritten on a terminal, and repeated now and then elsewhere."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._width = 0
        self._shown = time.monotonic()  # so that quick work prints nothing

    def show(self, text: str, fraction: float, remaining_seconds: float | None) -> None:
        """Show the current step, the progress and the time left."""
        left = "" if remaining_seconds is None else f", {duration(remaining_seconds)} left"
        line = f"{text}: {100 * fraction:.0f}%{left}"
        if self._terminal:
            sys.stderr.write("\r" + line.ljust(self._width))
            sys.stderr.flush()
            self._width = len(line)
        elif time.monotonic() - self._shown >= PLAIN_EVERY:
            print(line, file=sys.stderr, flush=True)
            self._shown = time.monotonic()

    def say(self, text: str) -> None:
        """Print a permanent line."""
        self.clear()
        print(text, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Erase the line."""
        if self._terminal and self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
            self._width = 0


def duration(seconds: float) -> str:
    """``42 s``, ``3:05 min`` or ``2:10 h``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02d} h"

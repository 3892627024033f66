"""Work that takes minutes, in a thread of its own: its rows as they come, a bar, and a stop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

Row = dict[str, Any]
Tell = Callable[[str, float], None]


class Stopped(Exception):
    """Somebody asked the work to stop."""


class BackgroundWork:
    """A thread that makes rows; any other thread may look at it or stop it.

    Args:
        make: is given a function to tell what is being done and which share of all is done, and gives rows
            as they come. Telling raises `Stopped` once somebody asked for it.

    Attributes:
        rows: those made so far. doing, fraction: what was told last. error: what ended it early, or None.
    """

    def __init__(self, make: Callable[[Tell], Iterator[Row]]) -> None:
        self.rows: list[Row] = []
        self.doing, self.fraction = "", 0.0
        self.error: Exception | None = None
        self._make = make
        self._asked = threading.Event()
        self._changed = threading.Condition()
        self._version = 0
        self._thread = threading.Thread(target=self._run, name="background-work", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Ask it to end after the step it is in; the rows that came stay."""
        self._asked.set()

    @property
    def running(self) -> bool:
        """Whether it has been started and has not ended."""
        return self._thread.is_alive()

    @property
    def stopped(self) -> bool:
        """Whether somebody asked it to stop."""
        return self._asked.is_set()

    def changes(self, seconds: float = 0.5) -> Iterator[None]:
        """Once whenever something changed, and once when it has ended; looks this often."""
        seen = -1
        while self.running:
            with self._changed:
                if self._version == seen:
                    self._changed.wait(seconds)
                changed, seen = self._version != seen, self._version
            if changed:
                yield
        yield

    def _run(self) -> None:
        try:
            for row in self._make(self._tell):
                self.rows.append(row)
                self._note()
                if self._asked.is_set():
                    break
        except Stopped:
            pass
        except Exception as error:  # the thread's end; whoever looks at the work is told
            self.error = error
        finally:
            self._note()

    def _tell(self, doing: str, fraction: float) -> None:
        if self._asked.is_set():
            raise Stopped
        self.doing, self.fraction = doing, fraction
        self._note()

    def _note(self) -> None:
        with self._changed:
            self._version += 1
            self._changed.notify_all()

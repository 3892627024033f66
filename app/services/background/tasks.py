"""Background tasks with progress and cancellation, looked up by key."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import CancelledError, Executor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from app.i18n import Language, Message
from app.services.errors import AppError, sentence
from app.services.limits.turns import patient
from core.store.db.background import Background

SETTLED = 2.0  # seconds; the first steps are slow, for they load what the others use
THREADS = 8  # per workbench; further tasks are queued
MOST_KEPT = 64  # ended tasks, whose results stay in memory

Row = dict[str, Any]
Progress = Callable[[str, float], None]
Result = TypeVar("Result")
log = logging.getLogger("latticelens")


class Stopped(Exception):
    """Raised in a task that was asked to stop."""


class Task(Generic[Result]):
    """A background task; thread-safe.

    Args:
        work: the function; its calls of ``progress`` and ``add`` raise `Stopped` after ``stop``.
        kind: distinguishes tasks of one key. number: 1, 2, … within its key.

    Attributes:
        doing, fraction: the last reported step and fraction done. done, total: units, 0 where it counts none.
        rows: partial results. result: the final one.
        error: the exception that ended it, or None. seconds: elapsed.
    """

    def __init__(
        self,
        work: Callable[[Task[Result]], Result],
        kind: str = "",
        number: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.kind, self.number = kind, number
        self.doing, self.fraction = "", 0.0
        self.done, self.total = 0, 0
        self._counted_from = 0.0, 0  # seconds and units, when the present units began to be counted
        self.rows: list[Row] = []
        self.result: Result | None = None
        self.error: Exception | None = None
        self._work, self._clock = work, clock
        self._asked, self._ended = threading.Event(), threading.Event()
        self._finished = False
        self._changed = threading.Condition()
        self._version = 0
        self._when_stopped: Callable[[], object] = lambda: None
        self._began: float | None = None
        self._took: float | None = None

    @property
    def running(self) -> bool:
        """Whether it is running or queued."""
        return not self._ended.is_set()

    @property
    def stopped(self) -> bool:
        """Whether it was stopped before it finished."""
        return self._asked.is_set() and not self._finished

    @property
    def seconds(self) -> float:
        if self._took is not None or self._began is None:
            return self._took or 0.0
        return self._clock() - self._began

    @property
    def remaining(self) -> float | None:
        """Seconds left, by the speed so far; None before there is one."""
        seconds = self.seconds
        if not self.running or self.fraction <= 0 or seconds < SETTLED:
            return None
        return seconds * (1 - min(1.0, self.fraction)) / self.fraction

    @property
    def rate(self) -> float | None:
        """Units a second since they are counted; None before there are any, and where it counts none."""
        began, before = self._counted_from
        seconds, units = self.seconds - began, self.done - before
        return units / seconds if units > 0 and seconds >= SETTLED else None

    def stop(self) -> None:
        """Ask it to end after the current step; rows are kept."""
        self._asked.set()
        self._when_stopped()
        self._note()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until it has ended; False on timeout."""
        return self._ended.wait(seconds)

    def changes(self, seconds: float = 0.5) -> Iterator[None]:
        """Yields after every change, and once after the end; polls at this interval."""
        seen = -1
        while self.running:
            with self._changed:
                if self._version == seen:
                    self._changed.wait(seconds)
                changed, seen = self._version != seen, self._version
            if changed:
                yield
        yield

    def state(self, language: Language) -> Row:
        """The state for a widget; ``error`` is a sentence or empty."""
        running = self.running  # read first, so that a task ending in between counts as running once more
        return {
            "number": self.number,
            "kind": self.kind,
            "running": running,
            "doing": self.doing,
            "fraction": self.fraction,
            "stopped": self.stopped,
            "error": "" if running or self.error is None else sentence(self.error, language),
        }

    # For the work itself.

    def progress(self, doing: str, fraction: float) -> None:
        """Report the current step and the fraction done.

        Raises:
            Stopped: somebody asked it to stop.
        """
        self.pause()
        self.doing, self.fraction = doing, fraction
        self._note()

    def count(self, doing: str, done: int, total: int, fraction: float | None = None) -> None:
        """Report the current step and how many of ``total`` units are done.

        Args:
            fraction: done, where the units are of very different sizes.

        Raises:
            Stopped: somebody asked it to stop.
        """
        if self.total and (total != self.total or done < self.done):  # other units from here on
            self._counted_from = self.seconds, done
        self.done, self.total = done, total
        self.progress(doing, done / max(1, total) if fraction is None else fraction)

    def add(self, row: Row) -> None:
        """Add a row to the result. Raises:
        Stopped: after ``stop``; the row is kept.
        """
        self.rows.append(row)
        self._note()
        self.pause()

    def pause(self, seconds: float = 0.0) -> None:
        """Sleep. Raises:
        Stopped: somebody asked it to stop.
        """
        if self._asked.wait(seconds):
            raise Stopped

    def when_stopped(self, call: Callable[[], object]) -> None:
        """Register ``call`` to interrupt work that cannot poll for a stop."""
        self._when_stopped = call
        if self._asked.is_set():
            call()

    def run(self) -> None:
        """Do the work; it never raises."""
        self._began = self._clock()
        try:
            self.pause()
            self.result = self._work(self)
            self._finished = True
        except (Stopped, CancelledError):
            self._asked.set()
        except Exception as error:  # reported in the task's state
            self.error = error
            if not isinstance(error, AppError):
                log.warning("%s ended early", self.kind or "a task", exc_info=error)
        finally:
            self._took = self._clock() - self._began

    def end(self) -> None:
        """Mark it as ended, or as never started."""
        if not self._finished and self.error is None:
            self._asked.set()
        self._ended.set()
        self._note()

    def _note(self) -> None:
        with self._changed:
            self._version += 1
            self._changed.notify_all()


@dataclass(frozen=True)
class Work:
    """A task that a person waits for; see `services.background.work`.

    Args:
        id: unique in its session. project: whose documents it is about.
        doing, done: what goes on and what it comes to, as "exporting documents", "documents exported".
    """

    id: int
    task: Task[Any]
    project: int
    doing: Message
    done: Message


def _patiently(task: Task[Any]) -> None:
    patient.set(True)  # its thread is none of the server's
    task.run()


class Tasks:
    """The tasks of a workbench: one at a time per key, the latest of each is kept; of those that have ended,
    the ``MOST_KEPT`` that were started last.

    Args:
        executor: default: ``THREADS`` threads. clock: seconds.

    Attributes:
        results: the last results of `ProjectTask`, by name and project.
    """

    def __init__(self, executor: Executor | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.results: dict[tuple[str, int], Any] = {}
        self._background = Background("tasks", THREADS, executor)
        self._clock = clock
        self._latest: dict[Hashable, Task[Any]] = {}
        self._running: set[Task[Any]] = set()
        self._lock = threading.RLock()

    def latest(self, key: Hashable) -> Task[Any] | None:
        """The latest task of this key, running or ended."""
        return self._latest.get(key)

    def start(
        self,
        key: Hashable | None,
        work: Callable[[Task[Result]], Result],
        kind: str = "",
        *,
        busy: Message | None = None,
    ) -> Task[Result]:
        """Start a task. While another of this key is running it is queued, replacing one that is queued
        already.

        Args:
            key: None for an independent task that cannot be looked up.
            kind: for `Task.kind`.
            busy: error message to refuse the task while another is running.

        Raises:
            AppError: ``busy`` was given, and another is running.
        """
        with self._lock:
            before = self._latest.get(key)
            if busy is not None and before is not None and before.running:
                raise AppError(busy)
            task = Task(work, kind, before.number + 1 if before else 1, self._clock)
            if key is not None:
                self._latest.pop(key, None)  # so that it moves to the end
                self._latest[key] = task
                self._forget_oldest()
            self._running.add(task)
            # In the context of the asker: what the work records is theirs.
            work_of_asker = partial(copy_context().run, _patiently, task)
            future = self._background.ask(task if key is None else key, work_of_asker)
        future.add_done_callback(lambda _: self._end(task))
        return task

    def close(self, timeout: float | None = 30.0) -> bool:
        """Stop all tasks and wait; False if they do not end within ``timeout`` seconds."""
        with self._lock:
            running = list(self._running)
        for task in running:
            task.stop()
        return self._background.close(timeout)

    def _forget_oldest(self) -> None:
        ended = [key for key, task in self._latest.items() if not task.running]
        for key in ended[:-MOST_KEPT]:
            del self._latest[key]

    def _end(self, task: Task[Any]) -> None:
        with self._lock:
            self._running.discard(task)
        task.end()

"""Calls in background threads: one at a time for each key, and the newest of those asked for meanwhile."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Executor, Future
from concurrent.futures import wait as wait_for
from functools import partial
from typing import Any, TypeVar

Result = TypeVar("Result")
log = logging.getLogger("latticelens")


class DaemonThreads(Executor):
    """At most ``most`` threads, started when needed, that never keep the process alive.

    A `ThreadPoolExecutor` is joined when the interpreter ends, however long its calls take.
    """

    def __init__(self, name: str, most: int) -> None:
        self._name, self._most, self._started = name, most, 0
        self._calls: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        future: Future[Result] = Future()
        with self._lock:
            self._calls.append(partial(_run, future, partial(fn, *args, **kwargs)))
            begins = self._started < self._most
            self._started += begins
        if begins:
            threading.Thread(target=self._work, name=self._name, daemon=True).start()
        return future

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._calls:
                    self._started -= 1
                    return
                call = self._calls.popleft()
            call()


class Background:
    """Calls by key: one of each key runs; while it does, only the newest request of that key waits.

    Args:
        name: of the threads, and in the log.
        threads: how many there are at most.
        executor: where calls run instead of in threads of its own.
    """

    def __init__(self, name: str, threads: int = 2, executor: Executor | None = None) -> None:
        self._name = name
        self._closing = threading.Event()
        self._executor = executor or DaemonThreads(name, threads)
        self._running: dict[Hashable, Future[Any]] = {}
        self._waiting: dict[Hashable, tuple[Future[Any], Callable[[], Any]]] = {}
        self._lock = threading.Lock()

    def ask(self, key: Hashable, call: Callable[[], Result]) -> Future[Result]:
        """Run ``call`` in the background, after the one of this key that runs now.

        One that has not begun yet is cancelled: the newer call takes its place. After ``close`` nothing runs,
        and the future is cancelled.
        """
        future: Future[Result] = Future()
        with self._lock:
            closed, running = self._closing.is_set(), self._running.get(key)
            replaced = self._waiting.pop(key, None)
            if running is not None and not closed:
                self._waiting[key] = (future, call)
            elif not closed:
                self._running[key] = future
        # Outside the lock: what waits for a future may ask again.
        for outdated in (running, replaced and replaced[0], future if closed else None):
            if outdated is not None:
                outdated.cancel()
        if running is None and not closed:
            self._executor.submit(self._run, key, future, call)
        return future

    def pause(self, seconds: float = 0.0) -> None:
        """What a long call does between two steps, so that ``close`` need not wait for its end.

        Raises:
            CancelledError: ``close`` was called.
        """
        if self._closing.wait(seconds):
            raise CancelledError

    def finish(self, key: Hashable, timeout: float | None = None) -> bool:
        """Wait until nothing of this key runs or waits; whether that came about in ``timeout`` seconds."""
        with self._lock:
            newest = self._waiting[key][0] if key in self._waiting else self._running.get(key)
        return newest is None or not wait_for([newest], timeout).not_done

    def close(self, timeout: float | None = 30.0) -> bool:
        """Cancel what waits and tell what runs to end; whether it did within ``timeout`` seconds."""
        self._closing.set()
        with self._lock:
            futures = [*self._running.values(), *(future for future, _ in self._waiting.values())]
            self._waiting.clear()
        return not wait_for([future for future in futures if not future.cancel()], timeout).not_done

    def _run(self, key: Hashable, future: Future[Any], call: Callable[[], Any]) -> None:
        _run(future, call)
        error = None if future.cancelled() else future.exception()
        if error is not None and not isinstance(error, CancelledError):
            log.error("%s: %s failed", self._name, key, exc_info=error)
        with self._lock:
            following = self._waiting.pop(key, None)
            if following is not None:
                self._running[key] = following[0]
            else:
                del self._running[key]
        if following is not None:
            self._executor.submit(self._run, key, *following)


def _run(future: Future[Result], call: Callable[[], Result]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call()
    except BaseException as error:  # whoever holds the future is told; the thread goes on
        future.set_exception(error)
    else:
        future.set_result(result)

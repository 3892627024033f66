"""Background calls by key: one runs at a time per key, and only the newest pending one is kept."""

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
    """Runs one call per key at a time; of the calls requested meanwhile only the newest is queued.

    Args:
        name: thread name, also used in the log.
        threads: maximum number of threads.
        executor: runs the calls instead of own threads.
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

        It replaces a pending call of this key, which is cancelled. After ``close`` the future is cancelled.
        """
        future: Future[Result] = Future()
        with self._lock:
            closed, running = self._closing.is_set(), self._running.get(key)
            replaced = self._waiting.pop(key, None)
            if running is not None and not closed:
                self._waiting[key] = (future, call)
            elif not closed:
                self._running[key] = future
        # Outside the lock: a callback of the future may call `ask`.
        for outdated in (running, replaced and replaced[0], future if closed else None):
            if outdated is not None:
                outdated.cancel()
        if running is None and not closed:
            self._executor.submit(self._run, key, future, call)
        return future

    def pause(self, seconds: float = 0.0) -> None:
        """Checkpoint for long calls, so that ``close`` need not wait for them to end.

        Raises:
            CancelledError: ``close`` was called.
        """
        if self._closing.wait(seconds):
            raise CancelledError

    def finish(self, key: Hashable, timeout: float | None = None) -> bool:
        """Wait until no call of this key runs or is pending; False after ``timeout`` seconds."""
        with self._lock:
            newest = self._waiting[key][0] if key in self._waiting else self._running.get(key)
        return newest is None or not wait_for([newest], timeout).not_done

    def close(self, timeout: float | None = 30.0) -> bool:
        """Cancel pending calls and stop running ones; False if they are not done within ``timeout``
        seconds."""
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
    except BaseException as error:  # reported by the future; the thread goes on
        future.set_exception(error)
    else:
        future.set_result(result)

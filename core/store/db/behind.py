"""Work behind a workspace: a thread for each kind of it, which ends with the program or the workspace."""

from __future__ import annotations

import threading
from collections.abc import Callable
from weakref import WeakKeyDictionary

from core.store.db.errors import StoreError
from core.store.db.workspace import Workspace


class Behind:
    """One kind of work that nobody waits for.

    Args:
        name: of its threads.
        work: does all that is to do. A ``StoreError`` ends it quietly: the workspace was closed, or the disk
            is full or busy, and the next one begins again.
    """

    def __init__(self, name: str, work: Callable[[Workspace], object]) -> None:
        self._name, self._work = name, work
        self._threads: WeakKeyDictionary[Workspace, threading.Thread] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def begin(self, workspace: Workspace, *, again: bool = False) -> None:
        """Begin the work unless it goes on; returns at once.

        Args:
            again: begin it all the same, where one that is about to end might not see what is new.
        """
        with self._lock:
            known = self._threads.get(workspace)
            if known is not None and known.is_alive() and not again:
                return
            # A daemon: ending the program does not wait for it, and what it was doing is done again.
            thread = threading.Thread(target=self._run, args=(workspace,), name=self._name, daemon=True)
            self._threads[workspace] = thread
            thread.start()

    def thread(self, workspace: Workspace) -> threading.Thread | None:
        """The last thread of this workspace, at work or ended."""
        return self._threads.get(workspace)

    def finish(self, workspace: Workspace, timeout: float | None = None) -> None:
        """Wait until the last thread has ended; for tests and measurements."""
        thread = self.thread(workspace)
        if thread is not None:
            thread.join(timeout)

    def _run(self, workspace: Workspace) -> None:
        try:
            self._work(workspace)
        except StoreError:
            return

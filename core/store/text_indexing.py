"""The text index is built behind everything else: by a thread, a block at a time, pausing in between."""

from __future__ import annotations

import threading
import time
from weakref import WeakKeyDictionary

from core.store import text_index
from core.store.errors import StoreError
from core.store.workspace import Workspace

PAUSE = 0.02  # seconds between two blocks: whoever waits to save goes first
_working: WeakKeyDictionary[Workspace, threading.Thread] = WeakKeyDictionary()
_lock = threading.Lock()


def keep_up(workspace: Workspace, project_id: int) -> None:
    """See to it that the project's texts get indexed; returns at once.

    Called after an import and by every search, so that a process that ended while it indexed is followed by
    one that goes on. Costs two look-ups where nothing is to do.
    """
    with workspace.reading() as db:
        if not text_index.is_behind(db, project_id):
            return
    with _lock:
        known = _working.get(workspace)
        if known is not None and known.is_alive():
            return
        # A daemon: ending the program does not wait for it, and what it was doing is done again.
        thread = threading.Thread(target=_catch_up, args=(workspace,), name="text index", daemon=True)
        _working[workspace] = thread
        thread.start()


def finish(workspace: Workspace, timeout: float | None = None) -> None:
    """Wait until the thread of this workspace has nothing more to do; for tests and measurements."""
    thread = _working.get(workspace)
    if thread is not None:
        thread.join(timeout)


def _catch_up(workspace: Workspace) -> None:
    try:
        busy = True
        while busy:
            with workspace.reading() as db:
                projects = [row[0] for row in db.execute("SELECT id FROM projects ORDER BY id")]
            busy = False
            for project_id in projects:
                text_index.forget_gone(workspace, project_id)
                while text_index.grow(workspace, project_id):
                    busy = True
                    time.sleep(PAUSE)
    except StoreError:
        # The workspace was closed, or the disk is full or busy. Searches stay right without the index; the
        # next one tries again.
        return

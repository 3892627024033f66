"""The earlier decisions of the projects somebody has open: read in the background, asked without waiting."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field

from core.store.earlier import EarlierDecisions
from core.store.workspace import Workspace

MOST_PROJECTS = 3
REST = 20  # a project is read again once this many times as long has passed as reading it took

log = logging.getLogger("latticelens")


@dataclass
class _Index:
    decisions: EarlierDecisions
    thread: threading.Thread | None = None
    read_at: float = 0.0
    took: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)


class EarlierIndexes:
    """Indexes by project; the one asked for longest ago makes room.

    Args:
        workspace: whose store.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._indexes: OrderedDict[int, _Index] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, project_id: int, wait: float = 0.03) -> EarlierDecisions:
        """The decisions of a project, being brought up to date; ``ready`` says whether they were read once.

        A small project is current when this returns; a large one may lag by the last second's edits.

        Args:
            wait: most seconds to wait for that.
        """
        index = self._index(project_id)
        thread = self._refresh(index)
        if thread is not None:
            thread.join(wait)
        return index.decisions

    def close(self) -> None:
        """Wait for what is being read, and forget all."""
        with self._lock:
            indexes = list(self._indexes.values())
            self._indexes.clear()
        for index in indexes:
            if index.thread is not None:
                index.thread.join(timeout=30)

    def _index(self, project_id: int) -> _Index:
        with self._lock:
            if project_id not in self._indexes:
                self._indexes[project_id] = _Index(EarlierDecisions(self._workspace, project_id))
            self._indexes.move_to_end(project_id)
            while len(self._indexes) > MOST_PROJECTS:
                self._indexes.popitem(last=False)
            return self._indexes[project_id]

    def _refresh(self, index: _Index) -> threading.Thread | None:
        with index.lock:
            working = index.thread is not None and index.thread.is_alive()
            if not working and time.monotonic() - index.read_at >= REST * index.took:
                index.thread = threading.Thread(
                    target=self._read, args=(index,), name="earlier-decisions", daemon=True
                )
                index.thread.start()
                working = True
            return index.thread if working else None

    def _read(self, index: _Index) -> None:
        start = time.monotonic()
        first = not index.decisions.ready
        try:
            index.decisions.update()
        except Exception:
            # Suggestions are an offer: without them the document opens all the same; the next asks again.
            log.exception("earlier decisions could not be read")
        index.read_at = time.monotonic()
        index.took = 0.0 if first else index.read_at - start

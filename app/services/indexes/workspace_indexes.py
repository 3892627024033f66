"""In-memory indexes of a workspace's texts, built in the background."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Any, Generic, Protocol, TypeVar

from app.services.indexes.labelled_sentences import LabelledSentences
from core.store.db.background import Background
from core.store.db.workspace import Workspace
from core.store.suggest.earlier import EarlierDecisions

REST = 20  # minimum time between updates, as a multiple of their processor time
PATIENCE = 0.03  # seconds to wait for a small index
MOST_PROJECTS = 3
MOST_PEOPLE = 16  # versions of one annotator are small compared with a project


class Index(Protocol):
    """An index: built once, then updated."""

    @property
    def ready(self) -> bool:
        """Whether it has been built."""

    def update(self) -> int:
        """Read changes; returns their number."""


Key = TypeVar("Key", bound=Hashable)
Kept = TypeVar("Kept", bound=Index)


@dataclass(eq=False)
class _Entry(Generic[Kept]):
    index: Kept
    reading: Future[Any] | None = None
    read_at: float = 0.0
    took: float = 0.0


class Indexes(Generic[Key, Kept]):
    """Indexes by key, least recently used ones dropped.

    Args:
        make: creates an empty index. most: maximum number of indexes. background: builds them.
        clock: seconds. work_clock: seconds of processor time of the thread that asks; not the wall's, or a
            small index of a busy machine would rest for as long as that of a large project.
    """

    def __init__(
        self,
        make: Callable[[Key], Kept],
        most: int,
        background: Background,
        clock: Callable[[], float] = time.monotonic,
        work_clock: Callable[[], float] = time.thread_time,
    ) -> None:
        self._make, self._most = make, most
        self._background, self._clock, self._work_clock = background, clock, work_clock
        self._entries: OrderedDict[Key, _Entry[Kept]] = OrderedDict()
        self._lock = Lock()

    def at(self, key: Key, wait: float = PATIENCE) -> Kept:
        """The index of a key; starts an update. ``ready`` says whether it has been built.

        A small index is current on return; a large one may lag by a second.

        Args:
            wait: maximum seconds to wait for the update.
        """
        with self._lock:
            entry = self._entry(key)
            is_read = entry.reading is None or entry.reading.done()
            if is_read and self._clock() - entry.read_at >= REST * entry.took:
                entry.reading = self._background.ask(entry, partial(self._read, entry))
            reading = entry.reading
        if reading is not None:
            wait_for([reading], wait)
        return entry.index

    def is_reading(self, key: Key) -> bool:
        """Whether an update of this index is under way, so that it lacks the latest changes."""
        with self._lock:
            entry = self._entries.get(key)
            return entry is not None and entry.reading is not None and not entry.reading.done()

    def clear(self) -> None:
        """Drop every index; each is built again when it is asked for."""
        with self._lock:
            self._entries.clear()

    def _entry(self, key: Key) -> _Entry[Kept]:
        if key not in self._entries:
            self._entries[key] = _Entry(self._make(key))
        self._entries.move_to_end(key)
        while len(self._entries) > self._most:
            self._entries.popitem(last=False)
        return self._entries[key]

    def _read(self, entry: _Entry[Kept]) -> None:
        began, first = self._work_clock(), not entry.index.ready
        try:
            entry.index.update()  # logged; the next call retries
        finally:
            entry.read_at = self._clock()
            entry.took = 0.0 if first else self._work_clock() - began


class EarlierIndexes:
    """Earlier decisions of projects, or of single annotators' versions.

    Args:
        workspace: whose store.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._gold: Indexes[int, EarlierDecisions] = Indexes(
            lambda project_id: EarlierDecisions(workspace, project_id), MOST_PROJECTS, workspace.background
        )
        self._own: Indexes[tuple[int, str], EarlierDecisions] = Indexes(
            lambda whose: EarlierDecisions(workspace, *whose), MOST_PEOPLE, workspace.background
        )

    def of(self, project_id: int, user: str | None = None, wait: float = PATIENCE) -> EarlierDecisions:
        """As ``Indexes.at``, for a project and annotator."""
        if user is None:
            return self._gold.at(project_id, wait)
        return self._own.at((project_id, user), wait)

    def is_reading(self, project_id: int, user: str | None = None) -> bool:
        """As ``Indexes.is_reading``, for a project and annotator."""
        if user is None:
            return self._gold.is_reading(project_id)
        return self._own.is_reading((project_id, user))

    def clear(self) -> None:
        """As ``Indexes.clear``."""
        self._gold.clear()
        self._own.clear()


class SentenceIndexes(Indexes[tuple[int, "str | None"], LabelledSentences]):
    """Labelled sentences by project and annotator (None: gold).

    Args:
        workspace: whose store.
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(lambda key: LabelledSentences(workspace, *key), MOST_PROJECTS, workspace.background)

"""Indexes of a workspace's texts kept in memory: read in the background, asked without waiting."""

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

from app.services.labelled_sentences import LabelledSentences
from core.store.db.background import Background
from core.store.db.workspace import Workspace
from core.store.suggest.earlier import EarlierDecisions

REST = 20  # an index is read again once this many times as long has passed as reading it took
PATIENCE = 0.03  # seconds that who asks waits for a small index
MOST_PROJECTS = 3
MOST_PEOPLE = 16  # what one person decided in their own version is little beside a project


class Index(Protocol):
    """What is kept: read as a whole once, then brought up to date."""

    @property
    def ready(self) -> bool:
        """Whether it was read once."""

    def update(self) -> int:
        """Read what changed since the last time; returns how much that was."""


Key = TypeVar("Key", bound=Hashable)
Kept = TypeVar("Kept", bound=Index)


@dataclass(eq=False)
class _Entry(Generic[Kept]):
    index: Kept
    reading: Future[Any] | None = None
    read_at: float = 0.0
    took: float = 0.0


class Indexes(Generic[Key, Kept]):
    """Indexes by key; the one asked for longest ago makes room.

    Args:
        make: a new index, not read yet. most: how many are kept. background: where they are read.
        clock: seconds.
    """

    def __init__(
        self,
        make: Callable[[Key], Kept],
        most: int,
        background: Background,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._make, self._most = make, most
        self._background, self._clock = background, clock
        self._entries: OrderedDict[Key, _Entry[Kept]] = OrderedDict()
        self._lock = Lock()

    def at(self, key: Key, wait: float = PATIENCE) -> Kept:
        """The index of a key, being brought up to date; ``ready`` says whether it was read once.

        A small one is current when this returns; a large one may lag by the last second's changes.

        Args:
            wait: most seconds to wait for that.
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

    def _entry(self, key: Key) -> _Entry[Kept]:
        if key not in self._entries:
            self._entries[key] = _Entry(self._make(key))
        self._entries.move_to_end(key)
        while len(self._entries) > self._most:
            self._entries.popitem(last=False)
        return self._entries[key]

    def _read(self, entry: _Entry[Kept]) -> None:
        began, first = self._clock(), not entry.index.ready
        try:
            entry.index.update()  # an error is logged: the page opens without it, the next one reads again
        finally:
            entry.read_at = self._clock()
            entry.took = 0.0 if first else entry.read_at - began


class EarlierIndexes:
    """Earlier decisions of the projects somebody has open, or of a person's own version of one.

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
        """The decisions of a project, or of one person in it, as ``Indexes.at``."""
        if user is None:
            return self._gold.at(project_id, wait)
        return self._own.at((project_id, user), wait)


class SentenceIndexes(Indexes[tuple[int, "str | None"], LabelledSentences]):
    """Labelled sentences by project and by whose version they are of (None: the gold one).

    Args:
        workspace: whose store.
    """

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(lambda key: LabelledSentences(workspace, *key), MOST_PROJECTS, workspace.background)

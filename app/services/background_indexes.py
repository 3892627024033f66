"""Indexes kept in memory, by what they are of: read in the background, asked without waiting."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

REST = 20  # an index is read again once this many times as long has passed as reading it took

log = logging.getLogger("latticelens")


class Index(Protocol):
    """What is kept: read as a whole once, then brought up to date."""

    @property
    def ready(self) -> bool:
        """Whether it was read once."""

    def update(self) -> int:
        """Read what changed since the last time; returns how much that was."""


Key = TypeVar("Key", bound=Hashable)
Kept = TypeVar("Kept", bound=Index)


@dataclass
class _Entry(Generic[Kept]):
    index: Kept
    thread: threading.Thread | None = None
    read_at: float = 0.0
    took: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)


class BackgroundIndexes(Generic[Key, Kept]):
    """Indexes by key; the one asked for longest ago makes room.

    Args:
        make: a fresh index, not read yet. name: of the threads. most: how many are kept.
    """

    def __init__(self, make: Callable[[Key], Kept], name: str, most: int) -> None:
        self._make, self._name, self._most = make, name, most
        self._entries: OrderedDict[Key, _Entry[Kept]] = OrderedDict()
        self._lock = threading.Lock()

    def at(self, key: Key, wait: float = 0.03) -> Kept:
        """The index of a key, being brought up to date; ``ready`` says whether it was read once.

        A small one is current when this returns; a large one may lag by the last second's changes.

        Args:
            wait: most seconds to wait for that.
        """
        entry = self._entry(key)
        thread = self._refresh(entry)
        if thread is not None:
            thread.join(wait)
        return entry.index

    def close(self) -> None:
        """Wait for what is being read, and forget all."""
        with self._lock:
            entries = list(self._entries.values())
            self._entries.clear()
        for entry in entries:
            if entry.thread is not None:
                entry.thread.join(timeout=30)

    def _entry(self, key: Key) -> _Entry[Kept]:
        with self._lock:
            if key not in self._entries:
                self._entries[key] = _Entry(self._make(key))
            self._entries.move_to_end(key)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)
            return self._entries[key]

    def _refresh(self, entry: _Entry[Kept]) -> threading.Thread | None:
        with entry.lock:
            working = entry.thread is not None and entry.thread.is_alive()
            if not working and time.monotonic() - entry.read_at >= REST * entry.took:
                entry.thread = threading.Thread(
                    target=self._read, args=(entry,), name=self._name, daemon=True
                )
                entry.thread.start()
                working = True
            return entry.thread if working else None

    def _read(self, entry: _Entry[Kept]) -> None:
        start = time.monotonic()
        first = not entry.index.ready
        try:
            entry.index.update()
        except Exception:
            # What is read here is an offer: the page opens without it, and the next question reads again.
            log.exception("%s could not be read", self._name)
        entry.read_at = time.monotonic()
        entry.took = 0.0 if first else entry.read_at - start

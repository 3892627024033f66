"""What a job has done so far, and what it did in all."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a job is.

    Args:
        done, total: bytes of finished blocks and of all.
        documents, characters, refused: of all finished blocks, those of earlier sittings included.
        rate: characters a second of this sitting, all workers together; None before its first block.
        remaining: seconds, at this sitting's pace; None before its first block.
    """

    done: int
    total: int
    documents: int
    characters: int
    refused: int
    rate: float | None
    remaining: float | None

    @property
    def fraction(self) -> float:
        """Part that is done, 0 to 1."""
        return self.done / self.total if self.total else 1.0


class Tally:
    """Adds receipts up.

    Args:
        sizes: bytes of every block, by number.
    """

    def __init__(self, sizes: Mapping[int, int]) -> None:
        self._sizes = sizes
        self._total = sum(sizes.values())
        self._begun = time.monotonic()
        self.finished: set[int] = set()
        self._spans: Counter[str] = Counter()
        self._documents = self._characters = self._refused = self._done = 0
        self._new_bytes = self._new_characters = 0
        self._worker_seconds = 0.0
        self._workers: set[str] = set()

    def start(self) -> None:
        """Begin to count the time of this sitting."""
        self._begun = time.monotonic()

    def add(self, receipt: Mapping[str, Any], earlier: bool = False) -> None:
        """Count a receipt, once a block. ``earlier``: of a sitting before this one."""
        number = int(receipt["block"])
        if number in self.finished:
            return
        self.finished.add(number)
        self._documents += receipt["documents"]
        self._characters += receipt["characters"]
        self._refused += receipt["refused"]
        self._worker_seconds += receipt["seconds"]
        self._workers.add(receipt["worker"])
        self._spans.update(receipt["spans"])
        self._done += self._sizes[number]
        if not earlier:
            self._new_bytes += self._sizes[number]
            self._new_characters += receipt["characters"]

    def progress(self) -> Progress:
        """How far the job is now."""
        seconds = max(1e-9, time.monotonic() - self._begun)
        pace = self._new_bytes / seconds
        return Progress(
            self._done,
            self._total,
            self._documents,
            self._characters,
            self._refused,
            self._new_characters / seconds if self._new_bytes else None,
            (self._total - self._done) / pace if pace else None,
        )

    def report(self) -> dict[str, Any]:
        """The contents of ``report.json``; ``seconds`` are those of this sitting, by the clock."""
        a_second = self._characters / self._worker_seconds if self._worker_seconds else 0.0
        return {
            "documents": self._documents,
            "characters": self._characters,
            "spans": dict(sorted(self._spans.items())),
            "refused": self._refused,
            "blocks": len(self.finished),
            "seconds": round(time.monotonic() - self._begun, 1),
            "worker_seconds": round(self._worker_seconds, 1),
            "workers": len(self._workers),
            "characters_per_second_per_worker": round(a_second, 1),
        }

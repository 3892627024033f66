"""The time of a search, which an interruption does not set back."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from core.corpus.atomic import write_json
from core.training.run.run_folder import RunFolder

SPENT = "spent.json"
SAVE_EVERY = 1.0  # seconds


def read_spent(folder: RunFolder) -> float:
    """Seconds that the search has worked so far; 0 if that is not known."""
    try:
        value = json.loads((folder.path / SPENT).read_text(encoding="utf-8"))["seconds"]
        return max(0.0, float(value))
    except (OSError, ValueError, TypeError, KeyError):
        return 0.0


class Clock:
    """Counts the seconds of a search, those of earlier processes included.

    Args:
        folder: of the search. seconds: its whole time. now: monotonic, in seconds.

    Attributes:
        reserve: seconds needed after the last trial.
    """

    def __init__(self, folder: RunFolder, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self.total = seconds
        self.reserve = 0.0
        self._path = folder.path / SPENT
        self._now = now
        self._begun = now() - read_spent(folder)
        self._saved = now()

    @property
    def spent(self) -> float:
        """Seconds so far."""
        return self._now() - self._begun

    @property
    def left(self) -> float:
        """Seconds left for trials; 0 once they are over."""
        return max(0.0, self.total - self.reserve - self.spent)

    @property
    def fraction(self) -> float:
        """Share of the time that has passed, 0 to 1."""
        return min(1.0, self.spent / self.total)

    def save(self) -> None:
        """Write the time down; an interruption loses what came after."""
        self._saved = self._now()
        write_json(self._path, {"seconds": round(self.spent, 3)}, durable=False)

    def save_now_and_then(self) -> None:
        """``save``, at most once a second."""
        if self._now() - self._saved >= SAVE_EVERY:
            self.save()

"""Progress of a run and its estimated remaining time."""

from __future__ import annotations

import time
from collections.abc import Callable

REPORT_EVERY = 0.5  # seconds
SETTLED = 2.0  # seconds; the first steps are slow and would give estimates of hours


class Progress:
    """Fraction done and seconds remaining of work measured in units.

    Args:
        total: units of the whole work.
        done: units that an earlier process finished; they count for the fraction, not for the speed.
        clock: monotonic, in seconds.
    """

    def __init__(self, total: float, done: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = max(total, 1e-9)
        self._begun = self._done = done
        self._clock = clock
        self._start = clock()
        self._reported = float("-inf")

    def advance(self, units: float) -> None:
        """Count finished units."""
        self._done += units

    @property
    def fraction(self) -> float:
        """Work done, 0 to 1."""
        return min(1.0, self._done / self._total)

    @property
    def remaining_seconds(self) -> float | None:
        """An estimate from the speed so far; None before any progress."""
        here = self._done - self._begun
        if here <= 0 or self._clock() - self._start < SETTLED:
            return None
        return max(0.0, (self._clock() - self._start) / here * (self._total - self._done))

    def due(self) -> bool:
        """Whether half a second has passed since it was last True."""
        now = self._clock()
        if now - self._reported < REPORT_EVERY:
            return False
        self._reported = now
        return True

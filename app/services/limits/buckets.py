"""Token buckets by name: how much each may take in a time."""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass

MOST_KEPT = 10_000  # buckets; anybody can make up addresses
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


@dataclass(frozen=True, slots=True)
class Rate:
    """The rate of a token bucket: up to ``count`` at once, and ``count`` more in every ``seconds``.

    Args:
        count: of requests or bytes.
    """

    count: int
    seconds: float

    @classmethod
    def parse(cls, text: str) -> Rate:
        """As ``20/s``, ``600/m`` or ``5000/h``.

        Raises:
            ValueError: it is no rate.
        """
        found = re.fullmatch(r"([1-9]\d{0,8})/([smhd])", text.strip().lower())
        if found is None:
            raise ValueError(f"a rate is a number and a time, as 20/s or 600/m, got {text!r:.40}")
        return cls(int(found[1]), _UNITS[found[2]])

    def times(self, factor: int) -> Rate:
        """The rate of several together."""
        return Rate(self.count * factor, self.seconds)


class Buckets:
    """A bucket for each name, full at first; thread-safe.

    The generic cell rate algorithm (ITU-T I.371): of a bucket only the time is kept at which it will be full
    again, so that nothing has to fill them.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._full_at: OrderedDict[Hashable, float] = OrderedDict()  # ordered by the last use
        self._lock = threading.Lock()

    def take(self, name: Hashable, rate: Rate, amount: float = 1.0) -> float:
        """Take ``amount`` out of a bucket; the seconds until there is enough, with nothing taken, or 0."""
        with self._lock:
            now = self._clock()
            full_at = max(self._full_at.get(name, now), now) + amount * rate.seconds / rate.count
            wait = full_at - now - rate.seconds
            if wait > 1e-9:  # rounding
                return wait
            self._full_at[name] = full_at
            self._full_at.move_to_end(name)
            while len(self._full_at) > MOST_KEPT:
                self._full_at.popitem(last=False)
            return 0.0

    def __len__(self) -> int:
        return len(self._full_at)

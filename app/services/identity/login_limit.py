"""Limit of password attempts: after a few wrong ones each further attempt waits longer.

Nobody is locked out: a wait is at most a minute, attempts during a wait are not counted, and mistakes expire
one by one. Browsers that have logged in before are counted separately, so that an attacker only delays
strangers ("Slow Down Online Guessing Attacks with Device Cookies", OWASP).
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from math import log2


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many mistakes are allowed before a wait.

    Args:
        free: wrong attempts before the first wait of a second, which doubles with each further one.
        longest: maximum wait in seconds.
        forgetting: seconds after which a wrong attempt expires.
    """

    free: int
    longest: float
    forgetting: float


# Per name, for each known browser or for all others: once used up, one attempt a minute.
ONE_NAME = Allowance(free=5, longest=60.0, forgetting=300.0)
# For all names together from unknown browsers, against trying passwords on many names.
ALL_NAMES = Allowance(free=40, longest=8.0, forgetting=3.0)
MOST_KEPT = 10_000  # maximum number of names kept, as anybody can make up names


@dataclass(slots=True)
class _Mistakes:
    """Number of wrong attempts, time of the last one, and the end of the wait."""

    count: float = 0.0
    at: float = 0.0
    until: float = 0.0


class LoginLimit:
    """Counts wrong passwords; thread-safe.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._of_name: OrderedDict[bytes, _Mistakes] = OrderedDict()  # ordered by the last mistake
        self._of_all = _Mistakes()
        self._lock = threading.Lock()

    def wait(self, name: str, device: str = "") -> float:
        """Seconds until a password for this name may be tried; 0: now.

        Args:
            device: of a browser that has logged in with this name; empty for others.
        """
        with self._lock:
            mistakes = self._of_name.get(_key(name, device))
            until = mistakes.until if mistakes else 0.0
            if not device:
                until = max(until, self._of_all.until)
            return max(0.0, until - self._clock())

    def failed(self, name: str, device: str = "") -> None:
        """The password was wrong, or there is no such name."""
        with self._lock:
            key = _key(name, device)
            self._count(self._of_name.setdefault(key, _Mistakes()), ONE_NAME)
            self._of_name.move_to_end(key)
            while len(self._of_name) > MOST_KEPT:
                self._of_name.popitem(last=False)
            if not device:
                self._count(self._of_all, ALL_NAMES)

    def succeeded(self, name: str, device: str = "") -> None:
        """The password was right: forget the mistakes with this name."""
        with self._lock:
            self._of_name.pop(_key(name, device), None)

    def _count(self, mistakes: _Mistakes, allowance: Allowance) -> None:
        now = self._clock()
        left = max(0.0, mistakes.count - (now - mistakes.at) / allowance.forgetting)
        # More would not make the wait longer, only the expiry.
        mistakes.count = min(left + 1, allowance.free + log2(allowance.longest))
        mistakes.at = now
        over = mistakes.count - allowance.free
        mistakes.until = now + min(allowance.longest, 2.0**over) if over >= 0 else 0.0


def _key(name: str, device: str) -> bytes:
    return sha256(f"{device}\n{name}".encode("utf-8", "surrogatepass")).digest()

"""How often a password may be tried: after a few wrong ones each further try waits longer than the last.

Nobody is locked out for good: a wait never grows over a minute, tries that come too early are not counted,
and mistakes are forgotten one by one. Who has logged in before from the same browser is counted apart, so
that a stranger who keeps trying a name keeps only strangers waiting ("Slow Down Online Guessing Attacks with
Device Cookies", OWASP).
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
    """What may go wrong before a try has to wait.

    Args:
        free: wrong tries before the first wait, which is a second and doubles with each further one.
        longest: seconds that a wait grows to.
        forgetting: seconds after which one wrong try is forgotten.
    """

    free: int
    longest: float
    forgetting: float


# One name, from one browser that is known or from all that are not: once used up, a try a minute.
ONE_NAME = Allowance(free=5, longest=60.0, forgetting=300.0)
# All names together from browsers that are not known, for passwords tried on one name after the other.
ALL_NAMES = Allowance(free=40, longest=8.0, forgetting=3.0)
MOST_KEPT = 10_000  # names that are remembered; anybody can make names up


@dataclass(slots=True)
class _Mistakes:
    """Wrong tries that are not forgotten, when the last one was, and until when the next has to wait."""

    count: float = 0.0
    at: float = 0.0
    until: float = 0.0


class LoginLimit:
    """Counts wrong passwords; every method may be called from any thread.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._of_name: OrderedDict[bytes, _Mistakes] = OrderedDict()  # the one that erred last comes last
        self._of_all = _Mistakes()
        self._lock = threading.Lock()

    def wait(self, name: str, device: str = "") -> float:
        """Seconds before a password for this name may be tried; 0 where it may be now.

        Args:
            device: of a browser that has logged in by this name before; empty for any other.
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
        """The password was right: what went wrong with this name before is forgotten."""
        with self._lock:
            self._of_name.pop(_key(name, device), None)

    def _count(self, mistakes: _Mistakes, allowance: Allowance) -> None:
        now = self._clock()
        left = max(0.0, mistakes.count - (now - mistakes.at) / allowance.forgetting)
        # More than this cannot make the wait longer, only the forgetting.
        mistakes.count = min(left + 1, allowance.free + log2(allowance.longest))
        mistakes.at = now
        over = mistakes.count - allowance.free
        mistakes.until = now + min(allowance.longest, 2.0**over) if over >= 0 else 0.0


def _key(name: str, device: str) -> bytes:
    return sha256(f"{device}\n{name}".encode("utf-8", "surrogatepass")).digest()

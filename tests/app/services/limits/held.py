"""Turns that are held until a test lets them go."""

import threading
import time
from collections.abc import Callable


class Held:
    """Who is inside, and the order in which they came in."""

    def __init__(self) -> None:
        self.inside: list[str] = []
        self.order: list[str] = []
        self.go_on = threading.Event()

    def hold(self, turns, who):
        """Take a turn and keep it until `go_on` is set."""
        with turns.turn(who):
            self.order.append(who)
            self.inside.append(who)
            assert self.go_on.wait(timeout=60)
            self.inside.remove(who)


def until(holds: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait until ``holds()``."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.005)

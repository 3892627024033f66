"""An executor whose calls run when a test says so."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any


class ByHand(Executor):
    """Keeps what is submitted until ``run``."""

    def __init__(self) -> None:
        self.calls: deque[Callable[[], Any]] = deque()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.calls.append(partial(fn, *args, **kwargs))
        return Future()

    def run(self) -> None:
        """Run everything, what is submitted meanwhile too."""
        while self.calls:
            self.calls.popleft()()

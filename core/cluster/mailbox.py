"""What workers and the driver tell each other while Ray Train runs: events one way, a stop the other."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from core.cluster.errors import ray_library
from core.runtime.message import Message

ASK_EVERY = 0.5  # seconds between a worker's questions whether to stop


class _Mailbox:
    """The actor that holds what was told and not yet read."""

    def __init__(self) -> None:
        self._told: list[tuple[str, Any]] = []
        self._stopping = False

    def tell(self, kind: str, what: Any) -> None:
        self._told.append((kind, what))

    def read(self) -> list[tuple[str, Any]]:
        told, self._told = self._told, []
        return told

    def stop(self) -> None:
        self._stopping = True

    def stopping(self) -> bool:
        return self._stopping


def open_mailbox(ray: Any, what: Message) -> Any:
    """A new mailbox, on this machine: it must outlive every worker.

    Args:
        what: the work that needs it.
    """
    affinity = ray_library("ray.util.scheduling_strategies", what).NodeAffinitySchedulingStrategy
    here = ray.get_runtime_context().get_node_id()
    actor = ray.remote(num_cpus=0)(_Mailbox)
    return actor.options(scheduling_strategy=affinity(here, soft=False)).remote()


class Post:
    """A worker's side of the mailbox.

    Args:
        mailbox: of ``open_mailbox``.
    """

    def __init__(self, ray: Any, mailbox: Any) -> None:
        self._ray, self._mailbox = ray, mailbox
        self._asked = float("-inf")
        self._stopping = False

    def report(self, event: Mapping[str, Any]) -> None:
        """Send an event; does not wait."""
        self._mailbox.tell.remote("event", dict(event))

    def tell(self, kind: str, what: Any) -> None:
        """Send something and wait until it has arrived."""
        self._ray.get(self._mailbox.tell.remote(kind, what))

    def should_stop(self) -> bool:
        """Whether the driver has asked to stop; it is asked twice a second."""
        now = time.monotonic()
        if not self._stopping and now - self._asked >= ASK_EVERY:
            self._asked = now
            self._stopping = bool(self._ray.get(self._mailbox.stopping.remote()))
        return self._stopping

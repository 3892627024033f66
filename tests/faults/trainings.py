"""A small training in a process that ends itself by SIGKILL after so many of its events."""

import os
import signal
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from core.jobs.execution import execute
from core.training import loop  # noqa: F401 - the loop is loaded here once, and with it torch
from core.training.run import progress
from core.training.run.run_folder import RunFolder


def train(connection: Connection, folder: Path, events: int | None) -> None:
    """Work on the run; None: to its end.

    Progress is reported at every step, so that the events are the same ones however quick the machine is.
    """
    progress.REPORT_EVERY = 0.0
    told = 0

    def killing(event: Mapping[str, Any]) -> None:
        nonlocal told
        told += 1
        if told == events:
            connection.send(event["event"])
            os.kill(os.getpid(), signal.SIGKILL)

    state = execute(RunFolder(folder), lambda: False, killing)
    connection.send(state.status)

"""Processes that are killed in the middle of their work, from a server that has loaded what they need."""

import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

Work = Callable[..., None]  # gets the end of a pipe first: what it sends was acknowledged

_server = multiprocessing.get_context("forkserver")
_server.set_forkserver_preload(
    ["pytest", "app.services.workbench", "tests.faults.changes", "tests.faults.trainings"]
)


def rounds(usual: int) -> int:
    """How often something is killed: ``LATTICELENS_FAULT_ROUNDS`` says it for long runs by hand."""
    return int(os.environ.get("LATTICELENS_FAULT_ROUNDS", usual))


def start(work: Work, *arguments: Any) -> tuple[BaseProcess, Connection]:
    """A process that does ``work(connection, *arguments)``, once it says that it begins."""
    here, there = _server.Pipe()
    child = _server.Process(target=_begin, args=(work, there, *arguments), daemon=True)
    child.start()
    there.close()
    assert here.poll(60), "the process did not begin"
    here.recv()
    return child, here


def _begin(work: Work, connection: Connection, *arguments: Any) -> None:
    connection.send(None)
    work(connection, *arguments)


def kill(child: BaseProcess) -> None:
    """SIGKILL; a process that ended by itself before has failed."""
    assert child.exitcode in (None, 0), f"it ended by itself: {child.exitcode}"
    child.kill()
    child.join(60)
    assert child.exitcode in (0, -signal.SIGKILL), child.exitcode


def acknowledged(connection: Connection) -> Iterator[Any]:
    """What a process sent before it died, in order."""
    try:
        while True:
            yield connection.recv()
    except (EOFError, OSError):  # the latter in the middle of a message
        return


@contextmanager
def killed_within(seconds: float, dice: random.Random, work: Work, *arguments: Any) -> Iterator[list[Any]]:
    """Let ``work`` go on for a random part of ``seconds``, kill it, and yield what it acknowledged."""
    child, connection = start(work, *arguments)
    time.sleep(dice.random() * seconds)
    kill(child)
    with connection:
        yield list(acknowledged(connection))

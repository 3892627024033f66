"""A process of its own that changes the store, and is killed in the middle of it."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def kill_when(due: Callable[[], bool], script: str, *arguments: object, seconds: float = 60) -> None:
    """Start ``script``, wait for the line it prints when it begins, and send SIGKILL once ``due`` says so.

    Raises:
        AssertionError: ``due`` never said so.
    """
    child = subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        child.stdout.readline()
        until = time.monotonic() + seconds
        while not due():
            assert time.monotonic() < until, "it did not come so far"
    finally:
        child.kill()
        child.wait()
        child.stdout.close()

"""Ctrl-C for what tests start, which hears it however the tests were started."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def heard() -> None:
    """To run in the new process: what a shell starts in the background is born deaf to SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def interrupted(arguments: Sequence[object], begun: Callable[[], bool]) -> str:
    """Press Ctrl-C in ``python -m core`` once it has begun; what it says on the error stream as it ends."""
    command = [sys.executable, "-m", "core", *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, cwd=ROOT, preexec_fn=heard, **pipes)
    deadline = time.monotonic() + 240
    while not begun():
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert out == ""
    return err

"""A process of its own that changes the store, and is killed in the middle of it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Arguments: the workspace's folder, the project, then ``merge NEW``, ``rename NEW`` or ``undo CHANGE``.
CHANGE_LABELS = """
import sys
from core.store import Workspace
from core.store.label import changes as label_changes, steps as label_steps
from core.store.lexicon import lists as lexicon_lists
label_steps.SLICE, label_steps.PAUSE = 1, 0.002
lexicon_lists.ROWS, lexicon_lists.PAUSE = 20, 0.002
with Workspace.open(sys.argv[1]) as workspace:
    print("ready", flush=True)
    if sys.argv[3] == "undo":
        label_changes.undo(workspace, int(sys.argv[2]), int(sys.argv[4]), user="lin")
    else:
        getattr(label_changes, sys.argv[3])(workspace, int(sys.argv[2]), "PER", sys.argv[4], user="lin")
"""


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

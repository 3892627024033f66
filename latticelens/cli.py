"""``latticelens``: the commands of ``python -m core``, and ``latticelens app``, which opens the workbench."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

PROGRAM = "latticelens"
APP = "app"


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command, or the app until Ctrl-C; returns the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    # As python -m core does, before torch loads: threads that wait for each other shall sleep.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if arguments[:1] == [APP]:
        gc.disable()  # until it is served, as in launch.py
        try:
            from app.server.options import parse

            options = parse(arguments[1:], prog=f"{PROGRAM} {APP}")
            from app.server.run import run  # after the flags: Gradio takes a second to load

            return run(options)
        finally:
            gc.enable()
    from core.cli import main as run_command

    return run_command(arguments, prog=PROGRAM, more=f"{PROGRAM} {APP} opens the workbench in a browser.")

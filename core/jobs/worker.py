"""``python -m core.jobs.worker RUN_FOLDER``: the process of one run.

It reads only the folder's request and snapshot. SIGTERM and SIGINT end it after the current step; after
SIGKILL the run can be resumed from its last complete epoch.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from core.jobs.execution import execute
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder

NICENESS = 5  # so that the page stays responsive


def main(arguments: list[str]) -> int:
    """Execute the run; returns 0 if it finished, 1 if not (see its state), 2 for invalid arguments."""
    if len(arguments) != 1:
        print("usage: python -m core.jobs.worker RUN_FOLDER", file=sys.stderr)
        return 2
    asked: list[int] = []

    def ask(number: int, frame: FrameType | None) -> None:
        asked.append(number)

    signal.signal(signal.SIGTERM, ask)
    signal.signal(signal.SIGINT, ask)
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    try:
        state = execute(RunFolder(arguments[0]), lambda: bool(asked))
    except TrainingError as error:
        print(error, file=sys.stderr)
        return 1
    return 0 if state.status == "finished" else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

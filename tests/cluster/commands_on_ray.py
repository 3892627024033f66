"""``python -m tests.cluster.commands_on_ray``: commands one after the other, where Ray has been started.

A line of input is a JSON list of words, the line that answers it ``[status, stdout, stderr]``. Ray and torch
begin once for all of them, and not in the process of the tests, where Ray would leave threads and handlers.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

from core.cli import main
from core.cluster.session import ray_session
from core.runtime.message import Message


def serve() -> None:
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)  # whatever a library prints is no answer
        with ray_session(None, 2, Message("Tests")):
            for line in sys.stdin:
                out, err = StringIO(), StringIO()
                with redirect_stdout(out), redirect_stderr(err):
                    status = main(json.loads(line))
                print(json.dumps([status, out.getvalue(), err.getvalue()]), file=answers, flush=True)


if __name__ == "__main__":
    serve()

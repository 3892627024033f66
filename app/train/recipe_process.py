"""The training recipe in a process of its own, row by row."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import core
from app.services.background.tasks import Task
from app.services.errors import AppError

ROOT = Path(__file__).resolve().parents[__name__.count(".")]  # from where core is importable


def train_recipes(task: Task[None], choices: Mapping[str, Sequence[Any]], steps: int) -> None:
    """Run ``python -m core recipe`` with these choices; a row of the task for every recipe, as they come.

    Args:
        choices: values of every list by the name of its flag, e.g. ``learning_rates``.
        steps: of every training.

    Raises:
        AppError: the process failed; quotes its last output.
    """
    total = prod(map(len, choices.values()))
    flags = []
    for name, values in choices.items():
        flags += [f"--{name.replace('_', '-')}", ",".join(map(str, values))]
    with (
        tempfile.TemporaryFile() as errors,  # an unread pipe would block the process
        subprocess.Popen(  # noqa: S603 - no shell; the command refuses what is no value
            [sys.executable, "-m", core.__name__, "recipe", "--steps", str(steps), *flags],
            cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},  # rows come when they are made
            stdout=subprocess.PIPE,
            stderr=errors,
            encoding="utf-8",
        ) as process,
    ):
        task.when_stopped(process.kill)
        try:
            assert process.stdout is not None
            task.count("", 0, total)
            for line in process.stdout:
                task.add(json.loads(line))
                task.count("", len(task.rows), total)
            status = process.wait()
        finally:
            process.kill()  # leaving the block waits for its end
        task.pause()
        if status:
            errors.seek(0)
            lines = errors.read().decode("utf-8", "replace").strip().splitlines()
            raise AppError(
                "The experiment ended early: {reason}. Start it again with fewer values.",
                reason=lines[-1] if lines else "?",
            )

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


def train_recipes(
    work: Task[None], choices: Mapping[str, Sequence[Any]], steps: int, task: str = "numbers"
) -> None:
    """Run ``python -m core recipe`` with these choices; a row of the work for every recipe, as they come.

    Args:
        choices: values of every list by the name of its flag, e.g. ``learning_rates``.
        steps: of every training. task: what they learn, one of ``core.learning.recipe.TASKS``.

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
            [sys.executable, "-m", core.__name__, "recipe", "--task", task, "--steps", str(steps), *flags],
            cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},  # rows come when they are made
            stdout=subprocess.PIPE,
            stderr=errors,
            encoding="utf-8",
        ) as process,
    ):
        work.when_stopped(process.kill)
        try:
            assert process.stdout is not None
            work.count("", 0, total)
            for line in process.stdout:
                work.add(json.loads(line))
                work.count("", len(work.rows), total)
            status = process.wait()
        finally:
            process.kill()  # leaving the block waits for its end
        work.pause()
        if status:
            errors.seek(0)
            lines = errors.read().decode("utf-8", "replace").strip().splitlines()
            raise AppError(
                "The experiment ended early: {reason}. Start it again with fewer values.",
                reason=lines[-1] if lines else "?",
            )

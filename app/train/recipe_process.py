"""The training recipe in a process of its own, row by row."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from app.services.errors import AppError

ROOT = Path(__file__).resolve().parents[2]


class RecipeProcess:
    """``python -m core recipe`` with these choices. Only one thread reads it; any may stop it.

    Args:
        choices: values of every list by the name of its flag, e.g. ``learning_rates``.
        steps: of every training.
    """

    def __init__(self, choices: Mapping[str, Sequence[Any]], steps: int) -> None:
        self.stopped = False
        flags = []
        for name, values in choices.items():
            flags += [f"--{name.replace('_', '-')}", ",".join(map(str, values))]
        self._process = subprocess.Popen(  # noqa: S603 - no shell; the command refuses what is no value
            [sys.executable, "-m", "core", "recipe", "--steps", str(steps), *flags],
            cwd=ROOT,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},  # rows come when they are made
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row for every recipe, as they come; ends early where it was stopped.

        Raises:
            AppError: the process failed; says what it said last.
        """
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        try:
            for line in self._process.stdout:
                yield json.loads(line)
            told = self._process.stderr.read().strip().splitlines()
            if self._process.wait() and not self.stopped:
                raise AppError(
                    "The experiment ended early: {reason}. Start it again with fewer choices.",
                    reason=told[-1] if told else "?",
                )
        finally:
            self.stop()

    def stop(self) -> None:
        """End it; the rows that came stay."""
        self.stopped = True
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

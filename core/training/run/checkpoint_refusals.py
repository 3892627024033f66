"""Why a checkpoint cannot be resumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from core.runtime.message import damage_of
from core.training.run.errors import TrainingError


def check_plan(folder: Path, stored: Mapping[str, Any], plan: Mapping[str, Any]) -> None:
    """Check that a checkpoint belongs to the training that resumes it.

    Raises:
        TrainingError: the plans differ; names the parts that do.
    """
    different = sorted(key for key in {*plan, *stored} if plan.get(key) != stored.get(key))
    if different:
        raise TrainingError(
            "{folder} is the checkpoint of another training ({different} differ); resume it "
            "with the same settings and texts, or begin anew in another folder",
            folder=folder,
            different=different,
        )


@contextmanager
def damage_as_error(folder: Path) -> Iterator[None]:
    """Turn errors from reading a checkpoint's files into a TrainingError that says what to do."""
    try:
        yield
    except (OSError, SafetensorError, ValueError, KeyError, TypeError, RuntimeError) as error:
        raise TrainingError(
            "the checkpoint in {folder} is damaged ({why}); delete that folder to train from the beginning",
            folder=folder,
            why=damage_of(error),
        ) from error

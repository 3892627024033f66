"""Why a checkpoint is not gone on from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from core.training.run.message import TrainingError


def check_plan(folder: Path, stored: Mapping[str, Any], plan: Mapping[str, Any]) -> None:
    """Hold that a checkpoint is of the training it is to go on with.

    Raises:
        TrainingError: the plans differ; names the parts in which they do.
    """
    different = sorted(key for key in {*plan, *stored} if plan.get(key) != stored.get(key))
    if different:
        raise TrainingError(
            f"{folder} is the checkpoint of another training ({', '.join(different)} differ); resume it with "
            "the same settings and texts, or begin anew in another folder",
            f"{folder} 属于另一次训练（不同之处：{'、'.join(different)}）；请用相同的设置和文本继续，"
            "或在另一个文件夹中重新开始",
        )


@contextmanager
def naming_damage(folder: Path) -> Iterator[None]:
    """Whatever reading a checkpoint's files raises, as an error that says what to do."""
    try:
        yield
    except (OSError, SafetensorError, ValueError, KeyError, TypeError, RuntimeError) as error:
        why = str(error).splitlines()[0] if str(error) else repr(error)
        raise TrainingError(
            f"the checkpoint in {folder} is damaged ({why}); delete that folder to train from the beginning",
            f"{folder} 中的检查点已损坏；删除该文件夹后可从头训练",
        ) from error

"""The state of a training after a complete epoch, from which it can be resumed exactly.

``checkpoint.json`` names the two safetensors files it belongs to and is replaced in one rename, so whatever
kills the process, the folder holds a whole checkpoint or none. Nothing is pickled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from core.corpus.atomic import replacing, write_json
from core.runtime.message import ToldValueError
from core.training.run.checkpoint_refusals import check_plan, damage_as_error
from core.training.run.errors import TrainingError
from core.training.run.state_tensors import (
    optimiser_tensors,
    random_states,
    restore_optimiser,
    set_random_states,
    weights_of,
    with_prefix,
    without_prefix,
)
from core.training.strategies.composition import Strategies

INDEX = "checkpoint.json"


@dataclass(frozen=True, slots=True)
class EpochRecord:
    """The result of one epoch. ``f1`` and the other scores are None without dev documents.

    ``criterion``: the score of a custom judge (see ``core.training.loop.train``); the highest is the best.
    """

    epoch: int
    loss: float
    precision: float | None
    recall: float | None
    f1: float | None
    learning_rate: float
    seconds: float
    criterion: float | None = None


@dataclass(slots=True)
class Checkpoint:
    """A training after some complete epochs.

    Args:
        epoch: number of complete epochs. step: optimiser steps so far.
        history: one record per epoch. best_epoch: 1-based, 0 before any.
        best: weights of the best epoch by name.
        plan: the settings a resumed training must share.
        scaler: state of the precision (``core.training.precision``).
    """

    epoch: int
    step: int
    history: list[EpochRecord]
    best_epoch: int
    best: dict[str, Tensor]
    plan: dict[str, Any]
    scaler: dict[str, Any] = field(default_factory=dict)


def save_checkpoint(
    folder: Path,
    checkpoint: Checkpoint,
    module: nn.Module,
    optimiser: torch.optim.Optimizer,
    strategies: Strategies,
) -> None:
    """Write the checkpoint and the current weights, optimiser, strategies and random state.

    Raises:
        DiskFullError: the previous checkpoint is untouched.
    """
    folder.mkdir(parents=True, exist_ok=True)
    state_name = f"state-{checkpoint.epoch:04d}.safetensors"
    best_name = f"best-{checkpoint.best_epoch:04d}.safetensors"
    moving, numbers = optimiser_tensors(optimiser)
    tensors = {
        **with_prefix("model.", weights_of(module)),
        **with_prefix("optimiser.", moving),
        **with_prefix("random.", random_states()),
        **with_prefix("strategies.", strategies.state()),
    }
    index = {
        "format": 1,
        "state": state_name,
        "best": best_name,
        "epoch": checkpoint.epoch,
        "step": checkpoint.step,
        "best_epoch": checkpoint.best_epoch,
        "history": [asdict(record) for record in checkpoint.history],
        "optimiser": numbers,
        "plan": checkpoint.plan,
        "scaler": checkpoint.scaler,
    }
    try:
        _save(folder / state_name, tensors)
        # A file that no index names may be left over from a training killed in its first epoch.
        if best_name not in _named(folder):
            _save(folder / best_name, checkpoint.best)
    except BaseException:
        for name in {state_name, best_name} - _named(folder):
            with suppress(OSError):
                (folder / name).unlink(missing_ok=True)
        raise
    write_json(folder / INDEX, index)
    _remove_others(folder, {state_name, best_name})


def load_checkpoint(
    folder: Path,
    module: nn.Module,
    optimiser: torch.optim.Optimizer,
    strategies: Strategies,
    plan: Mapping[str, Any],
) -> Checkpoint | None:
    """Restore weights, optimiser, strategies and random state; None if no epoch was completed.

    Raises:
        TrainingError: a file is damaged, or the checkpoint belongs to another training than ``plan``.
    """
    if not (folder / INDEX).exists():
        return None
    index = _read_index(folder)
    check_plan(folder, index["plan"], plan)
    with damage_as_error(folder):
        tensors = load_file(folder / index["state"])
        best = load_file(folder / index["best"])
        module.load_state_dict(without_prefix(tensors, "model."))
        restore_optimiser(optimiser, without_prefix(tensors, "optimiser."), index["optimiser"])
        strategies.load_state(without_prefix(tensors, "strategies."))
        set_random_states(without_prefix(tensors, "random."))
        history = [EpochRecord(**record) for record in index["history"]]
        scaler = dict(index.get("scaler", {}))  # which earlier versions did not write
    return Checkpoint(
        index["epoch"], index["step"], history, index["best_epoch"], best, dict(index["plan"]), scaler
    )


def _save(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write atomically: a file that exists is complete."""
    with replacing(path) as (new,):
        save_file(dict(tensors), new)


def _read_index(folder: Path) -> dict[str, Any]:
    with damage_as_error(folder):
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        for key in ("state", "best"):
            # We only write plain names; anything that could leave the folder is damage.
            if Path(index[key]).name != index[key]:
                raise ValueError(f"{key} is not a file name")
        if not isinstance(index["plan"], dict) or not isinstance(index["history"], list):
            raise ToldValueError("plan or history is missing")
        return dict(index)


def _named(folder: Path) -> set[str]:
    """The files that the current checkpoint needs."""
    try:
        index = _read_index(folder)
    except (OSError, TrainingError):
        return set()
    return {index["state"], index["best"]}


def _remove_others(folder: Path, keep: set[str]) -> None:
    for path in folder.glob("*.safetensors"):
        if path.name not in keep:
            with suppress(OSError):
                path.unlink()

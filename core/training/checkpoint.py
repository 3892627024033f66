"""The state of a training after a complete epoch, enough to go on as if nothing had happened.

``checkpoint.json`` names the two safetensors files it belongs to and is replaced in one rename, so whatever
kills the process, the folder holds a whole checkpoint or none. Nothing is pickled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from core.training.atomic import naming_full_disk, write_json
from core.training.message import TrainingError
from core.training.strategies.composition import Strategies

INDEX = "checkpoint.json"


@dataclass(frozen=True, slots=True)
class EpochRecord:
    """What one epoch came to. ``f1`` and the other scores are None without dev documents.

    Where something else than dev documents judged it, ``criterion`` is what that said; the most is the best.
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
        epoch: complete epochs. step: optimiser steps made.
        history: one record per epoch. best_epoch: 1-based, 0 before any.
        best: weights of the best epoch by name.
        plan: what must be the same for a resumed training to be the same training.
    """

    epoch: int
    step: int
    history: list[EpochRecord]
    best_epoch: int
    best: dict[str, Tensor]
    plan: dict[str, Any]


def weights_of(module: nn.Module) -> dict[str, Tensor]:
    """A copy of the module's state by name, on the CPU; every tensor has storage of its own."""
    return {name: value.detach().cpu().clone() for name, value in module.state_dict().items()}


def save_checkpoint(
    folder: Path,
    checkpoint: Checkpoint,
    module: nn.Module,
    optimiser: torch.optim.Optimizer,
    strategies: Strategies,
) -> None:
    """Write the checkpoint and the current weights, optimiser, strategies and random state.

    Raises:
        DiskFullError: the checkpoint before is untouched.
    """
    folder.mkdir(parents=True, exist_ok=True)
    state_name = f"state-{checkpoint.epoch:04d}.safetensors"
    best_name = f"best-{checkpoint.best_epoch:04d}.safetensors"
    numbers: dict[str, dict[str, Any]] = {}
    tensors = {f"model.{name}": value for name, value in weights_of(module).items()}
    tensors.update(_optimiser_tensors(optimiser, numbers))
    tensors.update({f"random.{name}": value for name, value in _random_states().items()})
    tensors.update({f"strategies.{name}": value for name, value in strategies.state().items()})
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
    }
    with naming_full_disk(folder / state_name):
        try:
            _save(folder / state_name, tensors)
            if not (folder / best_name).exists():
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
    """Put weights, optimiser, strategies and random state back; None where no epoch was completed.

    Raises:
        TrainingError: a file is damaged, or the checkpoint is of another training than ``plan``.
    """
    if not (folder / INDEX).exists():
        return None
    index = _read_index(folder)
    different = sorted(key for key in {*plan, *index["plan"]} if plan.get(key) != index["plan"].get(key))
    if different:
        raise TrainingError(
            f"{folder} is the checkpoint of another training ({', '.join(different)} differ); resume it with "
            "the same settings and documents, or start a new run",
            f"{folder} 属于另一次训练（不同之处：{'、'.join(different)}）；请用相同的设置继续，或重新开始",
        )
    try:
        tensors = load_file(folder / index["state"])
        best = load_file(folder / index["best"])
        module.load_state_dict(_below(tensors, "model."))
        _restore_optimiser(optimiser, _below(tensors, "optimiser."), index["optimiser"])
        strategies.load_state(_below(tensors, "strategies."))
        _set_random_states(_below(tensors, "random."))
    except (OSError, SafetensorError, RuntimeError, ValueError, KeyError) as error:
        raise _damaged(folder, error) from error
    history = [EpochRecord(**record) for record in index["history"]]
    return Checkpoint(index["epoch"], index["step"], history, index["best_epoch"], best, dict(index["plan"]))


def _save(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write beside and rename: an existing name always means a whole file."""
    beside = path.with_suffix(".new")
    try:
        save_file(dict(tensors), beside)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _optimiser_tensors(
    optimiser: torch.optim.Optimizer, numbers: dict[str, dict[str, Any]]
) -> dict[str, Tensor]:
    """Tensors by name; what is no tensor goes into ``numbers``."""
    tensors: dict[str, Tensor] = {}
    for parameter, values in optimiser.state_dict()["state"].items():
        for key, value in values.items():
            if isinstance(value, Tensor):
                tensors[f"optimiser.{parameter}.{key}"] = value.detach().cpu().clone()
            else:
                numbers.setdefault(str(parameter), {})[key] = value
    return tensors


def _restore_optimiser(
    optimiser: torch.optim.Optimizer, tensors: Mapping[str, Tensor], numbers: Mapping[str, dict[str, Any]]
) -> None:
    state: dict[int, dict[str, Any]] = {int(parameter): dict(given) for parameter, given in numbers.items()}
    for name, value in tensors.items():
        parameter, _, key = name.partition(".")
        state.setdefault(int(parameter), {})[key] = value
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})


def _random_states() -> dict[str, Tensor]:
    states = {"cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        states.update({f"cuda{index}": value for index, value in enumerate(torch.cuda.get_rng_state_all())})
    if torch.backends.mps.is_available():
        states["mps"] = torch.mps.get_rng_state()
    return states


def _set_random_states(states: Mapping[str, Tensor]) -> None:
    torch.set_rng_state(states["cpu"])
    for index in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
        if f"cuda{index}" in states:
            torch.cuda.set_rng_state(states[f"cuda{index}"], index)
    if "mps" in states and torch.backends.mps.is_available():
        torch.mps.set_rng_state(states["mps"])


def _below(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name[len(prefix) :]: value for name, value in tensors.items() if name.startswith(prefix)}


def _read_index(folder: Path) -> dict[str, Any]:
    try:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        for key in ("state", "best"):
            # The names are ours; anything that could leave the folder is not.
            if Path(index[key]).name != index[key]:
                raise ValueError(f"{key} is not a file name")
        if not isinstance(index["plan"], dict) or not isinstance(index["history"], list):
            raise ValueError("plan or history is missing")
        return dict(index)
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(folder, error) from error


def _named(folder: Path) -> set[str]:
    """Files the checkpoint that stands needs."""
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


def _damaged(folder: Path, error: Exception) -> TrainingError:
    return TrainingError(
        f"the checkpoint in {folder} is damaged ({str(error).splitlines()[0] if str(error) else error!r}); "
        "delete that folder to train from the beginning",
        f"{folder} 中的检查点已损坏；删除该文件夹后可从头训练",
    )

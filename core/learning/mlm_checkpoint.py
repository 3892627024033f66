"""The state of a masked-language-model training at any step, enough to go on as if nothing had happened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from core.training.atomic import replace_folder, write_json
from core.training.message import TrainingError

INDEX, TENSORS = "checkpoint.json", "state.safetensors"


@dataclass(frozen=True, slots=True)
class MlmEpoch:
    """What one epoch came to: mean loss of a step, and perplexity of the pieces hidden in the dev text."""

    epoch: int
    loss: float
    perplexity: float | None
    seconds: float


@dataclass(slots=True)
class MlmProgress:
    """Where a training stands.

    Args:
        epoch: complete epochs. step: steps made of the one under way. loss, seconds: of that, summed.
        before: dev perplexity before the first step. history: one record per complete epoch.
        best_epoch: whose weights the folder holds, 1-based; 0 before any.
    """

    epoch: int = 0
    step: int = 0
    loss: float = 0.0
    seconds: float = 0.0
    before: float | None = None
    history: list[MlmEpoch] = field(default_factory=list)
    best_epoch: int = 0


def save_checkpoint(
    folder: Path,
    progress: MlmProgress,
    model: nn.Module,
    optimiser: torch.optim.Optimizer,
    plan: Mapping[str, Any],
) -> None:
    """Replace the folder in one rename.

    Raises:
        DiskFullError: the checkpoint before is untouched.
    """
    tensors = {f"model.{name}": value for name, value in model.state_dict().items()}
    for number, values in optimiser.state_dict()["state"].items():
        tensors.update({f"optimiser.{number}.{key}": value for key, value in values.items()})
    tensors["random.cpu"] = torch.get_rng_state()
    if torch.cuda.is_available():
        tensors["random.cuda"] = torch.cuda.get_rng_state()

    def fill(beside: Path) -> None:
        # Cloned, because tied weights share their memory and safetensors refuses that.
        save_file({name: value.detach().cpu().clone() for name, value in tensors.items()}, beside / TENSORS)
        write_json(beside / INDEX, {"format": 1, "plan": dict(plan), "progress": asdict(progress)})

    folder.parent.mkdir(parents=True, exist_ok=True)
    replace_folder(folder, fill)


def load_checkpoint(
    folder: Path, model: nn.Module, optimiser: torch.optim.Optimizer, plan: Mapping[str, Any]
) -> MlmProgress | None:
    """Put weights, optimiser and random state back; None where there is no checkpoint.

    Raises:
        TrainingError: it is damaged, or of another training than ``plan``.
    """
    if not (folder / INDEX).is_file():
        return None
    try:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        stored = index["plan"]
        different = sorted(key for key in {*plan, *stored} if plan.get(key) != stored.get(key))
        if different:
            raise TrainingError(
                f"{folder} is the checkpoint of another training ({', '.join(different)} differ); "
                "resume it with the same text and settings, or name another folder"
            )
        tensors = load_file(folder / TENSORS)
        model.load_state_dict(_below(tensors, "model."))
        _restore_optimiser(optimiser, _below(tensors, "optimiser."))
        torch.set_rng_state(tensors["random.cpu"])
        if torch.cuda.is_available() and "random.cuda" in tensors:
            torch.cuda.set_rng_state(tensors["random.cuda"])
        value = index["progress"]
        return MlmProgress(**{**value, "history": [MlmEpoch(**record) for record in value["history"]]})
    except (OSError, SafetensorError, ValueError, KeyError, TypeError, RuntimeError) as error:
        why = str(error).splitlines()[0] if str(error) else repr(error)
        raise TrainingError(
            f"the checkpoint in {folder} is damaged ({why}); delete that folder to train from the beginning"
        ) from error


def _restore_optimiser(optimiser: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    state: dict[int, dict[str, Tensor]] = {}
    for name, value in tensors.items():
        number, _, key = name.partition(".")
        state.setdefault(int(number), {})[key] = value
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})


def _below(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name[len(prefix) :]: value for name, value in tensors.items() if name.startswith(prefix)}

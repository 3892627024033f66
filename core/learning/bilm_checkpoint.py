"""The state of a biLM training at any step, enough to go on as if nothing had happened."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.layers.lstmp import LstmpState
from core.learning.bilm import Bilm, Perplexity
from core.training.atomic import replace_folder, write_json
from core.training.message import TrainingError

INDEX, TENSORS = "checkpoint.json", "state.safetensors"


@dataclass(frozen=True, slots=True)
class BilmEpoch:
    """What one epoch came to: mean loss of a token, sampled where the softmax was, and dev perplexity."""

    epoch: int
    loss: float
    dev: Perplexity | None
    seconds: float


@dataclass(slots=True)
class BilmProgress:
    """Where a training stands.

    Args:
        epoch: complete epochs. step: batches done of the one under way.
        loss, tokens, seconds: of the epoch under way, summed.
        before: dev perplexity before the first step. history: one record per complete epoch.
        best_epoch: 1-based, 0 before any.
    """

    epoch: int = 0
    step: int = 0
    loss: float = 0.0
    tokens: int = 0
    seconds: float = 0.0
    before: Perplexity | None = None
    history: list[BilmEpoch] = field(default_factory=list)
    best_epoch: int = 0


States = tuple[LstmpState, ...] | None


def save_checkpoint(
    folder: Path,
    progress: BilmProgress,
    bilm: Bilm,
    optimiser: torch.optim.Optimizer,
    states: States,
    plan: Mapping[str, Any],
) -> None:
    """Replace the folder in one rename.

    Raises:
        DiskFullError: the checkpoint before is untouched.
    """
    tensors = {f"model.{name}": value for name, value in bilm.state_dict().items()}
    for number, values in optimiser.state_dict()["state"].items():
        tensors.update({f"optimiser.{number}.{key}": value for key, value in values.items()})
    for layer, state in enumerate(states or ()):
        tensors[f"output.{layer}"], tensors[f"cell.{layer}"] = state
    tensors["random.cpu"] = torch.get_rng_state()
    if torch.cuda.is_available():
        tensors["random.cuda"] = torch.cuda.get_rng_state()

    def fill(beside: Path) -> None:
        save_file({name: value.detach().cpu().clone() for name, value in tensors.items()}, beside / TENSORS)
        write_json(beside / INDEX, {"format": 1, "plan": dict(plan), "progress": asdict(progress)})

    replace_folder(folder, fill)


def load_checkpoint(
    folder: Path, bilm: Bilm, optimiser: torch.optim.Optimizer, plan: Mapping[str, Any]
) -> tuple[BilmProgress, States] | None:
    """Put weights, optimiser and random state back; None where there is no checkpoint.

    Raises:
        TrainingError: it is damaged, or of another training than ``plan``.
    """
    if not (folder / INDEX).is_file():
        return None
    try:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        different = sorted(key for key in {*plan, *index["plan"]} if plan.get(key) != index["plan"].get(key))
        if different:
            raise TrainingError(
                f"{folder} is the checkpoint of another training ({', '.join(different)} differ); "
                "resume it with the same text and settings, or name another folder"
            )
        tensors = load_file(folder / TENSORS)
        bilm.load_state_dict(_below(tensors, "model."))
        _restore_optimiser(optimiser, _below(tensors, "optimiser."))
        torch.set_rng_state(tensors["random.cpu"])
        if torch.cuda.is_available() and "random.cuda" in tensors:
            torch.cuda.set_rng_state(tensors["random.cuda"])
        layers = len(_below(tensors, "cell."))
        states = tuple(
            LstmpState(tensors[f"output.{layer}"], tensors[f"cell.{layer}"]) for layer in range(layers)
        )
        return _progress(index["progress"]), states or None
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


def _progress(value: Mapping[str, Any]) -> BilmProgress:
    history = [BilmEpoch(**{**record, "dev": _perplexity(record["dev"])}) for record in value["history"]]
    return BilmProgress(**{**value, "before": _perplexity(value["before"]), "history": history})


def _perplexity(value: Mapping[str, float] | None) -> Perplexity | None:
    return None if value is None else Perplexity(**value)


def _below(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name[len(prefix) :]: value for name, value in tensors.items() if name.startswith(prefix)}

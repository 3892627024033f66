"""The state of optimisers and random generators as tensors, for resuming a training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

OptimiserNumbers = dict[str, dict[str, Any]]


def weights_of(module: nn.Module) -> dict[str, Tensor]:
    """A copy of the module's state by name, on the CPU; tensors share no storage."""
    return {name: value.detach().cpu().clone() for name, value in module.state_dict().items()}


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> tuple[dict[str, Tensor], OptimiserNumbers]:
    """An optimiser's state: tensors by ``PARAMETER.KEY``, and other values by parameter and key."""
    tensors: dict[str, Tensor] = {}
    numbers: OptimiserNumbers = {}
    for parameter, values in optimiser.state_dict()["state"].items():
        for key, value in values.items():
            if isinstance(value, Tensor):
                tensors[f"{parameter}.{key}"] = value.detach().cpu().clone()
            else:
                numbers.setdefault(str(parameter), {})[key] = value
    return tensors, numbers


def restore_optimiser(
    optimiser: torch.optim.Optimizer, tensors: Mapping[str, Tensor], numbers: Mapping[str, Mapping[str, Any]]
) -> None:
    """Restore what ``optimiser_tensors`` returned; learning rates and other options stay as they are."""
    state: dict[int, dict[str, Any]] = {int(parameter): dict(given) for parameter, given in numbers.items()}
    for name, value in tensors.items():
        parameter, _, key = name.partition(".")
        state.setdefault(int(parameter), {})[key] = value
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})


def random_states() -> dict[str, Tensor]:
    """The state of torch's random generators, on every available device."""
    states = {"cpu": torch.get_rng_state()}
    if torch.cuda.is_available():
        states.update({f"cuda{index}": value for index, value in enumerate(torch.cuda.get_rng_state_all())})
    if torch.backends.mps.is_available():
        states["mps"] = torch.mps.get_rng_state()
    return states


def set_random_states(states: Mapping[str, Tensor]) -> None:
    """Restore what ``random_states`` returned; missing devices are skipped."""
    torch.set_rng_state(states["cpu"])
    for index in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
        if f"cuda{index}" in states:
            torch.cuda.set_rng_state(states[f"cuda{index}"], index)
    if "mps" in states and torch.backends.mps.is_available():
        torch.mps.set_rng_state(states["mps"])


def without_prefix(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose names start with ``prefix``, with it removed."""
    return {name[len(prefix) :]: value for name, value in tensors.items() if name.startswith(prefix)}


def with_prefix(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors with ``prefix`` added to their names."""
    return {f"{prefix}{name}": value for name, value in tensors.items()}

"""Reads from a run's events how its layer mixes changed during training."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

MOST_POINTS = 400  # more than a figure has pixels for
Point = tuple[int, list[dict[str, Any]]]  # steps made, and the mixes as the event holds them


@dataclass(frozen=True, slots=True)
class MixPath:
    """One mix over the steps of a training.

    Args:
        name: as in `MixTrace`. layers: numbers of the layers.
        steps: optimiser steps at every point, ``[N]``, ascending.
        weights: s_j at every point, ``[N][layers]``. gamma: ``[N]``.
        penalty: the L2 penalty in the loss, ``[N]``; empty without one.
    """

    name: str
    layers: tuple[int, ...]
    steps: tuple[int, ...]
    weights: tuple[tuple[float, ...], ...]
    gamma: tuple[float, ...]
    penalty: tuple[float, ...]


def mix_paths(events: Sequence[Mapping[str, Any]]) -> tuple[MixPath, ...]:
    """The paths of all mixes in the ``events`` of a run, in order; empty without mixes.

    Steps that a resumed run repeated count once; of a long run about ``MOST_POINTS`` points are kept. Events
    come from a file, so malformed mixes are skipped.
    """
    points: list[Point] = []
    for event in events:
        step, mixes = event.get("step"), event.get("mixes")
        if not _is_number(step) or not isinstance(step, int) or not isinstance(mixes, list):
            continue
        # A resumed run continues after its last complete epoch: later steps were lost.
        while points and points[-1][0] >= step:
            points.pop()
        points.append((step, [mix for mix in mixes if _is_mix(mix)]))
    last = points[-1][1] if points else []
    kept = [point for at, point in enumerate(points[:-1]) if at % -(-len(points) // MOST_POINTS) == 0]
    return tuple(_path(mix["name"], tuple(mix["layers"]), [*kept, points[-1]]) for mix in last)


def _path(name: str, layers: tuple[int, ...], points: Sequence[Point]) -> MixPath:
    of_mix = [
        (step, mix)
        for step, mixes in points
        for mix in mixes
        if mix["name"] == name and tuple(mix["layers"]) == layers
    ]
    penalties: tuple[Any, ...] = tuple(mix.get("penalty") for _, mix in of_mix)
    return MixPath(
        name,
        layers,
        tuple(step for step, _ in of_mix),
        tuple(tuple(mix["weights"]) for _, mix in of_mix),
        tuple(mix["gamma"] for _, mix in of_mix),
        penalties if all(map(_is_number, penalties)) else (),
    )


def _is_mix(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return False
    layers, weights = value.get("layers"), value.get("weights")
    return (
        isinstance(layers, list)
        and isinstance(weights, list)
        and len(layers) == len(weights)
        and all(isinstance(layer, int) and _is_number(layer) for layer in layers)
        and all(map(_is_number, [*weights, value.get("gamma")]))
    )


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) <= sys.float_info.max  # neither NaN nor an integer that no float holds

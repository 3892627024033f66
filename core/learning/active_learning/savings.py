"""Savings of an acquisition function: documents, characters and spans until a share of the full F1."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from core.learning.active_learning.simulation import FULL, Point

Unit = Literal["documents", "characters", "spans"]
UNITS: tuple[Unit, ...] = get_args(Unit)
BASELINE = "random"


@dataclass(frozen=True, slots=True)
class Saving:
    """The amount one acquisition function needs for a share of the full F1, in one unit.

    Args:
        needed: mean over the seeds; None if one of them did not reach it, or none is decided.
        seeds: number of decided ones, which reached it or were simulated to the end. reached: number that
            reached it.
        ratio: ``needed`` relative to random with the same seeds; None if either is unknown.
    """

    strategy: str
    share: float
    unit: Unit
    needed: float | None
    seeds: int
    reached: int
    ratio: float | None

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values under the field names."""
        return asdict(self)


def savings(points: Sequence[Point], shares: Sequence[float], last: int) -> list[Saving]:
    """The savings by acquisition function, share and unit.

    Args:
        last: documents at the end of a simulation; a shorter curve is undecided about shares it has not
            reached.
    """
    full = {point.seed: point.f1 for point in points if point.strategy == FULL}
    curves = _curves(points)
    rows = []
    for strategy in dict.fromkeys(strategy for strategy, _ in curves):
        simulated = [seed for other, seed in curves if other == strategy and seed in full]
        for share in shares:
            seeds = [seed for seed in simulated if _decided(curves[strategy, seed], share * full[seed], last)]
            for unit in UNITS:
                needs = _needs(curves, full, strategy, seeds, share, unit)
                baseline_needs = _needs(curves, full, BASELINE, seeds, share, unit)
                needed = _mean(needs)
                against = _mean(baseline_needs)
                ratio = needed / against if needed is not None and against else None
                reached = sum(value is not None for value in needs)
                rows.append(Saving(strategy, share, unit, needed, len(seeds), reached, ratio))
    return rows


def needed(curve: Sequence[Point], target: float, unit: Unit) -> float | None:
    """The amount labelled when the F1 first reached ``target``, interpolated linearly between two points.

    None if it never did; the first point's amount if that point is above it already.
    """
    before: Point | None = None
    for point in curve:
        if point.f1 >= target:
            amount = float(getattr(point, unit))
            if before is None:
                return amount
            start = float(getattr(before, unit))
            return start + (amount - start) * (target - before.f1) / (point.f1 - before.f1)
        before = point
    return None


def _decided(curve: Sequence[Point], target: float, last: int) -> bool:
    return curve[-1].documents >= last or any(point.f1 >= target for point in curve)


def _curves(points: Sequence[Point]) -> dict[tuple[str, int], list[Point]]:
    curves: dict[tuple[str, int], list[Point]] = {}
    for point in points:
        if point.strategy != FULL:
            curves.setdefault((point.strategy, point.seed), []).append(point)
    return {key: sorted(curve, key=lambda point: point.documents) for key, curve in curves.items()}


def _needs(
    curves: Mapping[tuple[str, int], Sequence[Point]],
    full: Mapping[int, float],
    strategy: str,
    seeds: Sequence[int],
    share: float,
    unit: Unit,
) -> list[float | None]:
    return [needed(curves.get((strategy, seed), ()), share * full[seed], unit) for seed in seeds]


def _mean(values: Sequence[float | None]) -> float | None:
    reached = [value for value in values if value is not None]
    return statistics.fmean(reached) if reached and len(reached) == len(values) else None

"""The points of a learning curve as its run folder holds them; reading them needs no torch."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from core.corpus.atomic import write_json
from core.training.run.run_folder import RunFolder

POINTS = "points"
POINT = "point.json"


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One training of a learning curve.

    Args:
        subject: name of the config. share: of the training documents. documents, spans: their numbers.
        f1: micro F1, 0 to 1. part: the documents it was scored on, ``test`` or ``dev``.
        seconds: of its epochs.
    """

    subject: str
    share: float
    documents: int
    spans: int
    f1: float
    part: str
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """All fields under their names."""
        return asdict(self)


def point_folder(folder: RunFolder, subject: int, share: float) -> Path:
    """The folder of the training of subject number ``subject`` on this share."""
    return folder.path / POINTS / f"{subject}-{float(share)!r}"


def write_point(folder: Path, point: CurvePoint) -> None:
    """Mark a training as done."""
    write_json(folder / POINT, point.to_json())


def read_point(folder: Path) -> CurvePoint | None:
    """Read a point; None if it is missing or invalid."""
    try:
        value = json.loads((folder / POINT).read_text(encoding="utf-8"))
        point = CurvePoint(**value) if isinstance(value, Mapping) else None
    except (OSError, ValueError, TypeError):
        return None
    return point if point is not None and _is_sound(point) else None


def curve_points(folder: RunFolder) -> list[CurvePoint]:
    """The finished trainings, by subject and share."""
    points = [read_point(path) for path in (folder.path / POINTS).glob("*") if path.is_dir()]
    return sorted((p for p in points if p is not None), key=lambda point: (point.subject, point.share))


def _is_sound(point: CurvePoint) -> bool:
    """Whether all fields are valid."""
    numbers = (point.share, point.documents, point.spans, point.f1, point.seconds)
    return (
        isinstance(point.subject, str)
        and isinstance(point.part, str)
        and all(isinstance(number, (int, float)) and 0 <= number < 1e9 for number in numbers)
        and point.share <= 1
        and point.f1 <= 1
    )

"""The complete state of a pretraining at any step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from safetensors.torch import load_file, save_file
from torch import Tensor

from core.corpus.atomic import recover_folder, replace_folder, write_json

Measure = TypeVar("Measure")  # dev score: one perplexity, or one per direction
CHECKPOINT = "checkpoint"
INDEX, TENSORS = "checkpoint.json", "state.safetensors"


@dataclass(frozen=True, slots=True)
class PretrainingEpoch(Generic[Measure]):
    """Result of an epoch: mean loss, dev score, seconds of training."""

    epoch: int
    loss: float
    dev: Measure | None
    seconds: float


@dataclass(slots=True)
class PretrainingProgress(Generic[Measure]):
    """Progress of a training.

    Args:
        epoch: number of complete epochs. step: steps of the current one.
        loss, counted, seconds: sums over the current epoch; ``loss / counted`` is the mean loss.
        before: dev score before the first step. history: one record per complete epoch.
        best_epoch: epoch whose weights were written, 1-based; 0 before any.
    """

    epoch: int = 0
    step: int = 0
    loss: float = 0.0
    counted: int = 0
    seconds: float = 0.0
    before: Measure | None = None
    history: list[PretrainingEpoch[Measure]] = field(default_factory=list)
    best_epoch: int = 0


@dataclass(frozen=True, slots=True)
class PretrainingCheckpoint:
    """The contents of a checkpoint.

    Args:
        plan: the settings a resumed training must share.
        progress: as JSON. more: extra state of the subclass. numbers: non-tensor state of the optimiser.
            tensors: weights, optimiser, random generators.
    """

    plan: Mapping[str, Any]
    progress: Mapping[str, Any]
    more: Mapping[str, Any]
    numbers: Mapping[str, Any]
    tensors: Mapping[str, Tensor]

    def write(self, folder: Path) -> None:
        """Replace the folder in one rename.

        Raises:
            DiskFullError: the previous checkpoint is untouched.
        """
        index = {
            "format": 2, "plan": self.plan, "progress": self.progress, "more": self.more,
            "optimiser": self.numbers,
        }  # fmt: skip

        def fill(beside: Path) -> None:
            save_file(dict(self.tensors), beside / TENSORS)
            write_json(beside / INDEX, index)

        folder.parent.mkdir(parents=True, exist_ok=True)
        replace_folder(folder, fill)

    @classmethod
    def read(cls, folder: Path) -> PretrainingCheckpoint | None:
        """Read a checkpoint; None if there is none.

        Raises:
            OSError, SafetensorError, ValueError, KeyError, TypeError: it is damaged.
        """
        recover_folder(folder)
        if not (folder / INDEX).is_file():
            return None
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        plan, progress, more, numbers = (dict(index[k]) for k in ("plan", "progress", "more", "optimiser"))
        return cls(plan, progress, more, numbers, load_file(folder / TENSORS))

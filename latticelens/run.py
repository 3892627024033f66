"""A training run: its folder, its state, its scores."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from latticelens.tagger import Tagger


@dataclass(frozen=True, slots=True)
class Run(os.PathLike[str]):
    """A run; a path to its folder, so ``load`` and ``open`` take it as one.

    Args:
        name: the folder's, or the run's name in its workspace.
        tagger: registered name of what it trains.
        folder: the run folder, or a model folder that was registered as a run.
        status: ``queued``, ``running``, ``finished``, ``failed``, ``cancelled`` or ``interrupted``.
        scores: as in ``scores.json``: ``dev`` and ``test`` with ``precision``, ``recall``, ``f1`` in [0, 1].
    """

    name: str
    tagger: str
    folder: Path
    status: str
    scores: Mapping[str, Any] = field(default_factory=dict)

    def __fspath__(self) -> str:
        return str(self.folder)

    def load(self, device: str = "auto") -> Tagger:
        """Its best model, see ``latticelens.load``."""
        from latticelens.tagger import load

        return load(self, device)

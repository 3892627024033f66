"""The events that the loop reports; see ``core.training.run.run_folder``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.taggers.base.trace import MixTrace
from core.training.run.checkpoint import EpochRecord
from core.training.run.progress import Progress


def step_event(epoch: int, epochs: int, loss: float, progress: Progress) -> dict[str, Any]:
    """Progress within an epoch. ``epoch`` is 1-based; ``loss`` is the mean so far."""
    return {
        "event": "step",
        "epoch": epoch,
        "epochs": epochs,
        "fraction": progress.fraction,
        "remaining_seconds": progress.remaining_seconds,
        "loss": loss,
    }


def epoch_event(record: EpochRecord, epochs: int, is_best: bool, progress: Progress) -> dict[str, Any]:
    """The result of an epoch."""
    dev = {"precision": record.precision, "recall": record.recall, "f1": record.f1}
    judged = {} if record.criterion is None else {"criterion": record.criterion}
    return {
        **judged,
        "event": "epoch",
        "epoch": record.epoch,
        "epochs": epochs,
        "loss": record.loss,
        "dev": dev if record.f1 is not None else None,
        "best": is_best,
        "learning_rate": record.learning_rate,
        "seconds": record.seconds,
        "fraction": progress.fraction,
        "remaining_seconds": progress.remaining_seconds,
    }


def step_fields(step: int, mixes: Sequence[MixTrace]) -> dict[str, Any]:
    """Fields of both events: optimiser steps so far, and the layer mixes, if any."""
    if not mixes:
        return {"step": step}
    said = [
        {
            "name": mix.name,
            "layers": list(mix.numbers),
            "weights": [round(float(weight), 6) for weight in mix.weights],
            "gamma": round(mix.gamma, 6),
            "penalty": mix.penalty,
        }
        for mix in mixes
    ]
    return {"step": step, "mixes": said}

"""``scores.json``: what every trained tagger leaves behind, and what it depends on."""

from __future__ import annotations

import platform
import time
from collections.abc import Sequence
from typing import Any

import torch

from core.text.scoring import Scores
from core.training.evaluation import scores_to_json


def run_scores(
    dev: Scores | None,
    test: Scores | None,
    device: torch.device,
    seconds: float,
    *,
    best_epoch: int = 0,
    losses: Sequence[float] = (),
    seconds_per_epoch: float = 0.0,
    documents: int = 0,
    spans: int = 0,
) -> dict[str, Any]:
    """The scores of a run that ends now.

    Args:
        dev, test: None without such documents. seconds: that the training took. losses: one per epoch.
        documents, spans: learned.
    """
    return {
        "dev": scores_to_json(dev) if dev else None,
        "test": scores_to_json(test) if test else None,
        "best_epoch": best_epoch,
        "epochs": len(losses),
        "seconds": round(seconds, 3),
        "seconds_per_epoch": round(seconds_per_epoch, 3),
        "losses": list(losses),
        "train": {"documents": documents, "spans": spans},
        "environment": environment(device),
        "finished_at": time.time(),
    }


def environment(device: torch.device) -> dict[str, Any]:
    """What results depend on besides the program: machine, device, threads, versions."""
    return {
        "device": str(device),
        "gpu": torch.cuda.get_device_name(device) if device.type == "cuda" else None,
        "threads": torch.get_num_threads(),
        "processor": platform.processor() or platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
        "torch": torch.__version__,
    }

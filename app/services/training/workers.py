"""How many processes of this machine share a training."""

from __future__ import annotations

import os
from typing import Any

from app.services.errors import AppError
from app.services.workbench import Workbench
from core.runtime.optional_packages import is_installed

PACKAGE = "ray"


def most_workers(workbench: Workbench) -> int:
    """How many workers a training may have here: one on a demo, or without Ray, which starts them."""
    return 1 if workbench.limits.demo or not is_installed(PACKAGE) else os.cpu_count() or 1


def group_of(workbench: Workbench, workers: int, threads: int, device: str) -> tuple[dict[str, Any], str]:
    """The workers as a run's request has them, empty for one process, and the device of each.

    Args:
        threads: of each worker; 0 gives each one. device: as in the plan; ``auto`` is found out.

    Raises:
        AppError: there are fewer processors or GPUs, Ray is not installed, or this is a demo.
    """
    if workers == 1:
        return {}, device
    from core.cluster.options import WorkerGroup

    if workbench.limits.demo:
        raise AppError("On the demo a training has one worker.")
    if not is_installed(PACKAGE):
        raise AppError("Several workers need Ray. Install it with: pip install 'ray[data,train,tune]'")
    most = most_workers(workbench)
    info = workbench.device.wait() if device == "auto" else None
    on_gpus = (info.name if info else device).startswith("cuda")
    each = max(threads, 1)
    if not 1 <= workers <= most // each:
        raise AppError(
            "{workers} workers (threads of each: {threads}) need {needed} processors, and this machine has "
            "{most}. Choose fewer workers, or fewer threads.",
            workers=workers,
            threads=each,
            needed=workers * each,
            most=most,
        )
    if on_gpus:
        _check_gpus(workers)
    group = WorkerGroup(workers, gpus_per_worker=1.0 if on_gpus else 0.0, threads=each)
    return group.to_json(), device if on_gpus else "cpu"


def _check_gpus(workers: int) -> None:
    import torch

    there = torch.cuda.device_count()
    if workers > there:
        raise AppError(
            "{workers} workers need a GPU each, and this machine has {there}. Choose fewer workers, or the "
            "device cpu.",
            workers=workers,
            there=there,
        )

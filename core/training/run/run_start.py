"""How every run begins: a device is chosen, and the page told."""

from __future__ import annotations

import torch

from core.training.device import choose_device
from core.training.loop import Report
from core.training.processes import ALONE, Processes
from core.training.run.run_request import RunRequest


def start_run(
    request: RunRequest, kind: str, report: Report, *, resumed_from: int = 0, processes: Processes = ALONE
) -> torch.device:
    """Choose the device that ``request`` names and report it with the reason.

    Args:
        kind: of the run. resumed_from: epochs, or other parts, that were finished before.

    Raises:
        TrainingError: the device is not available.
    """
    device, why = choose_device(request.device, processes)
    started = {"event": "started", "kind": kind, "device": str(device), "why": why.to_json()}
    report({**started, "resumed_from": resumed_from})
    return device

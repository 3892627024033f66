"""A run whose training several workers of Ray share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from core.cluster.opening import opened
from core.cluster.options import WorkerGroup
from core.cluster.workers import run_in_workers
from core.runtime.message import _
from core.training.run.run_folder import RunFolder
from core.training.stopping import Stopped

WORK = _("Training on Ray")
Report = Callable[[Mapping[str, Any]], None]


def execute_in_workers(folder: RunFolder, report: Report, should_stop: Callable[[], bool]) -> dict[str, Any]:
    """``execute_training`` in all workers of the request's ``cluster`` at once.

    They read and write the run folder as one process does; only events and the state are written here.

    Raises:
        Stopped: on request. ClusterError, MissingPackage: Ray cannot run it, or what a worker said is wrong.
    """
    request = folder.read_request()
    group = WorkerGroup.from_json(request.cluster)
    path = folder.path.resolve()
    with opened(group, path, WORK) as ray:
        task = partial(_execute, str(path))
        scores: dict[str, Any] | None = run_in_workers(ray, task, group, path, WORK, report, should_stop)
    if scores is None:
        raise Stopped
    return scores


def _execute(path: str, report: Report, should_stop: Callable[[], bool]) -> dict[str, Any] | None:
    """In a worker: the contents of ``scores.json``, or None if it was stopped."""
    from core.training.run.run import execute_training

    try:
        return execute_training(RunFolder(Path(path)), report, should_stop)
    except Stopped:
        return None

"""Execute the request of a run folder and keep its state correct after any error."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from core.corpus.errors import DiskFullError
from core.jobs.failures import error_message
from core.jobs.process import is_alive, process_identity
from core.runtime.message import Message, _
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.run.run_state import RunState
from core.training.stopping import Stopped

Report = Callable[[Mapping[str, Any]], None]


def execute(folder: RunFolder, should_stop: Callable[[], bool], also: Report | None = None) -> RunState:
    """Run in this process; returns the final state.

    The state is ``finished``, ``failed`` (with a sentence of what to do; the traceback goes to the log file),
    ``cancelled`` when the folder holds a ``cancel`` file, or ``interrupted`` when only ``should_stop`` asked.

    Args:
        folder: with request and snapshot.
        should_stop: polled between steps, besides the ``cancel`` file.
        also: called with every event.

    Raises:
        TrainingError: another process executes this run, or its state cannot be written; nothing was changed.
        KeyboardInterrupt, SystemExit: re-raised after setting the state to ``interrupted``.
    """
    claim(folder)

    def stopped() -> bool:
        return should_stop() or folder.cancel_file.exists()

    try:
        scores = _work(folder, stopped, also)
    except Exception as error:
        return _fail(folder, error)
    except BaseException:
        with suppress(Exception):
            _end(folder, "interrupted", _("Interrupted"))
        raise
    folder.append_event("finished", scores=scores)
    return folder.set_state(
        status="finished",
        fraction=1.0,
        remaining_seconds=0.0,
        message=_("Finished"),
        error=None,
        pid=None,
        process=None,
    )


def claim(folder: RunFolder) -> RunState:
    """Claim the run for this process.

    Raises:
        TrainingError: another living process has claimed it.
    """
    pid = os.getpid()
    before = folder.state()
    if before.status == "running" and before.pid != pid and is_alive(before.pid, before.process):
        raise TrainingError(
            "process {process} is working on {path} right now; wait for it or cancel it first",
            process=before.pid,
            path=folder.path,
        )
    folder.sweep()
    return folder.set_state(
        status="running",
        pid=pid,
        process=process_identity(pid),
        message=_("Reading the documents"),
        error=None,
        remaining_seconds=None,
        started_at=time.time(),
    )


def _work(folder: RunFolder, stopped: Callable[[], bool], also: Report | None) -> Mapping[str, Any] | None:
    request = folder.read_request()  # before torch, which takes seconds to load
    kind = request.kind
    from core.jobs.learning_curve import execute_curve
    from core.jobs.tagging_run import execute_tagging
    from core.training.run.run import execute_training
    from core.training.run.run_report import run_report

    report = run_report(folder, also)
    if request.self_training and kind == "train":
        from core.learning.self_training.run import execute_self_training

        return execute_self_training(folder, report, stopped)
    if request.cluster and kind == "train":
        from core.jobs.distributed_run import execute_in_workers

        return execute_in_workers(folder, report, stopped)
    if kind == "tag":
        return execute_tagging(folder, report, stopped)
    if kind == "curve":
        return execute_curve(folder, report, stopped)
    if kind == "search":
        from core.jobs.search_run import execute_search

        return execute_search(folder, report, stopped)
    if kind == "distant":
        from core.learning.pu.run import execute_distant

        return execute_distant(folder, report, stopped)
    if kind == "pretrain":
        from core.jobs.pretraining_run import execute_pretraining

        return execute_pretraining(folder, report, stopped)
    if kind == "ensemble":
        from core.training.run.ensemble_run import execute_ensemble

        return execute_ensemble(folder, report, stopped)
    return execute_training(folder, report, stopped)


def _fail(folder: RunFolder, error: Exception) -> RunState:
    if isinstance(error, Stopped):
        if folder.cancel_file.exists():
            return _end(folder, "cancelled", _("Cancelled; it can be resumed"))
        return _end(folder, "interrupted", _("Interrupted; it can be resumed"))
    with suppress(OSError), folder.log_file.open("a", encoding="utf-8") as log:
        traceback.print_exception(error, file=log)
    sentence = error_message(error, folder)
    try:
        return _end(folder, "failed", _("Failed"), sentence)
    except DiskFullError:
        # Not even the state fits on the disk; the queue will find the process gone and mark it interrupted.
        return RunState(folder.name, "failed", error=sentence)


def _end(folder: RunFolder, status: str, message: Message, error: Message | None = None) -> RunState:
    with suppress(DiskFullError):  # before the state, so that a finished run has all its events
        event = "cancelled" if status == "interrupted" else status
        folder.append_event(event, message=(error or message).to_json())
    return folder.set_state(
        status=status, message=message, error=error, remaining_seconds=None, pid=None, process=None
    )

"""A queue of runs, each in its own process that outlives the app."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from core.corpus.atomic import full_disk_as_error
from core.corpus.errors import DiskFullError
from core.jobs.process import is_alive
from core.runtime.message import _
from core.store.db import audit
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest
from core.training.run.run_state import RunState

STARTING_SECONDS = 120.0  # a worker without a pid by then has failed
STOPPING_SECONDS = 60.0  # a worker that has not stopped by then is killed
Stamp = tuple[int, int, int]
LOST = _(
    "The process ended without finishing (killed, or the machine was switched off); resume "
    "goes on from the last complete epoch"
)


class QueueError(TrainingError):
    """An invalid request to the queue."""


class JobQueue:
    """The runs of a folder. All state is in the run folders, so it survives a restart of the app.

    Thread-safe. There is no polling: ``running``, ``state`` and ``recover`` also start the next waiting run,
    so the app must call them regularly.

    Args:
        runs_folder: the folder of the run folders.
    """

    def __init__(self, runs_folder: Path | str) -> None:
        self.runs_folder = Path(runs_folder)
        self._lock = threading.RLock()
        self._workers: dict[str, subprocess.Popen[bytes]] = {}
        self._leaving: list[subprocess.Popen[bytes]] = []  # of runs that are deleted or have a new worker
        self._ended: dict[str, tuple[Stamp, RunState]] = {}  # with the file each was read from

    def folder(self, run: str) -> RunFolder:
        """The folder of a run.

        Raises:
            QueueError: the name is not the name of a folder directly below ``runs_folder``.
        """
        if not run or run in (".", "..") or Path(run).name != run or "\\" in run or "\0" in run:
            raise QueueError("{run} is not a run's name", run=repr(run))
        return RunFolder(self.runs_folder / run)

    def new_folder(self, kind: str) -> RunFolder:
        """Create a folder ``KIND-0001``, ``KIND-0002``, …, without races."""
        number = 1
        while True:
            folder = self.folder(f"{kind}-{number:04d}")
            try:
                folder.path.mkdir(parents=True)
                return folder
            except FileExistsError:
                number += 1

    def start(self, request: RunRequest, write: Callable[[Path], object]) -> str:
        """Queue a run in a new folder named after its kind; ``write`` puts the snapshot there.

        Nothing is left of one that fails: nobody would find the texts in it again.
        """
        folder = self.new_folder(request.kind)
        try:
            write(folder.path)
            folder.write_request(request)
            self.submit(folder.name)
        except Exception:
            shutil.rmtree(folder.path, ignore_errors=True)
            raise
        return folder.name

    def submit(self, run: str) -> RunState:
        """Append a run, whose request and snapshot exist, to the queue.

        Raises:
            QueueError: it has no request, or is waiting, running or finished.
        """
        with self._lock:
            folder = self.folder(run)
            if not folder.request_file.is_file():
                raise QueueError(
                    "run {run} has no request.json: write its request and snapshot first", run=run
                )
            if folder.state_file.exists():
                status = self._checked_state(folder).status
                raise QueueError(
                    "run {run} was submitted before and is {status}; resume it or start a new run",
                    run=run,
                    status=status,
                )
            return self._enqueue(folder)

    def resume(self, run: str) -> RunState:
        """Append a failed, cancelled or interrupted run to the queue, to be resumed.

        Raises:
            QueueError: no such run, or it is waiting, running or finished.
        """
        with self._lock:
            folder = self.folder(run)
            if not folder.state_file.exists():
                raise QueueError("there is no run {run} to resume", run=run)
            state = self._checked_state(folder)
            if not state.resumable:
                raise QueueError(
                    "run {run} is {status}: there is nothing to resume", run=run, status=state.status
                )
            return self._enqueue(folder)

    def cancel(self, run: str) -> RunState:
        """Remove a waiting run from the queue, or ask a running one to stop after its step.

        A worker that has not stopped after a minute is killed. A run that has ended stays as it is.
        """
        with self._lock:
            folder = self.folder(run)
            state = self._checked_state(folder)
            if not state.active:
                return state
            if state.status == "queued":
                return folder.set_state(status="cancelled", message=_("Cancelled"))
            with full_disk_as_error(folder.cancel_file), suppress(FileExistsError):
                folder.cancel_file.touch(
                    exist_ok=False
                )  # its age decides when to kill: repeated calls keep it
            # Only the worker writes the state; this reports the request.
            return replace(state, message=_("Stopping after this step"))

    def state(self, run: str) -> RunState:
        """The state of a run, after checking for a dead process."""
        with self._lock:
            self._advance()
            return self._checked_state(self.folder(run))

    def states(self) -> list[RunState]:
        """All submitted runs; waiting ones in the order they will start."""
        with self._lock:
            states = [self._cached_state(folder) for folder in self._folders()]
            self._reap_leaving({state.run for state in states})
            self._ended = {s.run: self._ended[s.run] for s in states if s.run in self._ended}
            return sorted(states, key=lambda state: (state.queued_at or 0.0, state.run))

    def running(self) -> RunState | None:
        """The run that is running; starts the next one if none is."""
        with self._lock:
            return self._advance()

    def recover(self) -> list[RunState]:
        """Mark runs whose process has died as ``interrupted``, return them, and start the next run.

        For the start of the app; surviving workers continue.
        """
        with self._lock:
            lost = []
            for folder in self._folders():
                before = folder.state()
                after = self._checked_state(folder)
                if before.status == "running" and after.status == "interrupted":
                    lost.append(after)
            self._advance()
            return lost

    def abandon(self) -> None:
        """Kill the workers of this queue before its folder is deleted."""
        with self._lock:
            for worker in (*self._workers.values(), *self._leaving):
                worker.kill()
                worker.wait()
            self._workers.clear()
            self._leaving.clear()

    def _advance(self) -> RunState | None:
        """Start the first waiting run unless one is running; returns the running one."""
        states = self.states()
        working = [state for state in states if state.status == "running"]
        for state in working:
            self._stop_overdue(self.folder(state.run), state)
        if working:
            return working[0]
        waiting = [state for state in states if state.status == "queued"]
        return self._start(self.folder(waiting[0].run)) if waiting else None

    def _enqueue(self, folder: RunFolder) -> RunState:
        folder.cancel_file.unlink(missing_ok=True)
        state = folder.set_state(
            status="queued",
            message=_("Waiting for its turn"),
            error=None,
            pid=None,
            process=None,
            queued_at=time.time(),
            remaining_seconds=None,
            by=audit.actor(),
        )
        self._advance()
        return self._checked_state(folder) if state.active else state

    def _start(self, folder: RunFolder) -> RunState:
        """Start a worker, from then on the only writer of the state."""
        state = folder.set_state(
            status="running", pid=None, process=None, started_at=time.time(), message=_("Starting")
        )
        if folder.name in self._workers:  # it has written its last state and is about to end
            self._leaving.append(self._workers.pop(folder.name))
        try:
            with folder.log_file.open("ab") as log:
                self._workers[folder.name] = _spawn(folder, log.fileno())
        except OSError as error:
            return folder.set_state(
                status="failed",
                error=_(
                    "the worker could not be started ({reason}); resume the run once this is fixed",
                    reason=error,
                ),
            )
        return state

    def _cached_state(self, folder: RunFolder) -> RunState:
        """``_checked_state``, cached for runs that have ended."""
        name, stamp = folder.path.name, _stamp(folder.state_file)
        cached = self._ended.get(name)
        if cached is not None and cached[0] == stamp:
            self._reap(name)  # the state was written before the process ended
            return cached[1]
        state = self._checked_state(folder)
        if not state.active and stamp is not None and stamp == _stamp(folder.state_file):
            self._ended[name] = (stamp, state)
        return state

    def _reap(self, run: str) -> bool:
        """Reap the run's process if it is a child of ours that has ended; returns whether it was."""
        worker = self._workers.get(run)
        if worker is None or worker.poll() is None:
            return False
        del self._workers[run]
        return True

    def _reap_leaving(self, runs: set[str]) -> None:
        """Reap the ended processes that belong to none of these runs; otherwise they stay as zombies."""
        self._leaving += [self._workers.pop(run) for run in self._workers.keys() - runs]
        self._leaving = [worker for worker in self._leaving if worker.poll() is None]

    def _checked_state(self, folder: RunFolder) -> RunState:
        """The state, corrected if it is "running" without a process."""
        # Before reading the state, so that the last write is seen.
        ended = self._reap(folder.name)
        state = folder.state()
        worker = self._workers.get(folder.name)
        if state.status != "running" or (not ended and self._is_working(state, worker)):
            return state
        cancelled = folder.cancel_file.exists()
        with suppress(DiskFullError):
            state = folder.set_state(
                status="cancelled" if cancelled else "interrupted",
                pid=None,
                process=None,
                remaining_seconds=None,
                message=_("Cancelled; it can be resumed") if cancelled else LOST,
            )
        return state

    def _is_working(self, state: RunState, worker: subprocess.Popen[bytes] | None) -> bool:
        if state.pid is not None:
            return is_alive(state.pid, state.process)
        # No pid yet: our own child is starting; another app's has two minutes.
        return worker is not None or time.time() - (state.started_at or 0.0) < STARTING_SECONDS

    def _stop_overdue(self, folder: RunFolder, state: RunState) -> None:
        """Kill a worker that ignores its cancellation."""
        try:
            asked = folder.cancel_file.stat().st_mtime
        except OSError:
            return
        if time.time() - asked > STOPPING_SECONDS and is_alive(state.pid, state.process):
            assert state.pid is not None
            with suppress(OSError):
                os.kill(state.pid, 9)

    def _folders(self) -> list[RunFolder]:
        if not self.runs_folder.is_dir():
            return []
        return [
            RunFolder(path) for path in sorted(self.runs_folder.iterdir()) if (path / "state.json").is_file()
        ]


def _stamp(file: Path) -> Stamp | None:
    """A cache key that changes when the file is replaced."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino, status.st_size


def _spawn(folder: RunFolder, log: int) -> subprocess.Popen[bytes]:
    """Start a worker in a new session: it outlives this process and does not receive its Ctrl-C."""
    root = str(Path(__file__).resolve().parents[__name__.count(".")])  # from where our name is importable
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}
    detached = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) | getattr(subprocess, "DETACHED_PROCESS", 0)
    return subprocess.Popen(  # noqa: S603 - our own program; the folder is one argument, no shell
        [sys.executable, "-m", f"{__package__}.worker", str(folder.path.resolve())],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        env=environment,
        cwd=root,
        start_new_session=True,
        creationflags=detached,
    )

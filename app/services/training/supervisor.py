"""Drives the job queue and stores the results of runs."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from app.services.limits.table import ALONE, Limits
from core.corpus.document_json import read_documents
from core.jobs.queue import JobQueue
from core.store.db.errors import NotFound
from core.store.db.workspace import Workspace
from core.store.lexicon import lists as lexicon_lists
from core.store.run import predictions, runs
from core.store.run.runs import Run
from core.training.run.run_state import RunState

LOOK_SECONDS = 1.0
SWEEP_SECONDS = 60.0  # between sweeps of word lists left by killed processes

log = logging.getLogger("latticelens")


class Supervisor:
    """A thread that polls the run folders every second.

    Results are derived from the run folders and storing is idempotent, so a killed app continues.

    Args:
        workspace: whose store.
        jobs: whose runs.
        limits: longer runs are cancelled.
        is_full: whether the workspace takes more of the disk than it may; the run is cancelled.
        after: called after every poll, with the store up to date.
    """

    def __init__(
        self,
        workspace: Workspace,
        jobs: JobQueue,
        limits: Limits = ALONE,
        after: Callable[[], None] = lambda: None,
        is_full: Callable[[], bool] = lambda: False,
    ) -> None:
        self._workspace = workspace
        self._jobs = jobs
        self._limits = limits
        self._after = after
        self._is_full = is_full
        self._stop = threading.Event()
        self._refused: dict[str, str] = {}
        self._thread = threading.Thread(target=self._watch, name="run-supervisor", daemon=True)

    def start(self) -> None:
        """Start polling."""
        self._thread.start()

    def stop(self) -> None:
        """Stop polling after the current poll."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=30)

    @property
    def watches(self) -> bool:
        """Whether it polls."""
        return self._thread.is_alive()

    def look(self) -> None:
        """Update the store from the run folders, once."""
        self._jobs.running()
        for state in self._jobs.states():
            self._hold_to_limits(state)
            try:
                run = runs.get(self._workspace, state.run)
            except NotFound:
                continue
            if run.status != state.status:
                self._take_in(run, state)

    def problem(self, run: str) -> str | None:
        """Why the results of a finished run could not be stored, or None."""
        return self._refused.get(run)

    def _take_in(self, run: Run, state: RunState) -> None:
        folder = self._jobs.folder(run.name)
        scores = None
        try:
            if state.status == "finished":
                if folder.predictions_file.is_file():
                    predictions.put(self._workspace, run.name, read_documents(folder.predictions_file))
                scores = folder.scores()
            # Last: the status marks the run as processed.
            runs.set_status(self._workspace, run.name, state.status, scores)
            self._refused.pop(run.name, None)
        except Exception as error:
            if self._refused.get(run.name) != str(error):
                log.warning("the results of run %s were not stored, trying again: %s", run.name, error)
            self._refused[run.name] = str(error)

    def _hold_to_limits(self, state: RunState) -> None:
        if state.status != "running":
            return
        most, began = self._limits.training_seconds, state.started_at
        overdue = most is not None and began is not None and time.time() - began > most
        if overdue or self._is_full():
            self._jobs.cancel(state.run)

    def _watch(self) -> None:
        swept = -SWEEP_SECONDS
        while not self._stop.wait(LOOK_SECONDS):
            try:
                if time.monotonic() - swept >= SWEEP_SECONDS:
                    swept = time.monotonic()
                    lexicon_lists.sweep_later(self._workspace)
                self.look()
                self._after()
            except Exception:
                # The next poll may succeed (a full disk, a folder being written); the thread must survive.
                log.exception("the run folders could not be read")

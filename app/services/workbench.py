"""An open workspace with everything that works on it: its job queue, its serving tagger, its supervisor."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from app.services.device import DeviceProbe
from app.services.earlier_indexes import EarlierIndexes
from app.services.errors import AppError
from app.services.hosting import Limits
from app.services.labelled_sentences import SentenceIndexes
from app.services.serving import ServingTaggers
from app.services.training.supervisor import Supervisor
from core.jobs.process import is_alive, process_identity
from core.jobs.queue import JobQueue
from core.store.db.workspace import Workspace
from core.store.project import members, projects
from core.store.run import runs


class Watcher(Protocol):
    """What follows from runs that end and documents that are saved, such as training again."""

    def look(self) -> None:
        """See whether anything is due."""

    def close(self) -> None:
        """End what is being done."""


class Workbench:
    """One workspace in use.

    Args:
        folder: of the workspace; created when new.
        device: what the app found, shared by every workbench.
        limits: of a public demo, or None on a person's own machine.
        everyone: the workbenches that share this machine, for the limits.

    Raises:
        StoreError: the workspace cannot be opened; says why and what to do.
    """

    def __init__(
        self,
        folder: Path,
        device: DeviceProbe,
        limits: Limits | None = None,
        everyone: Callable[[], Iterable[Workbench]] = tuple,
    ) -> None:
        self.workspace = Workspace.open(folder)
        self.device = device
        self.limits = limits
        self._everyone = everyone
        self.jobs = JobQueue(self.workspace.runs_folder)
        self.jobs.recover()
        self.serving = ServingTaggers(self.workspace, device)
        self.earlier = EarlierIndexes(self.workspace)
        self.labelled_sentences = SentenceIndexes(self.workspace)
        self._watchers: tuple[Watcher, ...] = ()
        self.supervisor = Supervisor(self.workspace, self.jobs, limits, self._look)
        self.supervisor.start()

    def attach(self, watcher: Watcher) -> None:
        """Let ``watcher`` look after every look of the supervisor, and close it with the workbench."""
        self._watchers += (watcher,)

    def _look(self) -> None:
        for watcher in self._watchers:
            watcher.look()

    def first_project(self, user: str = "me", last: int | None = None) -> int:
        """The project to open first: the ``last`` one or the oldest that is open to this person, else the
        oldest one, made when there is none."""
        known = members.open_projects(self.workspace, user) or projects.all_projects(self.workspace)
        if not known:
            return projects.create(self.workspace, "Demo").id
        return next((project.id for project in known if project.id == last), known[0].id)

    def serving_run(self, project_id: int) -> str | None:
        """The run that answers for the project, or None before there is one.

        Raises:
            NotFound: there is no such project.
        """
        return projects.get(self.workspace, project_id).serving_run

    def openable_runs(self, project_id: int) -> list[str]:
        """Runs of the project whose model is there to be loaded, the newest first."""
        known = runs.all_runs(self.workspace, project_id)
        return [run.name for run in reversed(known) if run.status == "finished"]

    def trainings_elsewhere(self) -> int:
        """How many other workbenches of this machine are training."""
        others = [other for other in self._everyone() if other is not self]
        return sum(other.jobs.running() is not None for other in others)

    def check_room(self) -> None:
        """Refuse to begin or go on with a training while a demo's places are taken.

        Raises:
            AppError: says to come again in some minutes.
        """
        if self.limits is not None and self.trainings_elsewhere() >= self.limits.trainings:
            raise AppError("frame.demo.busy")

    def abandon(self) -> None:
        """Stop everything, a running training too: nobody will come back to this workspace."""
        running = self.jobs.running()
        if running is not None:
            self.jobs.cancel(running.run)
        self.close()

    def close(self) -> None:
        """Stop watching and close the file; a training run goes on in its own process."""
        self.supervisor.stop()
        for watcher in self._watchers:
            watcher.close()
        self.serving.clear()
        self.earlier.close()
        self.labelled_sentences.close()
        self.workspace.close()


class WorkspaceInUse(Exception):
    """Another app has this workspace open."""


class WorkspaceLock:
    """A file that says which process has the workspace open.

    Args:
        folder: of the workspace.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "app.lock"

    def take(self) -> None:
        """Hold the lock; one left behind by a dead process is taken over.

        Raises:
            WorkspaceInUse: a living process holds it; names it and says what to do.
        """
        self._file.parent.mkdir(parents=True, exist_ok=True)
        try:
            with self._file.open("x", encoding="utf-8") as file:  # of two that start at once, one makes it
                file.write(_ours())
            return
        except FileExistsError:
            pid, identity = self._holder()
        if pid is not None and pid != os.getpid() and _is_held(pid, identity):
            raise WorkspaceInUse(
                f"the workspace {self._file.parent} is open in another LatticeLens (process {pid}); "
                "close that one, or choose another folder with --workspace"
            )
        self._file.write_text(_ours(), encoding="utf-8")

    def release(self) -> None:
        """Give the lock back, if it is ours."""
        if self._holder()[0] == os.getpid():
            self._file.unlink(missing_ok=True)

    def _holder(self) -> tuple[int | None, str | None]:
        """Pid and identity; an older version wrote the pid alone."""
        try:
            pid, _, identity = self._file.read_text(encoding="utf-8").strip().partition(" ")
            return int(pid), identity or None
        except (OSError, ValueError):
            return None, None


def _ours() -> str:
    return f"{os.getpid()} {process_identity(os.getpid()) or ''}".strip()


def _is_held(pid: int, identity: str | None) -> bool:
    """Whether the process that wrote the lock lives; its pid may be another program's by now."""
    return process_identity(pid) is not None if identity is None else is_alive(pid, identity)

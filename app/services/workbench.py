"""An open workspace with its services: job queue, background tasks, active tagger, supervisor."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from app.services.background.tasks import Tasks
from app.services.backups import Backups, Schedule
from app.services.device import DeviceProbe
from app.services.errors import AppError
from app.services.hosting import FilePolicy, Limits
from app.services.identity.identity import Identity
from app.services.indexes.workspace_indexes import EarlierIndexes, SentenceIndexes
from app.services.loaded_taggers import LoadedTaggers
from app.services.snapshots import Kept, Snapshots
from app.services.training.supervisor import Supervisor
from app.services.webhooks import Webhooks
from core.jobs.queue import JobQueue
from core.store.db.errors import StoreError
from core.store.db.workspace import Workspace
from core.store.project import members, projects
from core.store.run import runs


class Workbench:
    """An open workspace.

    Args:
        folder: of the workspace; created if missing.
        device: shared by all workbenches.
        limits: of a public demo, or None.
        everyone: all workbenches of this process, for the limits.
        files: which files of the server people may name; in a demo what its limits say.
        schedule: of backups, or None.
        identity: who may come in; None where nobody has to say who they are.
        kept: where the snapshots go of a workspace whose storage cannot hold its live file.

    Raises:
        StoreError: the workspace cannot be opened.
    """

    def __init__(
        self,
        folder: Path,
        device: DeviceProbe,
        limits: Limits | None = None,
        everyone: Callable[[], Iterable[Workbench]] = tuple,
        files: FilePolicy | None = None,
        schedule: Schedule | None = None,
        identity: Identity | None = None,
        kept: Kept | None = None,
    ) -> None:
        self.workspace = Workspace.open(folder)
        self.device = device
        self.limits = limits
        self.files = files or FilePolicy()
        self.identity = identity
        self._everyone = everyone
        self.jobs = JobQueue(self.workspace.runs_folder)
        self.jobs.recover()
        self.tasks = Tasks()
        self.taggers = LoadedTaggers(self.workspace, device)
        self.earlier = EarlierIndexes(self.workspace)
        self.labelled_sentences = SentenceIndexes(self.workspace)
        self.webhooks = Webhooks(self.workspace)
        self.source_hosts: tuple[str, ...] = ()  # of language models that may be private
        self.backups = Backups(self.workspace, schedule)
        self.snapshots = Snapshots(self.workspace, self.jobs, kept) if kept else None
        self._watchers: tuple[Callable[[], None], ...] = ()
        self.supervisor = Supervisor(self.workspace, self.jobs, limits, self._look)
        self.supervisor.start()

    def attach(self, look: Callable[[], None]) -> None:
        """Call ``look`` after every poll of the supervisor."""
        self._watchers += (look,)

    def _look(self) -> None:
        for look in self._watchers:
            look()

    def first_project(self, user: str = "me", last: int | None = None) -> int:
        """The project to open first: the ``last`` one or the oldest accessible one, else the oldest; created
        if there is none."""
        open_projects = members.open_projects(self.workspace, user) or projects.all_projects(self.workspace)
        if not open_projects:
            return projects.create(self.workspace, projects.free_name(self.workspace, "Demo")).id
        return next((project.id for project in open_projects if project.id == last), open_projects[0].id)

    def active_run(self, project_id: int) -> str | None:
        """The active run of the project, or None.

        Raises:
            NotFound: there is no such project.
        """
        return projects.get(self.workspace, project_id).active_run

    def openable_runs(self, project_id: int) -> list[str]:
        """Finished runs with a model, newest first."""
        all_runs = runs.all_runs(self.workspace, project_id)
        return [run.name for run in reversed(all_runs) if run.status == "finished"]

    def trainings_elsewhere(self) -> int:
        """Number of other workbenches that are training."""
        others = [other for other in self._everyone() if other is not self]
        return sum(other.jobs.running() is not None for other in others)

    def check_room(self) -> None:
        """Check that the demo has a free place for training.

        Raises:
            AppError: the demo is full.
        """
        if self.limits is not None and self.trainings_elsewhere() >= self.limits.trainings:
            raise AppError(
                "Other visitors are training right now and the demo machine is full. Try again "
                "in a few minutes."
            )

    def lacking(self) -> list[str]:
        """What does not work: ``store``, the file cannot be read; ``supervisor``, nobody follows the runs."""
        missing = [] if self.supervisor.watches else ["supervisor"]
        try:
            projects.all_projects(self.workspace)
        except (StoreError, OSError):
            missing.append("store")
        return missing

    def abandon(self) -> None:
        """Stop everything including trainings, before the workspace is deleted."""
        self.close()  # first: the supervisor would start the next run
        self.jobs.abandon()

    def close(self) -> None:
        """Stop the services and close the file; trainings go on in their own processes."""
        self.supervisor.stop()
        self.tasks.close()
        self.taggers.clear()
        if self.snapshots is not None:
            self.snapshots.close()
        self.workspace.close()

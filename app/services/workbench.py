"""An open workspace with its services: job queue, background tasks, active tagger, supervisor."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from app.i18n import _, ngettext
from app.services.background.tasks import Tasks
from app.services.device import DeviceProbe
from app.services.hosting import FilePolicy
from app.services.identity.identity import Identity
from app.services.indexes.workspace_indexes import EarlierIndexes, SentenceIndexes
from app.services.limits.disk import DiskUse
from app.services.limits.refusals import OverLimit
from app.services.limits.table import ALONE, MEGABYTE, Limits
from app.services.limits.turns import Turns
from app.services.loaded_taggers import LoadedTaggers
from app.services.shared_taggers import SharedTaggers, load
from app.services.storage.backups import Backups, Schedule
from app.services.storage.snapshots import Kept, Snapshots
from app.services.training.supervisor import Supervisor
from app.services.webhooks import Webhooks
from core.jobs.queue import JobQueue
from core.store.db import audit
from core.store.db.errors import StoreError
from core.store.db.workspace import Workspace
from core.store.project import members, projects
from core.store.run import runs

# When it is worth another try.
TRAINING_SECONDS = 120.0
DISK_SECONDS = 600.0


class Workbench:
    """An open workspace.

    Args:
        folder: of the workspace; created if missing.
        device: shared by all workbenches.
        limits: of those who use it. turns: with taggers, and shared: their weights, which a demo's visitors
            have in common.
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
        limits: Limits = ALONE,
        everyone: Callable[[], Iterable[Workbench]] = tuple,
        files: FilePolicy | None = None,
        schedule: Schedule | None = None,
        identity: Identity | None = None,
        kept: Kept | None = None,
        turns: Turns | None = None,
        shared: SharedTaggers | None = None,
    ) -> None:
        self.workspace = Workspace.open(folder)
        self.disk = DiskUse(folder)
        self.device = device
        self.limits = limits
        self.files = files or FilePolicy()
        self.identity = identity
        self._everyone = everyone
        self.jobs = JobQueue(self.workspace.runs_folder)
        self.jobs.recover()
        self.tasks = Tasks()
        turns = turns or Turns(1, limits.questions, limits.all_questions)
        self.taggers = LoadedTaggers(self.workspace, device, turns, shared.load if shared else load)
        self.earlier = EarlierIndexes(self.workspace)
        self.labelled_sentences = SentenceIndexes(self.workspace)
        self.webhooks = Webhooks(self.workspace)
        self.source_hosts: tuple[str, ...] = ()  # of language models that may be private
        self.backups = Backups(self.workspace, schedule)
        self.snapshots = Snapshots(self.workspace, self.jobs, kept) if kept else None
        self._watchers: tuple[Callable[[], None], ...] = ()
        self.supervisor = Supervisor(self.workspace, self.jobs, limits, self._look, self.is_full)
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
        """Check that whoever asks may have another training run or wait.

        Raises:
            OverLimit: they have enough, all together have, the demo is full, or the disk.
        """
        if self.limits.demo and self.trainings_elsewhere() >= self.limits.trainings:
            raise OverLimit(
                "trainings",
                _(
                    "Other visitors are training right now and the demo machine is full. Try again "
                    "in a few minutes."
                ),
                seconds=TRAINING_SECONDS,
            )
        active = [state.by for state in self.jobs.states() if state.active]
        mine, limits = active.count(audit.actor()), self.limits
        if limits.jobs is not None and mine >= limits.jobs:
            raise OverLimit(
                "jobs",
                ngettext(
                    "You have {count} training running or waiting, the limit for one person here. Wait "
                    "until it ends, or cancel it.",
                    "You have {count} trainings running or waiting, the limit for one person here. Wait "
                    "until one ends, or cancel one.",
                    count=mine,
                ),
                seconds=TRAINING_SECONDS,
            )
        if limits.all_jobs is not None and len(active) >= limits.all_jobs:
            raise OverLimit(
                "jobs",
                _("The training queue of this server is full. Try again when some trainings have ended."),
                seconds=TRAINING_SECONDS,
            )
        self.check_disk()

    def is_full(self) -> bool:
        """Whether the workspace takes as much of the disk as it may."""
        return self.limits.disk is not None and self.disk.size() >= self.limits.disk

    def check_disk(self) -> None:
        """Check that the workspace may grow: before documents come, and before a training.

        Raises:
            OverLimit: it takes as much of the disk as it may.
        """
        if self.is_full():
            raise OverLimit(
                "disk",
                _(
                    "This workspace uses {size} MB of its {most} MB of disk space. Delete runs that are no "
                    "longer needed and empty the trash, then try again."
                ),
                seconds=DISK_SECONDS,
                size=self.disk.size() // MEGABYTE,
                most=(self.limits.disk or 0) // MEGABYTE,
            )

    def lacking(self) -> list[str]:
        """What does not work: ``store``, the file cannot be read; ``supervisor``, nobody follows the runs."""
        missing = [] if self.supervisor.watches else ["supervisor"]
        try:
            projects.all_projects(self.workspace)
        except (StoreError, OSError):
            missing.append("store")
        return missing

    def rest(self) -> None:
        """Unload, in the background, what is made again when somebody asks for it."""
        self.workspace.background.ask("rest", self._unload)

    def _unload(self) -> None:
        self.taggers.clear()
        self.earlier.clear()
        self.labelled_sentences.clear()
        self.workspace.rest()

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

"""Backups on a schedule: when one is due it is made in the background, and whether it worked is told."""

from __future__ import annotations

import logging
import shutil
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from app.services.errors import AppError
from core.corpus.errors import DiskFullError
from core.runtime.message import Told
from core.store.db import clock
from core.store.db.backup_folder import KeptBackup, back_up_into, kept_backups
from core.store.db.errors import StoreError, StoreFull
from core.store.db.workspace import Workspace

log = logging.getLogger("latticelens")
AGAIN_SECONDS = 600.0  # after a failed one, unless the schedule is shorter
SPARE_BYTES = 64 << 20  # left free beside a backup: a full disk stops the saves, too


@dataclass(frozen=True, slots=True)
class Schedule:
    """When to back up, where, and how many to keep; ``every`` in seconds."""

    every: float
    keep: int
    folder: Path


@dataclass(frozen=True, slots=True)
class Failure:
    """The last attempt failed; ``at`` in UTC ms."""

    at: int
    error: Told


class Backups:
    """The scheduled backups of a workspace.

    Args:
        workspace: what is backed up. schedule: None if there is none.
    """

    def __init__(self, workspace: Workspace, schedule: Schedule | None = None) -> None:
        self._workspace = workspace
        self.schedule = schedule
        self.failure: Failure | None = None
        self._running: Future[KeptBackup | None] | None = None

    def look(self) -> None:
        """Begin a backup if one is due; called every second or so."""
        if self.schedule is not None and not self._is_running() and clock.now() >= self._due():
            self._begin(self.schedule)

    def make_now(self) -> KeptBackup:
        """Make one and wait for it; where one is being made already, for that.

        Raises:
            AppError: there is no schedule, and so no folder. StoreError: it could not be made; says why.
        """
        if self.schedule is None:
            raise AppError("There is no folder for backups. Start LatticeLens with --backup-every 6h.")
        made = self._begin(self.schedule).result()
        if made is None:
            assert self.failure is not None
            raise self.failure.error
        return made

    def kept(self) -> list[KeptBackup]:
        """The backups in the folder, newest first."""
        return kept_backups(self.schedule.folder) if self.schedule else []

    def lacking(self) -> list[str]:
        """``backup`` if the last attempt failed."""
        return ["backup"] if self.failure is not None else []

    def _is_running(self) -> bool:
        return self._running is not None and not self._running.done()

    def _begin(self, schedule: Schedule) -> Future[KeptBackup | None]:
        if self._running is None or self._running.done():
            self._running = self._workspace.background.ask("backup", lambda: self._make(schedule))
        return self._running

    def _due(self) -> float:
        """UTC ms. By the files, so that a restart neither skips one nor makes one more."""
        assert self.schedule is not None
        every = self.schedule.every * 1000
        if self.failure is not None:
            return self.failure.at + min(every, AGAIN_SECONDS * 1000)
        kept = self.kept()
        return kept[0].at + every if kept else 0

    def _make(self, schedule: Schedule) -> KeptBackup | None:
        try:
            self._check_room(schedule)
            made = back_up_into(self._workspace, schedule.folder, schedule.keep)
        except StoreFull:
            self.failure = Failure(clock.now(), DiskFullError(schedule.folder / "latticelens.sqlite"))
            log.error("the backup failed: the disk is full")
            return None
        except (StoreError, DiskFullError) as error:
            self.failure = Failure(clock.now(), error)
            log.error("the backup failed: %s", error)
            return None
        except OSError as error:
            self.failure = Failure(clock.now(), StoreError("{reason}", reason=error))
            log.error("the backup failed: %s", error)
            return None
        self.failure = None
        return made

    def _check_room(self, schedule: Schedule) -> None:
        """Raises:
        StoreFull: the backup would fill the disk, which may be the workspace's, too.
        """
        schedule.folder.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(schedule.folder).free < self._workspace.file.stat().st_size + SPARE_BYTES:
            raise StoreFull(schedule.folder)

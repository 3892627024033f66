"""A workspace on storage that cannot hold its live file: it lives on the local disk, and snapshots go there.

At the start the newest snapshot is brought; after changes a new one is made, at most every few seconds, and a
last one when the app is stopped. Of an app that is killed, what came after the last snapshot is lost.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from app.services.storage.backups import Failure
from core.corpus import sealed
from core.corpus.errors import DiskFullError
from core.jobs.queue import LOST, JobQueue
from core.runtime.message import Told
from core.store.db import clock, snapshots
from core.store.db.errors import StoreError, StoreReadOnly
from core.store.db.journal_mode import Storage
from core.store.db.workspace import Workspace
from core.training.run import run_archive

# A snapshot that takes long is made less often: this many times its seconds lie between two.
PAUSE_FACTOR = 10.0
RUNS = "runs"

log = logging.getLogger("latticelens")


@dataclass(frozen=True, slots=True)
class Kept:
    """Where snapshots go.

    Args:
        folder: the workspace's folder as it was named. storage: what it is on. every: seconds between two.
    """

    folder: Path
    storage: Storage
    every: float


@dataclass(frozen=True, slots=True)
class KeptSnapshot:
    """One that was made: ``at`` in UTC ms, ``size`` in bytes."""

    at: int
    name: str
    size: int


@contextlib.contextmanager
def live_folder(kept: Kept) -> Iterator[Path]:
    """A folder on the local disk with the newest snapshot and the runs; deleted at the end.

    On a network disk runs stay where they are and outlive the app; into a bucket they go as archives.

    Raises:
        StoreError: no snapshot is whole, or the storage cannot be read.
    """
    live = Path(tempfile.mkdtemp(prefix="latticelens-live-")).resolve()
    try:
        try:
            runs = kept.folder / RUNS
            runs.mkdir(parents=True, exist_ok=True)
            brought = snapshots.restore_newest(kept.folder, live)
            if kept.storage == "bucket":
                (live / RUNS).mkdir()
                _bring_runs(runs, live / RUNS)
            else:
                (live / RUNS).symlink_to(runs, target_is_directory=True)
        except OSError as error:
            raise StoreReadOnly(
                "the workspace folder {folder} cannot be read and written ({reason}); check the storage, or "
                "choose another with --workspace",
                folder=kept.folder,
                reason=error,
            ) from error
        if brought is not None:
            log.info("restored %s", brought.name)
        yield live
    finally:
        shutil.rmtree(live, ignore_errors=True)


class Snapshots:
    """The snapshots of an open workspace.

    Args:
        workspace: the live one. jobs: its runs. kept: where to.
    """

    def __init__(self, workspace: Workspace, jobs: JobQueue, kept: Kept) -> None:
        self.kept = kept
        self.failure: Failure | None = None
        self.last: KeptSnapshot | None = None  # since the app started
        self._workspace = workspace
        self._jobs = jobs
        self._saved: tuple[int, ...] | None = None
        self._next = 0.0  # monotonic
        self._running: Future[None] | None = None
        self._kept_runs: set[tuple[str, int]] = set()  # with the stamp of what was kept
        self._seen: set[str] = set()

    def look(self) -> None:
        """Begin a snapshot if something has changed and the last one is long enough ago."""
        if self._running is not None and not self._running.done():
            return
        if time.monotonic() >= self._next and (self._workspace.changes() != self._saved or self._unkept()):
            self._running = self._workspace.background.ask("snapshot", self.take)

    def take(self) -> None:
        """Make one, and wait for it; what went wrong is told by `failure`."""
        began = time.monotonic()
        try:
            stamp = self._workspace.changes()  # before: what is saved meanwhile is for the next one
            if stamp != self._saved:
                made = snapshots.take(self._workspace, self.kept.folder)
                self.last = KeptSnapshot(clock.now(), made.name, made.stat().st_size)
                if self._saved is None:
                    snapshots.put_former_away(self.kept.folder)
                self._saved = stamp
            self._keep_runs()
            self._keep_former()
        except (StoreError, DiskFullError, OSError) as error:
            told = (
                error
                if isinstance(error, Told)
                else StoreError(
                    "the storage {folder} cannot be written ({reason})", folder=self.kept.folder, reason=error
                )
            )
            self.failure = Failure(clock.now(), told)
            log.error("the snapshot failed: %s", error)
        else:
            self.failure = None
        took = time.monotonic() - began
        self._next = time.monotonic() + max(self.kept.every, PAUSE_FACTOR * took)

    def close(self) -> None:
        """Make the last one. A training on a bucket ends here, and can be resumed."""
        if self._running is not None:
            with contextlib.suppress(BaseException):
                self._running.result(timeout=30)
        if self.kept.storage == "bucket":
            self._jobs.abandon()
            for state in self._jobs.states():
                if state.active:
                    self._jobs.folder(state.run).set_state(status="interrupted", error=LOST)
        self.take()

    def lacking(self) -> list[str]:
        """``snapshot`` if the last attempt failed."""
        return ["snapshot"] if self.failure is not None else []

    def _unkept(self) -> bool:
        return self.kept.storage == "bucket" and any(
            (state.run, run_archive.stamp_of(state)) not in self._kept_runs for state in self._jobs.states()
        )

    def _keep_runs(self) -> None:
        """Archives of the runs; those of runs that were deleted go."""
        if self.kept.storage != "bucket":
            return
        archives, present = self.kept.folder / RUNS, set()
        for state in self._jobs.states():
            run_archive.keep(self._jobs.folder(state.run), state, archives, self._workspace.folder)
            self._kept_runs.add((state.run, run_archive.stamp_of(state)))
            present.add(state.run)
        for path in archives.iterdir():
            run = run_archive.run_of(path)
            # One that could not be unpacked was never here, and stays there.
            if run in self._seen - present:
                sealed.remove(path)
        self._seen |= present

    def _keep_former(self) -> None:
        """What a restore replaced, which it promises to keep in the workspace."""
        for former in self._workspace.folder.glob("before-restore-*.sqlite"):
            target = self.kept.folder / former.name
            if not sealed.is_sealed(target):
                sealed.remove(target)
                sealed.put(former, target)


def _bring_runs(archives: Path, runs: Path) -> None:
    run_archive.unpack_all(archives, runs)
    # Of a workspace that was used in the bucket itself.
    for folder in archives.iterdir():
        if folder.is_dir() and not (runs / folder.name).exists():
            shutil.copytree(folder, runs / folder.name)

"""What the app serves: one workspace, or a copy of it for each visitor of a demo."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from app.server.demo_template import DemoTemplate
from app.server.first_run import prepare
from app.server.options import Options
from app.services.audit_trail import AuditLines
from app.services.device import DeviceProbe
from app.services.hosting import FilePolicy, VisitorFolders
from app.services.identity.identity import Identity
from app.services.limits.table import Limits
from app.services.limits.turns import Turns
from app.services.session import LIFETIME_SECONDS, Sessions
from app.services.shared_taggers import SharedTaggers
from app.services.storage import scratch
from app.services.storage.backups import Schedule
from app.services.storage.snapshots import Kept, live_folder
from app.services.storage.workspace_lock import BEAT_SECONDS, STALE_SECONDS, WorkspaceLock
from app.services.training.retraining import Retraining
from app.services.workbench import Workbench
from core.store.db.errors import StoreError
from core.store.db.journal_mode import storage_of

SWEEP_SECONDS = 60.0


class Hosted(NamedTuple):
    """What is served.

    Args:
        limits: of those who use it. private: folders of the data.
        workbench: the owner's, and lock: of its workspace; None in a demo.
    """

    sessions: Sessions
    limits: Limits
    private: tuple[Path, ...]
    workbench: Workbench | None
    lock: WorkspaceLock | None = None

    def workbenches(self) -> list[Workbench]:
        """Those in use."""
        return [self.workbench] if self.workbench else self.sessions.workbenches()

    def lacking(self) -> list[str]:
        """What does not work, of any workbench."""
        return sorted({missing for each in self.workbenches() for missing in each.lacking()})

    def warnings(self) -> list[str]:
        """Problems that users do not notice but the operator should, such as failing backups."""
        warned: set[str] = set()
        for each in self.workbenches():
            warned.update(each.backups.lacking(), each.snapshots.lacking() if each.snapshots else ())
        return sorted(warned)


@contextlib.contextmanager
def hosting(
    options: Options, identity: Identity | None, template: DemoTemplate | None = None
) -> Iterator[Hosted]:
    """Sessions over one workspace, or over visitors' copies; closes everything at the end.

    Args:
        template: of a demo, if it is being made already; it is deleted at the end.
    """
    probe = DeviceProbe(options.device)
    if options.demo:
        around = _visitors(options, probe, identity, template or DemoTemplate())
    else:
        around = _owner(options, probe, identity)
    with around as hosted:
        if identity is not None:
            identity.ended = lambda login: hosted.sessions.end(login.id)
        stop = threading.Event()
        swept = (hosted, stop)
        threading.Thread(target=_sweep, args=swept, name="session-sweeper", daemon=True).start()
        try:
            yield hosted
        finally:
            stop.set()
            hosted.sessions.close_all()


@contextlib.contextmanager
def _owner(options: Options, probe: DeviceProbe, identity: Identity | None) -> Iterator[Hosted]:
    folder = options.workspace.resolve()
    storage = options.storage or storage_of(folder)
    lock = WorkspaceLock(folder)
    try:
        lock.take(patience=0.0 if storage == "disk" else STALE_SECONDS + BEAT_SECONDS)
    except OSError as error:
        raise StoreError(
            "the workspace folder {folder} cannot be written ({reason}); choose another with --workspace",
            folder=folder,
            reason=error,
        ) from error
    with contextlib.ExitStack() as stack:
        stack.callback(lock.release)
        kept, live = None, folder
        if storage != "disk":
            kept = Kept(folder, storage, options.snapshot_every)
            live = stack.enter_context(live_folder(kept))
        policy = FilePolicy(anywhere=not options.others_reach_it, folders=options.allow_path)
        workbench = _workbench(
            live,
            probe,
            limits=options.limits,
            files=policy,
            schedule=_schedule(options, folder),
            identity=identity,
            kept=kept,
        )
        stack.callback(workbench.close)
        prepare(workbench.workspace)
        workbench.webhooks.allowed = options.webhook_host
        workbench.source_hosts = options.source_host
        workbench.attach(workbench.webhooks.look)
        workbench.attach(AuditLines(workbench.workspace).look)
        workbench.attach(workbench.backups.look)
        if workbench.snapshots is not None:
            workbench.attach(workbench.snapshots.look)
        most = options.limits.sessions
        sessions = Sessions(lambda token: workbench, lifetime=LIFETIME_SECONDS, most=most)
        yield Hosted(sessions, options.limits, (folder, live), workbench, lock)


def _schedule(options: Options, folder: Path) -> Schedule | None:
    if options.backup_every is None:
        return None
    kept_in = (options.backup_to or folder / "backups").expanduser().resolve()
    return Schedule(options.backup_every, options.backup_keep, kept_in)


def _workbench(folder: Path, probe: DeviceProbe, **options: Any) -> Workbench:
    """A workbench with automatic retraining."""
    workbench = Workbench(folder, probe, **options)
    workbench.attach(Retraining(workbench).look)
    return workbench


@contextlib.contextmanager
def _visitors(
    options: Options, probe: DeviceProbe, identity: Identity | None, template: DemoTemplate
) -> Iterator[Hosted]:
    limits = options.limits
    turns, shared = Turns(limits.taggers, limits.questions, limits.all_questions), SharedTaggers()
    with contextlib.ExitStack() as stack:
        stack.callback(template.delete)
        folders = VisitorFolders(template.made(), limits)
        stack.callback(folders.delete_all)

        def leave(session: Any) -> None:
            session.workbench.abandon()
            folders.delete(session.token)

        def arrive(token: str) -> Workbench:
            folder = folders.copy_for(token)
            try:
                return _workbench(
                    folder,
                    probe,
                    limits=limits,
                    everyone=lambda: sessions.workbenches(),
                    identity=identity,
                    turns=turns,
                    shared=shared,
                )
            except BaseException:
                folders.delete(token)
                raise

        sessions = Sessions(
            arrive,
            lifetime=limits.idle_seconds,
            close=leave,
            left=lambda session: session.workbench.rest(),
            most=limits.sessions,
        )
        yield Hosted(sessions, limits, (folders.root,), None)


def _sweep(hosted: Hosted, stop: threading.Event) -> None:
    """Drop idle sessions and old files once a minute."""
    while not stop.wait(SWEEP_SECONDS):
        hosted.sessions.expire()
        scratch.sweep(hosted.limits.kept_seconds)

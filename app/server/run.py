"""Serve the interface until Ctrl-C, over one workspace, or over a copy for each visitor of a demo."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from app.main import FIRST_SCRIPTS, build
from app.server.closed_pages import ClosedPages
from app.server.cookies import SafeCookies
from app.server.first_run import prepare
from app.server.framing import FrameAncestors, frame_ancestors
from app.server.gradio_files import GradioFiles
from app.server.health import health_routes
from app.server.kept_page import KeptPage
from app.server.lean_gradio import make_lean
from app.server.login import Login, LoginDoor
from app.server.logs import RequestLog, configure
from app.server.one_page import OnePage
from app.server.options import AuthFileError, Options, read_auth_file
from app.server.origin import SameOrigin, is_loopback
from app.server.stale_events import StaleEvents
from app.services.audit_trail import AuditLines, SignIns
from app.services.backups import Schedule
from app.services.device import DeviceProbe
from app.services.errors import AppError
from app.services.hosting import FilePolicy, Limits, VisitorFolders
from app.services.session import LIFETIME_SECONDS, Sessions
from app.services.training.retraining import Retraining
from app.services.workbench import Workbench
from app.services.workspace_lock import WorkspaceInUse, WorkspaceLock
from app.ui.theme import css_paths, theme
from app.ui.widgets.page_code import page_head, script_route
from core.store.db.errors import StoreError
from core.store.db.workspace import Workspace

SWEEP_SECONDS = 60.0
SAVES_SECONDS = 3  # for requests under way when the app is stopped
CLOSING_SECONDS = 9.0  # for all of it: Docker kills after ten
MOST_PAGES = 128  # whose drawn forms Gradio remembers; the one that asked longest ago goes first

log = logging.getLogger("latticelens")


def run(options: Options) -> int:
    """Serve until Ctrl-C and return the exit status; start-up errors are printed in one line."""
    _end_by_signals()
    configure(options.log_format)
    try:
        check = read_auth_file(options.auth) if options.auth else None
        with (
            contextlib.ExitStack() as closing,
            _hosted(options) as hosted,
            _measured(options, hosted) as watching,
        ):
            _serve(options, hosted, _login(check, hosted), watching, closing)
    except (AuthFileError, StoreError, WorkspaceInUse, AppError, OSError) as error:
        print(f"LatticeLens cannot start: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:  # interrupted while starting; everything is closed already
        return 130
    return 0


def _login(check: Callable[[str, str], bool] | None, hosted: Hosted) -> Login | None:
    """The login, whose attempts are in the audit log; a demo keeps none."""
    if check is None:
        return None
    if hosted.workbench is None:
        return Login(check)
    return Login(check, tell=SignIns(hosted.workbench.workspace).tell)


def _end_by_signals() -> None:
    """Handle SIGTERM and SIGHUP like Ctrl-C.

    Otherwise temporary files of visitors, uploads and downloads would stay, and visitors' trainings would go
    on.
    """

    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # nohup has it ignored
            signal.signal(number, end)


class Hosted(NamedTuple):
    """What is served.

    Args:
        limits: of a demo. private: folder of the data.
        workbench: the owner's, and lock: of its workspace; None in a demo.
    """

    sessions: Sessions
    limits: Limits | None
    private: Path
    workbench: Workbench | None
    lock: WorkspaceLock | None = None

    def workbenches(self) -> list[Workbench]:
        """Those in use."""
        return [self.workbench] if self.workbench else self.sessions.workbenches()


@contextlib.contextmanager
def _hosted(options: Options) -> Iterator[Hosted]:
    """Sessions over one workspace, or over visitors' copies; closes everything at the end."""
    probe = DeviceProbe(options.device)
    hosting = _visitors if options.demo else _owner
    with hosting(options, probe) as hosted:
        stop = threading.Event()
        swept = (hosted.sessions, stop)
        threading.Thread(target=_sweep, args=swept, name="session-sweeper", daemon=True).start()
        try:
            yield hosted
        finally:
            stop.set()
            hosted.sessions.close_all()


@contextlib.contextmanager
def _owner(options: Options, probe: DeviceProbe) -> Iterator[Hosted]:
    folder = options.workspace.resolve()
    lock = WorkspaceLock(folder)
    try:
        lock.take()
    except OSError as error:
        raise StoreError(
            "the workspace folder {folder} cannot be written ({reason}); choose another with --workspace",
            folder=folder,
            reason=error,
        ) from error
    try:
        policy = FilePolicy(anywhere=not options.others_reach_it, folders=options.allow_path)
        workbench = _workbench(folder, probe, files=policy, schedule=_schedule(options, folder))
        try:
            prepare(workbench.workspace)
            workbench.webhooks.allowed = options.webhook_host
            workbench.source_hosts = options.source_host
            workbench.attach(workbench.webhooks.look)
            workbench.attach(AuditLines(workbench.workspace).look)
            workbench.attach(workbench.backups.look)
            sessions = Sessions(lambda token: workbench, lifetime=LIFETIME_SECONDS)
            yield Hosted(sessions, None, folder, workbench, lock)
        finally:
            workbench.close()
    finally:
        lock.release()


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
def _visitors(options: Options, probe: DeviceProbe) -> Iterator[Hosted]:
    limits = Limits()
    template = Path(tempfile.mkdtemp(prefix="latticelens-template-"))
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, template, ignore_errors=True)
        with Workspace.open(template / "workspace") as workspace:
            prepare(workspace)
        folders = VisitorFolders(template / "workspace", limits)
        stack.callback(folders.delete_all)

        def leave(session: Any) -> None:
            session.workbench.abandon()
            folders.delete(session.token)

        def arrive(token: str) -> Workbench:
            folder = folders.copy_for(token)
            try:
                return _workbench(folder, probe, limits=limits, everyone=lambda: sessions.workbenches())
            except BaseException:
                folders.delete(token)
                raise

        sessions = Sessions(
            arrive,
            lifetime=limits.idle_seconds,
            close=leave,
        )
        yield Hosted(sessions, limits, folders.root, None)


def _lacking(hosted: Hosted) -> list[str]:
    """What does not work, of any workbench."""
    return sorted({missing for each in hosted.workbenches() for missing in each.lacking()})


def _warnings(hosted: Hosted) -> list[str]:
    """What people do not notice, but whoever runs the app should."""
    return sorted({warned for each in hosted.workbenches() for warned in each.backups.lacking()})


@contextlib.contextmanager
def _measured(options: Options, hosted: Hosted) -> Iterator[list[Middleware]]:
    """Serve the metrics, if they are asked for; gives what counts requests, and logs them."""
    watching = [Middleware(RequestLog)] if options.log_format == "json" else []
    if options.metrics is None:
        yield watching
        return
    from app.server.metrics import CountedRequests, Metrics

    metrics = Metrics(hosted.sessions, hosted.workbenches)
    if hosted.workbench is not None:
        hosted.workbench.workspace.on_save = metrics.saved
    host, port = options.metrics
    end = metrics.serve(host, port)
    print(f"Metrics are at http://{host}:{port}/metrics", flush=True)
    try:
        yield [*watching, Middleware(CountedRequests, metrics=metrics)]
    finally:
        end()


def _serve(
    options: Options,
    hosted: Hosted,
    login: Login | None,
    watching: list[Middleware],
    closing: contextlib.ExitStack,
) -> None:
    sessions, limits = hosted.sessions, hosted.limits
    demo = build(sessions, limits)
    demo.queue(default_concurrency_limit=8, max_size=200)
    _, url, shared_url = demo.launch(
        server_name=options.host,
        server_port=options.port,
        share=options.share,
        auth=login.check if login else None,
        theme=theme(),
        css_paths=css_paths(),
        head=page_head(*FIRST_SCRIPTS),
        # Downloads must not reach the database and the runs; exports are in a temporary folder.
        blocked_paths=[str(hosted.private)],
        allowed_paths=[],
        max_file_size=limits.upload if limits else "500mb",
        app_kwargs={
            "middleware": [
                *watching,
                *_guard(options, login),
                Middleware(ClosedPages, blocks=demo, sessions=sessions),
            ],
            "routes": _routes(options, hosted),
        },
        # Of clients without a heartbeat, which `ClosedPages` cannot see leave.
        state_session_capacity=MOST_PAGES,
        footer_links=[],
        run_history=False,
        ssr_mode=False,
        show_error=True,
        inbrowser=options.browser,
        prevent_thread_lock=True,
        quiet=True,
        # Gradio would request the page from itself and give up after three seconds, which a busy machine may
        # need for the first one. It has already checked that the server responds.
        _frontend=False,
    )
    make_lean(demo)
    # Saves that have begun finish; a stream that does not end by then is cut.
    demo.server.config.timeout_graceful_shutdown = SAVES_SECONDS
    if hosted.lock is not None:
        hosted.lock.answers_at(shared_url or url)
    try:
        print(f"LatticeLens is open at {url}", flush=True)
        if shared_url:
            print(f"Public link: {shared_url}", flush=True)
        threading.Event().wait()
    except KeyboardInterrupt:
        print("\nClosing. A training run goes on and is found again at the next start.", flush=True)
    finally:
        _end_in_time(hosted, closing)
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # streams that are cut are no errors
        demo.close(verbose=False)


def _end_in_time(hosted: Hosted, closing: contextlib.ExitStack) -> None:
    """End the process although something does not let it close, unless ``closing`` has ended by then: who
    stopped it would kill it next.

    What was saved is on the disk, and SQLite rolls back what was not; runs go on in their own processes.
    """
    if hosted.lock is None:  # a demo deletes what its visitors left, however long it takes
        return
    lock = hosted.lock

    def end() -> None:
        log.warning("closing took longer than %.0f s; what still went on was left", CLOSING_SECONDS)
        lock.release()
        logging.shutdown()
        os._exit(1)

    timer = threading.Timer(CLOSING_SECONDS, end)
    timer.daemon = True
    timer.start()
    closing.callback(timer.cancel)


def _routes(options: Options, hosted: Hosted) -> list[BaseRoute]:
    """Routes beside those of the pages; they come first, and ask for no login."""
    routes: list[BaseRoute] = [
        script_route(),
        *health_routes(lambda: _lacking(hosted), lambda: _warnings(hosted)),
    ]
    if hosted.workbench is not None and options.api:
        from app.api.application import api_routes

        routes += api_routes(hosted.workbench)
    return routes


def _guard(options: Options, login: Login | None = None) -> list[Middleware]:
    """Wrap the app with checks of origin, frames, addresses, logins and events, and keep what all ask for."""
    guards = [Middleware(FrameAncestors, policy=frame_ancestors(options.allow_host, demo=options.demo))]
    if not options.demo:  # which has nobody's name to ask in
        only_here = is_loopback(options.host) and not options.share
        guards.append(Middleware(SameOrigin, names=options.allow_host, only_here=only_here))
    framed = options.demo or bool(options.allow_host)
    guards += [
        Middleware(OnePage),
        Middleware(SafeCookies, framed=framed),
        Middleware(StaleEvents),
        Middleware(GradioFiles),
    ]
    guards.append(Middleware(LoginDoor, login=login) if login is not None else Middleware(KeptPage))
    return guards


def _sweep(sessions: Sessions, stop: threading.Event) -> None:
    """Drop idle sessions once a minute."""
    while not stop.wait(SWEEP_SECONDS):
        sessions.expire()

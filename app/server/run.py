"""Serve the interface until Ctrl-C, over one workspace, or over a copy for each visitor of a demo."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from app.main import FIRST_SCRIPTS, build
from app.server.cookies import SafeCookies
from app.server.demo_template import DemoTemplate
from app.server.framing import FrameAncestors, frame_ancestors
from app.server.gradio_patches.closed_pages import ClosedPages
from app.server.gradio_patches.gradio_files import GradioFiles
from app.server.gradio_patches.kept_page import KeptPage
from app.server.gradio_patches.lean_gradio import described_once, launched_later, make_lean, signatures_kept
from app.server.gradio_patches.stale_events import StaleEvents
from app.server.health import health_routes
from app.server.hosted import Hosted, hosting
from app.server.limits.limited import Limited
from app.server.logs import RequestLog, configure
from app.server.odd_requests import OddRequests
from app.server.one_page import OnePage
from app.server.options import Options
from app.server.origin import SameOrigin, is_loopback
from app.server.sign_in.opening import Door, door, identity_of
from app.services.audit_trail import SignIns
from app.services.errors import AppError
from app.services.identity.identity import Identity
from app.services.limits.table import Limits
from app.services.storage.workspace_lock import WorkspaceInUse
from app.services.workbench import Workbench
from app.ui.widgets.page_code import page_head, script_folder, script_route
from app.ui.window.banner import Notice, notice_of
from app.ui.window.theme import css_paths, theme
from core.accounts.password_file import AccountError
from core.store.db.errors import StoreError

SAVES_SECONDS = 3  # for requests under way when the app is stopped
CLOSING_SECONDS = 9.0  # for all of it: Docker kills after ten
M_ARENA_MAX = -8  # of glibc's malloc.h
MOST_PAGES = 128  # whose drawn forms Gradio remembers; the one that asked longest ago goes first

log = logging.getLogger("latticelens")


def run(
    options: Options, free_the_port: Callable[[], None] = lambda: None, template: DemoTemplate | None = None
) -> int:
    """Serve until Ctrl-C and return the exit status; start-up errors are printed in one line.

    Args:
        free_the_port: called when the app takes it, of what has answered there so far.
        template: of a demo, if it is being made already.
    """
    _share_memory()
    _end_by_signals()
    configure(options.log_format)
    try:
        identity = identity_of(options)
        with (
            contextlib.ExitStack() as closing,
            hosting(options, identity, template) as hosted,
            _measured(options, hosted) as watching,
        ):
            if identity is not None and hosted.workbench is not None:  # a demo keeps no audit log
                identity.events.attach(SignIns(hosted.workbench.workspace).tell)
            _serve(options, hosted, identity, watching, closing, free_the_port)
    except (AccountError, StoreError, WorkspaceInUse, AppError, OSError) as error:
        print(f"LatticeLens cannot start: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:  # interrupted while starting; everything is closed already
        return 130
    return 0


def _share_memory() -> None:
    """Let the threads of the server allocate from two heaps of glibc, unless the environment says how many.

    By default there are up to eight for each core, and what is freed in one helps no thread of another: after
    200 sessions memory was up by a tenth.
    """
    if "MALLOC_ARENA_MAX" not in os.environ and sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):  # another libc
            ctypes.CDLL("libc.so.6").mallopt(M_ARENA_MAX, 2)


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
    identity: Identity | None,
    watching: list[Middleware],
    closing: contextlib.ExitStack,
    free_the_port: Callable[[], None],
) -> None:
    sessions, limits = hosted.sessions, hosted.limits
    workspace = hosted.workbench.workspace if hosted.workbench else None
    way_in = door(options, identity, workspace, _open_paths(options)) if identity else None
    with launched_later(), signatures_kept():
        demo = build(sessions, limits, _notice(options, limits, hosted.workbench))
        demo.queue(default_concurrency_limit=8, max_size=200)
    free_the_port()
    with described_once(), signatures_kept():
        _, url, shared_url = demo.launch(
            server_name=options.host,
            server_port=options.port,
            share=options.share,
            theme=theme(),
            css_paths=css_paths(),
            head=page_head(*FIRST_SCRIPTS),
            # Downloads must not reach the database and the runs; exports are in a temporary folder.
            blocked_paths=[str(folder) for folder in hosted.private],
            allowed_paths=[],
            max_file_size=limits.upload,
            app_kwargs={
                "middleware": [
                    *watching,
                    *_guard(options, way_in),
                    Middleware(ClosedPages, blocks=demo, sessions=sessions),
                ],
                "routes": [*(way_in.routes if way_in else ()), *_routes(options, hosted)],
            },
            # Gradio's processes for files would serve them beside the door.
            num_workers=0 if identity else None,
            # Of clients without a heartbeat, which `ClosedPages` cannot see leave.
            state_session_capacity=MOST_PAGES,
            footer_links=[],
            run_history=False,
            ssr_mode=False,
            mcp_server=False,
            show_error=True,
            inbrowser=options.browser,
            prevent_thread_lock=True,
            quiet=True,
            # Gradio would request the page from itself and give up after three seconds, which a busy machine
            # may need for the first one. It has already checked that the server responds.
            _frontend=False,
        )
    make_lean(demo)
    gc.freeze()  # what was loaded is needed to the end: it is not looked through for garbage
    gc.enable()
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


def _notice(options: Options, limits: Limits, workbench: Workbench | None) -> Notice | None:
    kept = workbench.snapshots.kept if workbench and workbench.snapshots else None
    duplicate = options.space.duplicate_address if options.space else ""
    return notice_of(limits, kept.every if kept else None, duplicate)


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
    routes: list[BaseRoute] = [script_route(), *health_routes(hosted.lacking, hosted.warnings)]
    if hosted.workbench is not None and options.api:
        from app.api.application import api_routes

        routes += api_routes(hosted.workbench)
    return routes


def _open_paths(options: Options) -> list[str]:
    """Paths that are open without a login: they reveal nothing, or check a token themselves (the API)."""
    return [
        "/healthz",
        "/readyz",
        f"/{script_folder()}/",
        *(("/api/v1/", "/label-studio/") if options.api else ()),
    ]


def _guard(options: Options, way_in: Door | None = None) -> list[Middleware]:
    """Wrap the app with checks of origin, frames, addresses, logins and events, and keep what all ask for."""
    on_a_space = options.demo or options.space is not None
    guards = [Middleware(FrameAncestors, policy=frame_ancestors(options.allow_host, demo=on_a_space))]
    if not options.demo:  # which has nobody's name to ask in
        only_here = is_loopback(options.host) and not options.share
        guards.append(Middleware(SameOrigin, names=options.allow_host, only_here=only_here))
    framed = on_a_space or bool(options.allow_host)
    guards += [
        Middleware(OnePage),
        Middleware(SafeCookies, framed=framed),
        Middleware(OddRequests),
        Middleware(StaleEvents),
        Middleware(GradioFiles),
    ]
    guards += [way_in.middleware] if way_in else []
    if options.limits.requests is not None or options.limits.sent is not None:
        scripts, marks = f"/{script_folder()}/", not options.has_login
        # Inside the door, which knows who asks.
        guards.append(Middleware(Limited, limits=options.limits, scripts=scripts, marks=marks))
    return [*guards, Middleware(KeptPage)]

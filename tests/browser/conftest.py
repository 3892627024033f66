"""A real Chromium for the tests that do what a person does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.annotator_backend import MemoryBackend, Server
from tests.browser.app_page import PHONE, app_page, choose
from tests.browser.app_server import SHOTS
from tests.browser.windows import SHARED_PROCESS, Windows

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.browser.app_server import AppServer
    from tests.browser.inspecting import Inspecting

WINDOWS = pytest.StashKey[Windows]()

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    SHARED_PROCESS,
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium; where it is missing the tests are skipped, except in CI, where that is a failure."""
    if not CHROMIUM.exists():
        reason = f"no Chromium at {CHROMIUM}; install Debian's package 'chromium' to run the browser tests"
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=60_000)  # five seconds are short for a page of a busy machine
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def windows(browser: Browser, pytestconfig: pytest.Config) -> Windows:
    """Where every page of these tests is opened."""
    pytestconfig.stash[WINDOWS] = windows = Windows(browser)
    return windows


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Keep a picture of what a failing test saw last, and say where its pages were."""
    report = yield
    if report.failed and report.when == "call" and WINDOWS in item.config.stash:
        windows = item.config.stash[WINDOWS]
        for path in windows.keep(SHOTS, item.name):
            report.sections.append(("what was seen last", str(path)))
        report.sections.append(("where the pages were, and their errors", "\n".join(windows.describe())))
    return report


@pytest.fixture
def page(windows: Windows) -> Iterator[Page]:
    """A fresh page with an empty storage; an uncaught error in it fails the test."""
    with windows.open(viewport={"width": 1440, "height": 900}) as opened:
        yield opened


@pytest.fixture
def phone(windows: Windows) -> Iterator[Page]:
    """The same on a phone: touch, a narrow window, two pixels to a point, no mouse."""
    with windows.open(**PHONE, device_scale_factor=2) as opened:
        yield opened


@pytest.fixture(scope="session")
def one_server() -> Iterator[Server]:
    """One server with an annotator; every test brings its own backend."""
    server = Server()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def serving(one_server: Server) -> Callable[[MemoryBackend], Server]:
    def with_backend(backend: MemoryBackend) -> Server:
        one_server.backend = backend
        return one_server

    return with_backend


@pytest.fixture(scope="session")
def shared_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    """The whole app without the demo project; to start it takes longer than most tests."""
    from core.store import Workspace
    from core.store.project import projects
    from tests.browser.app_server import AppServer

    folder = tmp_path_factory.mktemp("app") / "workspace"
    with Workspace.open(folder) as workspace:
        projects.create(workspace, "before all others")
    with AppServer(folder) as server:
        server.put_away()
        yield server


@pytest.fixture(scope="module")
def app(shared_app: AppServer) -> Iterator[AppServer]:
    """The app for a module that makes projects of its own in it, under names that no other module gives."""
    yield shared_app
    shared_app.put_away()


@pytest.fixture
def person(windows: Windows, app: AppServer) -> Iterator[Page]:
    """Somebody at the app of the module; no error may be told of in the page or in its console."""
    with app_page(windows, app) as opened:
        yield opened


@pytest.fixture
def people(windows: Windows, app: AppServer) -> Iterator[Callable[..., Page]]:
    """``people("ana")``: a browser of their own at the app of the module; options as `app_page` has them."""
    with ExitStack() as stack:
        yield lambda user="", **options: stack.enter_context(app_page(windows, app, user, **options))


@pytest.fixture(scope="session")
def lenses(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    """The app with a small tagger of every kind; one for all tests that look inside them."""
    from tests.browser.app_server import AppServer
    from tests.browser.inspect_workspace import fill

    workspace = tmp_path_factory.mktemp("lenses") / "workspace"
    fill(workspace)
    with AppServer(workspace) as server:
        yield server


@pytest.fixture
def lensed(windows: Windows, lenses: AppServer) -> Iterator[Page]:
    """Somebody at the app of `lenses`, in its project."""
    with app_page(windows, lenses) as page:
        choose(page, "#ll-project", "lenses")
        yield page


@pytest.fixture(scope="module")
def lenses_page(windows: Windows, lenses: AppServer) -> Iterator[Inspecting]:
    """One page for the tests of a module: to load it takes longer than most of them."""
    from tests.browser.inspecting import Inspecting

    with windows.open(viewport={"width": 1440, "height": 900}, reduced_motion="reduce") as page:
        yield Inspecting(page, lenses)


@pytest.fixture
def inspecting(lenses_page: Inspecting) -> Iterator[Inspecting]:
    """Somebody on the Inspect page whose console must stay silent."""
    lenses_page.come_back()
    yield lenses_page
    lenses_page.check_silence()

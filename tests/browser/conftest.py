"""A real Chromium for the tests that do what a person does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.annotator_backend import MemoryBackend, Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.browser.app_server import AppServer
    from tests.browser.inspecting import Inspecting

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
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium; where it is missing the tests are skipped, except in CI, where that is a failure."""
    if not CHROMIUM.exists():
        reason = f"no Chromium at {CHROMIUM}; install Debian's package 'chromium' to run the browser tests"
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page with a storage of its own; an uncaught error in it fails the test."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    context.close()
    assert not errors, f"the page raised {errors}"


@pytest.fixture(scope="module")
def one_server() -> Iterator[Server]:
    """One server for the module; every test brings its own backend."""
    server = Server()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def serving(one_server: Server) -> Callable[[MemoryBackend], Any]:
    @contextmanager
    def with_backend(backend: MemoryBackend) -> Iterator[Server]:
        one_server.backend = backend
        yield one_server

    return with_backend


@pytest.fixture(scope="session")
def lenses(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    """The app with a small tagger of every kind; one for all tests that look inside them."""
    from tests.browser.app_server import AppServer
    from tests.browser.inspect_workspace import fill

    workspace = tmp_path_factory.mktemp("lenses") / "workspace"
    fill(workspace)
    server = AppServer(workspace)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def lenses_page(browser: Browser, lenses: AppServer) -> Iterator[Inspecting]:
    """One page for the tests of a module: to load it takes longer than most of them."""
    from tests.browser.inspecting import Inspecting

    context = browser.new_context(
        viewport={"width": 1440, "height": 900},
        locale="en-US",
        accept_downloads=True,
        reduced_motion="reduce",
    )
    yield Inspecting(context.new_page(), lenses)
    context.close()


@pytest.fixture
def inspecting(lenses_page: Inspecting) -> Iterator[Inspecting]:
    """Somebody on the Inspect page whose console must stay silent."""
    lenses_page.come_back()
    yield lenses_page
    lenses_page.check_silence()

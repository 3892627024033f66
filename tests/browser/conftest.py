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

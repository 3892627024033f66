"""A page at the whole app, opened by a person whose test fails on any error in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.browser.app_server import AppServer

MINUTES = 60_000.0


@contextmanager
def app_page(browser: Browser, app: AppServer, width: int = 1440, patience: float = 2.0) -> Iterator[Page]:
    """The app in English with its first text there; no error may be told of in it.

    Args:
        patience: minutes that a page may take to show what a test waits for.
    """
    context = browser.new_context(viewport={"width": width, "height": 1000}, locale="en-US")
    opened = context.new_page()
    opened.set_default_timeout(patience * MINUTES)
    wrong: list[str] = []
    opened.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    opened.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    opened.goto(app.url)
    opened.wait_for_selector("#annotate .lla-text:not(:empty)")
    yield opened
    opened.screenshot(path=str(app.workspace.parent / "last.png"))  # what a failing test saw last
    context.close()
    assert not wrong, "\n".join(wrong)

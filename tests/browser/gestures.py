"""What a person does in a page, and what they see."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.annotator_backend import MemoryBackend, Server

# How many edits wait in the browser to be sent.
UNSENT = "() => Object.keys(localStorage).filter((key) => key.startsWith('latticelens.unsent')).length"


def visit(page: Page, server: Server) -> Server:
    page.goto(server.url)
    page.wait_for_selector(".lla-text:not(:empty)")
    return server


class Work:
    """What it took to draw a page, as a count: other work on the machine does not change it."""

    def __init__(self, page: Page) -> None:
        self._cdp = page.context.new_cdp_session(page)
        self._cdp.send("Performance.enable")
        self._before = self._layouts()

    def layouts(self) -> int:
        """How often it laid out the page since this began."""
        return self._layouts() - self._before

    def _layouts(self) -> int:
        metrics = self._cdp.send("Performance.getMetrics")["metrics"]
        return int(next(metric["value"] for metric in metrics if metric["name"] == "LayoutCount"))


def eventually(claim: Callable[[], bool], seconds: float = 60.0, page: Page | None = None) -> None:
    """Waits for a claim; with the page, the routes that a test has set are answered meanwhile."""
    until = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < until, "it did not become true"
        if page is None:
            time.sleep(0.02)
        else:
            page.wait_for_timeout(20)


def saved(page: Page) -> None:
    page.wait_for_function("document.querySelector('.lla-state').textContent.startsWith('saved ')")


def place(page: Page, start: int, end: int) -> tuple[float, float, float]:
    """`place_in` the text that is being annotated."""
    return place_in(page, ".lla-desk .lla-text", start, end)


def place_in(page: Page, text: str, start: int, end: int) -> tuple[float, float, float]:
    """Left and right edge and middle of a stretch of ``text`` (UTF-16 units), in pixels of the page."""
    box = page.locator(text).evaluate(
        """(text, [start, end]) => {
          // A long text is several blocks, each with its letters first.
          const blocks = [...text.querySelectorAll(".lla-block")];
          const letters = (blocks.length ? blocks : [text]).map((block) => block.firstChild);
          const place = (unit, before) => {
            for (const part of letters) {
              if (unit < part.length || (before && unit === part.length)) return [part, unit];
              unit -= part.length;
            }
          };
          const range = document.createRange();
          range.setStart(...place(start, false)); range.setEnd(...place(end, true));
          const box = range.getBoundingClientRect();
          return [box.left, box.right, (box.top + box.bottom) / 2];
        }""",
        [start, end],
    )
    return box[0], box[1], box[2]


def drag(page: Page, start: int, end: int, *then: str) -> None:
    """Select a stretch of the text with the mouse, then press keys."""
    left, right, y = place(page, start, end)
    page.mouse.move(left + 1, y)
    page.mouse.down()
    page.mouse.move((left + right) / 2, y, steps=3)
    page.mouse.move(right - 1, y, steps=3)
    page.mouse.up()
    keys(page, *then)


def select(page: Page, start: int, end: int) -> None:
    """Select a stretch of the text (UTF-16 units) as the system does, without a mouse."""
    page.evaluate(
        """([start, end]) => {
          const letters = document.querySelector('.lla-desk .lla-text').firstChild;
          document.getSelection().setBaseAndExtent(letters, start, letters, end);
        }""",
        [start, end],
    )


def keys(page: Page, *names: str) -> None:
    for name in names:
        page.keyboard.press(name)


def bars(page: Page, kind: str) -> list[str]:
    return page.eval_on_selector_all(
        f".lla-desk .lla-{kind}[data-key]", "all => all.map((bar) => bar.dataset.key)"
    )


def found(backend: MemoryBackend, number: int = 1) -> list[tuple[int, int, str]]:
    return sorted(span.key for span in backend.spans[number])

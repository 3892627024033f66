"""Windows of one Chromium: what a page has loaded serves the next test, what a test left there does not."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Request

STORAGE = "cookies,local_storage,indexeddb"
PATIENCE = 10_000
LOADING = 120_000  # beside other tests that start a dozen processes, a page took more than half a minute
INSIDE = ("data:", "blob:", "about:")
# Every server of the tests is of this site, whatever its port.
SITE = "http://127.0.0.1/"
# With it the pages of a context that are of one site share a process, and with that the compiled scripts.
SHARED_PROCESS = "--process-per-site"
MOST_PAGES = 30  # opened in one process: it keeps some megabytes of every page that it had
# Options that a page can have by itself, so that pages with others share its window.
OF_A_PAGE = ("viewport", "color_scheme", "reduced_motion")
MOST_WINDOWS = 3  # kept for tests to come, each with a process of some 300 MB
# LATTICELENS_SLOW_PAGES=4 makes every page compute four times slower and every question leave up to 400 ms
# later, so that answers come in another order: a test that looks before the page is there fails here first,
# and not one day in CI.
SLOW = float(os.environ.get("LATTICELENS_SLOW_PAGES", "1"))


# Where a page of the app is, as a failing test has it in its report; `unanswered` is of `idle.COUNTING`.
PLACE = """() => {
  const { page, goal, project, filled = [] } = window.latticelens ?? {};
  const asked = window.unanswered?.() ?? [];
  const html = document.documentElement.className;
  return { address: location.href, html, page, goal, project, filled: [...filled], asked };
}"""

# What gradio says when a page is left with a stream open, as it may be although no answer is awaited: the
# browser names the signal or, once the stream was read from, its buffer.
BROKEN_STREAM = re.compile(
    r"AbortError: (signal is|BodyStreamBuffer was) aborted|Unexpected error\s+Connection errored out"
)


class Window:
    """A browser context that is emptied, not thrown away: what it keeps makes a second page quick.

    A page of the servers' site stays open in it, because a process that ends forgets the scripts that it has
    compiled: four tenths of what it costs to load the app.
    """

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self._keeper = context.new_page()
        self._keeper.route("**/*", lambda route: route.fulfill(body="", content_type="text/html"))
        self._keeper.goto(SITE)
        self._opened = 0
        self.spent = False  # no other test shall have it
        self.errors: list[str] = []
        self._visited: set[str] = set()
        self._loaded = 0  # documents: with the second, one was left
        self.said: list[str] = []
        context.on("weberror", lambda error: self.errors.append(str(error.error)))
        context.on("console", lambda said: self.said.append(said.text) if said.type == "error" else None)

    def page(self, viewport: dict[str, int] | None = None, **media: Any) -> Page:
        """A fresh page that finds nothing in its storage; ``media`` as `Page.emulate_media` has it."""
        self._opened += 1
        self.spent = self._opened >= MOST_PAGES
        self.errors.clear()
        self.said.clear()
        self._loaded = 0
        page = self.context.new_page()
        if viewport:
            page.set_viewport_size(viewport)
        if media:
            page.emulate_media(**media)
        page.set_default_navigation_timeout(LOADING)
        if self._visited:
            storage = self.context.new_cdp_session(page)
            for origin in self._visited:
                storage.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": STORAGE})
            storage.detach()
            self._visited.clear()
        page.on("framenavigated", lambda frame: self._remember(frame.url))
        page.on("domcontentloaded", self._count)
        if SLOW > 1:
            self._slow_down(page)
        return page

    def _slow_down(self, page: Page) -> None:
        throttle = self.context.new_cdp_session(page)
        throttle.send("Emulation.setCPUThrottlingRate", {"rate": SLOW})
        page.add_init_script(
            """const ask = window.fetch.bind(window);
            window.fetch = async (...given) => {
              await new Promise((go) => setTimeout(go, Math.random() * DELAY));
              return ask(...given);
            };""".replace("DELAY", str(100 * SLOW))
        )

    def wrong(self, silent: bool) -> list[str]:
        """The errors of its pages, and with ``silent`` what the console called one."""
        found = self.errors + (self.said if silent else [])
        return [one for one in found if not (self._loaded > 1 and BROKEN_STREAM.match(one))]

    def _count(self, _page: Page) -> None:
        self._loaded += 1

    def _remember(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme.startswith("http"):
            self._visited.add(f"{parts.scheme}://{parts.netloc}")

    def keep(self, path: Path) -> list[Path]:
        """A picture of every page that is open and can still be drawn."""
        from playwright.sync_api import Error

        kept = []
        for at, page in enumerate(self._pages()):
            picture = path.with_stem(f"{path.stem}-{at}")
            with suppress(Error):  # a page that hangs or has crashed
                page.screenshot(path=picture, timeout=PATIENCE)
                kept.append(picture)
        return kept

    def describe(self) -> list[str]:
        """Where every page is and what it asked for and has no answer to; then the errors it told of."""
        from playwright.sync_api import Error

        lines = []
        for page in self._pages():
            with suppress(Error):
                lines.append(json.dumps(page.wait_for_function(PLACE, timeout=PATIENCE).json_value()))
        return lines + self.wrong(silent=True)

    def ask_only(self, own: str) -> Callable[[], None]:
        """Call it an error when a page asks for anything else than what lies below an address.

        Returns:
            What ends that.
        """

        def asked(request: Request) -> None:
            if not request.url.startswith((own, *INSIDE)):
                self.errors.append(f"asked for {request.url}")

        self.context.on("request", asked)
        return lambda: self.context.remove_listener("request", asked)

    def leave(self) -> None:
        """Close every page, those that a test opened beside its own too, and take back what was allowed."""
        for page in self._pages():
            page.close()
        self.context.set_offline(False)
        self.context.clear_permissions()

    def _pages(self) -> list[Page]:
        return [page for page in self.context.pages if page is not self._keeper]


class Windows:
    """Gives every test a page in a window of the kind it asks for."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._free: list[tuple[str, Window]] = []  # the one that was used last is last
        self._used: list[Window] = []
        self._failed: list[str] = []  # where the pages were that an error closed

    @contextmanager
    def open(self, silent: bool = False, own: str = "", **options: Any) -> Iterator[Page]:
        """A fresh page with an empty storage; an uncaught error in it is an error of the test.

        Pages that are open at the same time share nothing.

        Args:
            silent: the console may name no error either. own: nothing may be asked for but what lies below
                this address.
            options: of the browser's context; its language is English unless they say another.
        """
        of_page = {name: options.pop(name) for name in OF_A_PAGE if name in options}
        options = {"locale": "en-US", **options}
        kind = json.dumps(options, sort_keys=True)
        window = self._take(kind) or Window(self._browser.new_context(**options))
        with ExitStack() as stack:
            stack.push(lambda error, *_: self._put_back(kind, window, error is not None))
            stack.callback(window.leave)
            if own:
                stack.callback(window.ask_only(own))
            self._used.append(window)
            stack.callback(self._used.remove, window)
            stack.push(lambda error, *_: self._failed.extend(window.describe() if error else ()))
            yield window.page(**of_page)
        wrong = window.wrong(silent)
        assert not wrong, "\n".join(wrong)

    def _take(self, kind: str) -> Window | None:
        at = next((at for at, (other, _) in enumerate(self._free) if other == kind), None)
        return None if at is None else self._free.pop(at)[1]

    def _put_back(self, kind: str, window: Window, failed: bool) -> None:
        if window.spent or failed:
            window.context.close()
            return
        self._free.append((kind, window))
        if len(self._free) > MOST_WINDOWS:
            self._free.pop(0)[1].context.close()

    def keep(self, folder: Path, test: str) -> list[Path]:
        """Pictures of the pages that are open, named after the failed test; it may have left them hanging."""
        for window in self._used:
            window.spent = True
        name = re.sub(r"[^\w-]+", "-", test)
        return [
            path
            for at, window in enumerate(self._used)
            for path in window.keep(folder / f"failed-{name}-{at}.png")
        ]

    def describe(self) -> list[str]:
        """As `Window.describe`, of windows that an error has closed since the last call, and of open ones."""
        closed, self._failed = self._failed, []
        return closed + [line for window in self._used for line in window.describe()]

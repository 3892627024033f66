"""A document of a million characters in the browser: opened, scrolled, searched, tagged in parts, exported.

    python -m benchmarks.long_document [--characters 1000000] [--spans 20000] [--model DIR] [--rounds 3]

A real app, a real Chromium; beside it lies a short document of 1,000 characters, which the same questions are
asked of. Seconds are of the clock, medians of the rounds; then of the processor: the server's, and the main
thread's of the page. ``--model`` names the tagger (default: that of the demo). Needs Chromium at
/usr/bin/chromium.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.annotate import NAMES, OPEN, SCROLL, Case
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.run import runs
from core.taggers.base.model_folder import read_header
from core.text import LabelSet
from latticelens import DEMO_TAGGER
from tests.browser.app_page import turn_to
from tests.browser.app_server import AppServer
from tests.browser.conftest import CHROMIUM, FLAGS
from tests.browser.idle import COUNTING, wait_until_idle

SHORT = Case(1_000, 20)
RARE = "龘靐齉"  # ends every document's text
BOX = ".lla-filters input[type=search]"
SHOWN = "document.querySelector('.lla-progress:not([hidden])') !== null"
LATEST = 600_000


class Clock:
    """Prints what a thing took: on the clock, of the server's processor, of the page's main thread."""

    def __init__(self, page: Page, server: AppServer) -> None:
        self._server = server
        self._cdp = page.context.new_cdp_session(page)
        self._cdp.send("Performance.enable", {"timeDomain": "threadTicks"})

    def tell(self, what: str, work: Callable[[], None], rounds: int = 1) -> None:
        """Do it so many times, and print the medians."""
        found = []
        for _ in range(rounds):
            start, server, page = time.perf_counter(), self._of_server(), self._of_page()
            work()
            found.append((time.perf_counter() - start, self._of_server() - server, self._of_page() - page))
        clock, server, page = (statistics.median(column) for column in zip(*found, strict=True))
        print(f"{what:<44}{clock:>8.2f} s{server:>8.2f} s{page:>8.2f} s", flush=True)

    def _of_server(self) -> float:
        columns = Path(f"/proc/{self._server.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(columns[11]) + int(columns[12])) / os.sysconf("SC_CLK_TCK")

    def _of_page(self) -> float:
        metrics = self._cdp.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each thing a person does."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--characters", type=int, default=1_000_000)
    parser.add_argument("--spans", type=int, default=20_000)
    parser.add_argument("--model", type=Path, default=DEMO_TAGGER)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    long = Case(options.characters, options.spans)
    with (
        tempfile.TemporaryDirectory() as folder,
        AppServer(filled(Path(folder) / "workspace", options.model, [SHORT, long])) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        page = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-US").new_page()
        page.set_default_timeout(LATEST)
        page.add_init_script(COUNTING)
        page.goto(server.url)
        page.wait_for_selector("#annotate .lla-text:not(:empty)")
        wait_until_idle(page)
        print(f"{long.characters:,} characters, {long.spans:,} spans; load {os.getloadavg()[0]:.1f}")
        print(f"{'':<44}{'clock':>10}{'server':>10}{'page':>10}")
        measure(page, Clock(page, server), long, options.rounds)
        browser.close()
    return 0


def filled(folder: Path, model: Path, cases: Sequence[Case]) -> Path:
    """A workspace with a document of each length and a tagger."""
    with Workspace.open(folder) as workspace:
        project = projects.create(workspace, "lengths").id
        header = read_header(model)
        labels.put(workspace, project, LabelSet().extended(dict.fromkeys((*NAMES, *header.labels))))
        written = [case.document() for case in cases]
        documents.add(
            workspace, project, [replace(one, text=one.text[: -len(RARE)] + RARE) for one in written]
        )
        runs.register(workspace, project, "measured", header.tagger, model, {})
        projects.set_active(workspace, project, "measured")
    return folder


def measure(page: Page, clock: Clock, long: Case, rounds: int) -> None:
    """Everything a person does, in its order."""
    for case, other in ((SHORT, long), (long, SHORT)):
        for each in (case, other):
            page.wait_for_selector(f".lla-document:has-text('{each.name}')")
        page.evaluate(OPEN, other.name)
        wait_until_idle(page)
        taken = []
        for _ in range(rounds):
            taken.append(page.evaluate(OPEN, case.name) / 1000)
            wait_until_idle(page)
            page.evaluate(OPEN, other.name)
            wait_until_idle(page)
        print(f"{f'open {case.characters:,}, to the painted marks':<44}{statistics.median(taken):>8.2f} s")
        clock.tell(f"open {case.characters:,}, to the last answer", lambda case=case: opened(page, case))
        frames = page.evaluate(SCROLL)
        over = sum(frame > 50 for frame in frames)
        print(
            f"scroll {case.characters:,}: {len(frames)} frames, median {statistics.median(frames):.0f} ms, "
            f"{over} over 50 ms, worst {max(frames):.0f} ms"
        )
        clock.tell("  search for its last characters", lambda: search(page), rounds)
    clock.tell("  from the button to the first part tagged", lambda: tag_until(page, "> 0"))
    clock.tell("  until stopped", lambda: stop(page))
    clock.tell("  tag all of it, in parts", lambda: tag_until(page, None))
    turn_to(page, "data")
    wait_until_idle(page)
    clock.tell("  export both as JSON Lines", lambda: export(page))


def opened(page: Page, case: Case) -> None:
    """Open it, until nothing is asked any more."""
    page.evaluate(OPEN, case.name)
    wait_until_idle(page)


def search(page: Page) -> None:
    """Search for what ends both documents, and take the search back."""
    page.fill(BOX, RARE)
    page.wait_for_timeout(300)  # the box waits for the end of the typing
    wait_until_idle(page)
    assert page.locator(".lla-document").count() == 2
    page.fill(BOX, "")
    page.wait_for_timeout(300)
    wait_until_idle(page)


def tag_until(page: Page, progress: str | None) -> None:
    """Ask the tagger, until its bar says so, or (None) until it is done."""
    page.click("[data-action=ask_tagger]")
    page.wait_for_function(SHOWN)
    if progress is None:
        page.wait_for_function(f"!({SHOWN})")
    else:
        page.wait_for_function(f"document.querySelector('.lla-progress progress').value {progress}")


def stop(page: Page) -> None:
    """Press the button of the bar."""
    page.click(".lla-progress button")
    page.wait_for_function(f"!({SHOWN})")


def export(page: Page) -> None:
    """Export the project, until there is something to download."""
    page.click("#export-write")
    page.wait_for_selector("#export-file a")


if __name__ == "__main__":
    sys.exit(main())

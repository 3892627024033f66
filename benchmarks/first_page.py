"""How long after the server's first answer a person sees a document to label.

    python -m benchmarks.first_page [--starts 4]

Each start is a server of its own on a fresh workspace and a Chromium with an empty profile; then the page is
opened once more in the same profile. Seconds run from the request to the first text on the Annotate page.
Needs Chromium at /usr/bin/chromium.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, sync_playwright

from tests.browser.app_server import AppServer
from tests.browser.conftest import CHROMIUM, FLAGS

LANGUAGES = ("en", "zh-CN")
# A page that is being filled is there but cannot be seen.
TEXT = "html:not(.ll-filling) #annotate .lla-text:not(:empty)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line a language: median and worst of the first and of the second visit."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--starts", type=int, default=4, help="servers started for each language")
    starts = parser.parse_args(arguments).starts
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        print(f"{'browser language':<18}{'visit':<8}{'median s':>9}{'worst s':>9}")
        for language in LANGUAGES:
            visits = [
                _visits(browser, language, Path(folder) / f"{language}-{start}") for start in range(starts)
            ]
            for name, seconds in zip(("first", "second"), zip(*visits, strict=True), strict=True):
                middle, worst = statistics.median(seconds), max(seconds)
                print(f"{language:<18}{name:<8}{middle:>9.2f}{worst:>9.2f}")
        browser.close()
    return 0


def _visits(browser: Browser, language: str, folder: Path) -> tuple[float, float]:
    folder.mkdir()
    server = AppServer(folder / "workspace")
    server.start()
    context = browser.new_context(locale=language, viewport={"width": 1440, "height": 900})
    try:
        return _seconds_to_text(context, server.url), _seconds_to_text(context, server.url)
    finally:
        context.close()
        server.stop()


def _seconds_to_text(context: BrowserContext, url: str) -> float:
    page = context.new_page()
    start = time.perf_counter()
    page.goto(url)
    page.wait_for_selector(TEXT, timeout=60_000)
    seconds = time.perf_counter() - start
    page.close()
    return seconds


if __name__ == "__main__":
    sys.exit(main())

"""Time from inspecting a sentence until all its figures are on the page.

    python -m benchmarks.inspect_page [--looks 7]

The demo tagger (a FLAT) reads a sentence of 100 characters on one CPU core; seconds run from the click on
"Inspect sentence". In view: until nothing in the window changes any more. All: until every figure of every
panel is drawn, without scrolling. The first run also loads torch and the tagger. Each run uses another
sentence. Needs Chromium at /usr/bin/chromium.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.app_server import AppServer
from tests.browser.conftest import CHROMIUM, FLAGS

CLAUSES = (
    "林知远先生出任青禾大学附属医院院长",
    "清河制药公司昨天宣布推出新型降压药",
    "研究员苏明月博士将于九月前往海州工作",
    "董事长陈禾在岭南市会见了银杏集团总经理",
    "这款手机由星野科技公司在上海设计生产",
    "北河师范大学教授周启文获得了今年的奖项",
    "患者服用阿司匹林之后高血压有所好转",
    "明年三月白石湖畔的新厂将正式投入使用",
)
FIRST_PAGE = "#annotate .lla-text:not(:empty)"
LENGTH = 100
TARGET = 1.5
# Notes in the page when a panel was last changed, and when a figure in one was last drawn.
WATCH = """() => {
  window.benchStart = window.benchNear = window.benchLast = performance.now();
  const heard = new WeakSet();
  const note = () => { window.benchNear = window.benchLast = performance.now(); };
  const drawn = (plot) => {
    window.benchLast = performance.now();
    if (plot.getBoundingClientRect().top < innerHeight) window.benchNear = window.benchLast;
  };
  const listen = () => {
    for (const plot of document.querySelectorAll("#inspect-panels .js-plotly-plot")) {
      if (heard.has(plot) || !plot.on) continue;
      heard.add(plot);
      drawn(plot);
      plot.on("plotly_afterplot", () => drawn(plot));
    }
  };
  const at = (record) => record.target.closest ? record.target : record.target.parentElement;
  const inside = (record) => at(record)?.closest("#inspect-panels");
  new MutationObserver((records) => {
    const own = records.filter(inside);
    if (!own.length) return;
    listen();
    if (own.some((record) => !at(record).closest(".ll-lazy-plot, .ll-figure-downloads"))) note();
  }).observe(document.body, { childList: true, subtree: true });
}"""
START = "() => { window.benchStart = window.benchNear = window.benchLast = performance.now(); }"
QUIET = """() => {
  const waiting = [...document.querySelectorAll("#inspect-panels .ll-lazy-plot[data-waiting]")];
  const quiet = performance.now() - window.benchLast > 1500;
  return window.benchLast > window.benchStart && quiet && !waiting.some((plot) => plot.offsetParent);
}"""
SECONDS = "() => [window.benchNear, window.benchLast].map((end) => (end - window.benchStart) / 1000)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the first look, and median and worst of the looks after it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--looks", type=int, default=7, help="looks that are measured after the first")
    looks = parser.parse_args(arguments).looks
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        server = AppServer(Path(folder) / "workspace")
        server.start()
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        try:
            page = browser.new_page(viewport={"width": 1440, "height": 1000}, locale="en")
            first, *later = _looks(page, server.url, looks + 1)
        finally:
            browser.close()
            server.stop()
    print(f"{'look':<8}{'in view s':>10}{'worst s':>9}{'all s':>8}{'worst s':>9}")
    for name, found in (("first", [first]), ("later", later)):
        near, every = zip(*found, strict=True)
        figures = (statistics.median(near), max(near), statistics.median(every), max(every))
        print(f"{name:<8}{figures[0]:>10.2f}{figures[1]:>9.2f}{figures[2]:>8.2f}{figures[3]:>9.2f}")
    print(f"target: {TARGET} s")
    return 0


def sentences() -> Iterator[str]:
    """Texts of ``LENGTH`` characters with several entities, each other than the one before."""
    turn = 0
    while True:
        clauses = [*CLAUSES[turn % len(CLAUSES) :], *CLAUSES[: turn % len(CLAUSES)]]
        yield "，".join(clauses)[: LENGTH - 1] + "。"
        turn += 1


def _looks(page: Page, url: str, count: int) -> list[tuple[float, float]]:
    """Seconds of every look until what is in view stands, and until every figure does."""
    page.goto(url)
    page.wait_for_selector("html.ll-ready", timeout=60_000)
    # The app opens on a page of its own choice, once it knows the project.
    page.wait_for_selector(FIRST_PAGE, timeout=60_000)
    page.locator("#ll-tab-inspect-button").click()
    page.wait_for_selector("#inspect-sentence textarea:visible", timeout=60_000)
    page.wait_for_selector("#inspect-look:not([disabled])", timeout=60_000)
    page.evaluate(WATCH)
    seconds = []
    texts = sentences()
    for _ in range(count):
        page.fill("#inspect-sentence textarea", next(texts))
        time.sleep(0.5)
        page.evaluate(START)
        page.click("#inspect-look")
        page.wait_for_function(QUIET, timeout=120_000)
        near, every = page.evaluate(SECONDS)
        seconds.append((near, every))
    return seconds


if __name__ == "__main__":
    sys.exit(main())

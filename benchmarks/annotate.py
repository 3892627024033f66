"""How fast the Annotate page opens, draws and scrolls a document, by its length; its saves and its lists.

    python -m benchmarks.annotate [--opens 5] [--edits 15] [--saves 300] [--documents 5000 50000 200000]

A real app on a fresh workspace, a real Chromium. Open: from the click in the queue to the painted bars. Edit:
from the key to the painted span. Scroll: 200 px a frame from the top on, at most 300; one over 50 ms is
seen as a jerk. Milliseconds; medians, because the machine may have other work. Needs Chromium at
/usr/bin/chromium.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.annotate_saving import listing, saving
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.text import Document, LabelSet, Span
from tests.browser.app_server import AppServer
from tests.browser.conftest import CHROMIUM, FLAGS

SIZES = ((1_000, 20), (10_000, 200), (100_000, 2_000), (1_000_000, 20_000))  # characters, spans
SENTENCE = "沈知微先生在青岛海川能源公司担任总经理，负责东部地区的业务。"
NAMES = ("NAME", "ORG", "TITLE", "LOC")
PAINTED = (
    "const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));"
)
OPEN = f"""async (name) => {{ {PAINTED}
  const row = [...document.querySelectorAll(".lla-document")].find((one) => one.textContent.includes(name));
  const text = document.querySelector(".lla-desk .lla-text");
  const start = performance.now();
  row.click();
  while (!text.textContent.startsWith(name)) await new Promise((done) => setTimeout(done, 1));
  while (!document.querySelector(".lla-desk .lla-bar")) await new Promise((done) => setTimeout(done, 1));
  await painted();
  return performance.now() - start;
}}"""
EDIT = f"""async (times) => {{ {PAINTED}
  const text = document.querySelector(".lla-desk .lla-text");
  const letters = (text.querySelector(".lla-block") ?? text).firstChild;
  const found = [];
  for (let time = 0; time < times; time += 1) {{
    text.focus({{ preventScroll: true }});
    document.getSelection().setBaseAndExtent(letters, 3 * time, letters, 3 * time + 2);
    await painted();
    const start = performance.now();
    const press = {{ key: "1", bubbles: true, cancelable: true }};
    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", press));
    await painted();
    found.push(performance.now() - start);
  }}
  return found;
}}"""
SCROLL = """async () => {
  const frames = [];
  window.scrollTo(0, 0);
  await new Promise(requestAnimationFrame);
  let last = performance.now();
  while (frames.length < 300) {
    const before = window.scrollY;
    window.scrollBy(0, 200);
    await new Promise(requestAnimationFrame);
    frames.push(performance.now() - last);
    last = performance.now();
    if (window.scrollY === before) break;
  }
  return frames;
}"""


@dataclass(frozen=True, slots=True)
class Case:
    """A document of so many characters with so many spans."""

    characters: int
    spans: int

    @property
    def name(self) -> str:
        """The first characters of its text, by which its row in the queue is found."""
        return f"第{self.characters}字{self.spans}处。"

    def document(self) -> Document:
        """Spans of two to eight characters at even distances, some over one another."""
        chosen = Random(self.spans)
        text = (self.name + SENTENCE * (self.characters // len(SENTENCE) + 1))[: self.characters]
        step = self.characters / self.spans
        found: dict[tuple[int, int, str], Span] = {}
        for number in range(self.spans):
            start = min(int(number * step), self.characters - 8)
            span = Span(start, start + chosen.choice((2, 3, 4, 8)), NAMES[number % len(NAMES)])
            found[span.key] = span
        return Document(self.name, text, tuple(found.values()))


CASES = tuple(Case(*size) for size in SIZES)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one section after the other."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--opens", type=int, default=5, help="times each document is opened")
    parser.add_argument("--edits", type=int, default=15, help="labels given in each document")
    parser.add_argument("--saves", type=int, default=300, help="saves of each way to save")
    parser.add_argument("--documents", type=int, nargs="+", default=[5_000, 50_000, 200_000])
    parser.add_argument("--only", choices=[section.__name__ for section in SECTIONS], help="one section")
    options = parser.parse_args(arguments)
    for section in SECTIONS:
        if options.only in (None, section.__name__):
            section(options)
    return 0


def drawing(options: argparse.Namespace) -> None:
    """Open, edit and scroll documents of every length."""
    print(
        f"{'characters':>10}{'spans':>7}{'open':>7}{'worst':>7}{'edit':>7}{'worst':>7}"
        f"{'frames':>8}{'median':>8}{'over 50':>8}{'worst':>7}"
    )
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder) / "workspace"
        _fill(workspace)
        server = AppServer(workspace)
        server.start()
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        try:
            for case in CASES:
                _print_case(_page(browser, server.url), case, options)
        finally:
            browser.close()
            server.stop()


def _print_case(page: Page, case: Case, options: argparse.Namespace) -> None:
    other = next(one for one in CASES if one != case)
    opens = []
    for _ in range(options.opens):
        page.evaluate(OPEN, other.name)
        opens.append(page.evaluate(OPEN, case.name))
    edits = page.evaluate(EDIT, options.edits)
    frames = page.evaluate(SCROLL)
    over = sum(frame > 50 for frame in frames)
    print(
        f"{case.characters:>10}{case.spans:>7}{statistics.median(opens):>7.0f}{max(opens):>7.0f}"
        f"{statistics.median(edits):>7.0f}{max(edits):>7.0f}"
        f"{len(frames):>8}{statistics.median(frames):>8.0f}{over:>8}{max(frames):>7.0f}",
        flush=True,
    )
    page.context.close()


def _page(browser: Browser, url: str) -> Page:
    page = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-US").new_page()
    page.goto(url)
    page.wait_for_selector("#annotate .lla-text:not(:empty)", timeout=60_000)
    page.wait_for_selector(f".lla-document >> nth={len(CASES) - 1}", timeout=60_000)
    return page


def _fill(folder: Path) -> None:
    workspace = Workspace.open(folder)
    project = projects.create(workspace, "lengths")
    labels.put(workspace, project.id, LabelSet().extended(list(NAMES)))
    documents.add(workspace, project.id, [case.document() for case in CASES])
    workspace.close()


# Each prints a table of its own; a further one is a function of the options.
SECTIONS: tuple[Callable[[argparse.Namespace], None], ...] = (drawing, saving, listing)


if __name__ == "__main__":
    sys.exit(main())

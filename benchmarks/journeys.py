"""How many keys and clicks a person needs for what they come for, and how soon and how calmly pages come.

    python -m benchmarks.journeys [--documents 6] [--resume ../shared/data/resume_ner]

A real app on a fresh workspace, a real Chromium. Every key press and every click or drag is done and counted;
text that is typed or pasted counts as one key. Spans are marked by a drag and a label's key. With suggestions
the tagger is asked once a document; a right suggestion is accepted, a wrong one rejected, a missing one
marked. Needs Chromium at /usr/bin/chromium.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from app.server.first_run import ASSETS, DEMO_RUN
from benchmarks.resume import ROOT
from core.corpus.document_json import read_documents
from core.formats import read_file
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.project import nesting, projects
from core.store.run import runs
from core.text import Document, LabelSet
from tests.browser.app_page import turn_to
from tests.browser.app_server import AppServer
from tests.browser.conftest import CHROMIUM, FLAGS
from tests.browser.gestures import place
from tests.browser.idle import COUNTING, wait_until_idle

PAGES = (
    "data", "annotate", "train", "tag", "inspect", "compare", "ledger", "dictionary", "dashboard", "settings",
)  # fmt: skip
OWN_TEXT = "昨天下午，周敏从南京到苏州出差。\n林浩在上海的医院工作。\n王芳去了杭州。"
NEW_TEXT = "陈静上周在武汉的大学演讲。\n赵明从青岛去了济南。"  # in no document of the project
RAW_TEXT = "孙莉在天津的报社实习。\n高远明天飞往西安。"  # nor is this
WIDE = 68
TEXT = "html:not(.ll-filling) #annotate .lla-desk .lla-text:not(:empty)"
IN_TEXT = "document.activeElement?.matches('.lla-desk .lla-text')"
WATCH = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, startTime } of list.getEntries()) window.shifts.push([startTime, value]);
  }).observe({ type: "layout-shift", buffered: true });
}"""
# From the click to the page in view with its contents, and to the last answer to what it asked: what
# takes long, such as loading the taggers, follows into a page that is there.
CHANGE = """async (page) => {
  const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const panel = () => document.getElementById(`ll-tab-${page}`);
  const start = performance.now();
  document.getElementById(`ll-tab-${page}-button`).click();
  const hidden = () => document.documentElement.classList.contains("ll-filling");
  const seen = () => panel()?.offsetParent && !hidden() && window.latticelens.filled.has(page);
  do await painted(); while (!seen());
  const shown = performance.now() - start;
  while (window.unanswered().length) await painted();
  return [shown, performance.now() - start];
}"""


@dataclass
class Hands:
    """A person at a page, whose every action is counted."""

    page: Page
    keys: int = 0
    mouse: int = 0

    @property
    def actions(self) -> int:
        return self.keys + self.mouse

    def press(self, key: str) -> None:
        self.keys += 1
        self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        self.keys += 1
        self.page.keyboard.insert_text(text)

    def click(self, where: str | Locator) -> None:
        self.mouse += 1
        locator = self.page.locator(where).first if isinstance(where, str) else where
        locator.click()

    def drag(self, start: int, end: int) -> None:
        """Over UTF-16 units of the text, from line to line where they stand in several."""
        self.mouse += 1
        left, _, above = place(self.page, start, start + 1)
        _, right, below = place(self.page, end - 1, end)
        self.page.mouse.move(left + 1, above)
        self.page.mouse.down()
        self.page.mouse.move(right - 1, below, steps=4)
        self.page.mouse.up()


def tell(name: str, value: float, most: float | None = None) -> None:
    """A line of the table: what was measured, and what it should be at most, if there is an aim."""
    shown = f"{value:.0f}" if value > 100 else f"{value:.2f}".removesuffix(".00")
    aim = "" if most is None else f"{most:>9g}{'  missed' if value > most else ''}"
    print(f"{name:<{WIDE}}{shown:>9}{aim}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one line a measure."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--documents", type=int, default=6, help="documents annotated of each set")
    parser.add_argument("--resume", type=Path, default=ROOT.parent / "shared" / "data" / "resume_ner")
    options = parser.parse_args(arguments)
    print(f"{'journey':<{WIDE}}{'measured':>9}{'at most':>9}")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        with AppServer(_folder(folder, "app")) as server:
            for journey in JOURNEYS:
                page, errors = _page(browser, server.url, timed=journey is tabs_to_the_text)
                journey(Hands(page))
                page.context.close()
                tell(f"console errors: {journey.__name__.replace('_', ' ')}", len(errors), 0)
        for name, gold, label_set in _sets(options):
            _annotate_set(browser, _folder(folder, name), name, gold, label_set)
        browser.close()
    return 0


def tabs_to_the_text(hands: Hands) -> None:
    """By Tab alone, and by the skip link."""
    while not hands.page.evaluate(IN_TEXT):
        hands.press("Tab")
    tell("Tab presses from load to the text", hands.keys, 8)
    hands.page.evaluate("document.activeElement.blur()")
    again = Hands(hands.page)
    hands.page.focus("#ll-skip")
    again.keys = 1  # the first Tab of a page
    again.press("Enter")
    hands.page.wait_for_function(IN_TEXT)
    tell("keys to the text by the skip link", again.keys, 8)


def own_text_to_a_span(hands: Hands) -> None:
    """Tag it, take it into the project and accept a suggestion."""
    page = hands.page
    hands.click("#ll-tab-tag-button")
    hands.click("#tag-text textarea")
    hands.type(OWN_TEXT)
    hands.click("#tag-go")
    page.wait_for_selector("#tag-result .lla-bar", timeout=120_000)
    wait_until_idle(page)
    hands.click("#tag-annotate")
    page.wait_for_selector(".lla-desk .lla-tagger")
    wait_until_idle(page)
    hands.press("Enter")
    page.wait_for_selector(".lla-desk .lla-person")
    tell("actions from own text pasted to the first accepted span", hands.actions, 6)


def wrong_span_to_the_ledger(hands: Hands) -> None:
    """A span seen on Tag is rejected where it stands, and its line opened in the ledger."""
    page = hands.page
    turn_to(page, "tag")
    page.fill("#tag-text textarea", NEW_TEXT)
    page.click("#tag-go")
    page.wait_for_selector("#tag-result .lla-bar", timeout=120_000)
    wait_until_idle(page)
    hands.click("#tag-sentences .lla-bar")
    hands.press("x")
    hands.click("#tag-sentences .ll-corrected a")
    page.wait_for_selector("#ll-tab-ledger .ll-ledger-table tbody tr")
    tell("actions from a wrong span seen on Tag to its line in the ledger", hands.actions, 3)


def import_to_a_raw_document(hands: Hands) -> None:
    """From the press of the import button to a document that nobody has annotated."""
    page = hands.page
    turn_to(page, "data")
    page.locator("#data-paste textarea").fill(RAW_TEXT)
    page.locator("#data-look").click()
    page.wait_for_selector("#data-confirm", state="visible")
    wait_until_idle(page)
    hands.click("#data-confirm")
    wait_until_idle(page)
    hands.click("#data-to-annotate")
    page.wait_for_selector(".lla-document[aria-current] .lla-is-new")
    tell("actions from import to the first raw document", hands.actions, 3)


def from_page_to_page(hands: Hands) -> None:
    """Milliseconds of the first and of later visits, and the layout shifts after a page's first second."""
    page = hands.page
    page.evaluate(WATCH)
    first: dict[str, list[float]] = {}
    again: dict[str, list[float]] = {}
    shifts: list[float] = []
    for visit, found in (("first", first), ("again", again)):
        for name in PAGES:
            found[name] = page.evaluate(CHANGE, name)
            if visit == "first":
                opened = page.evaluate("performance.now()")
                page.wait_for_timeout(2500)
                wait_until_idle(page)
                since = "since => window.shifts.reduce((sum, [at, by]) => sum + (at > since ? by : 0), 0)"
                shifts.append(page.evaluate(since, opened + 1000))
    for kind, found in (("first visit", first), ("later visit", again)):
        for at, (until, most) in enumerate((("", 300), (", last answer", None))):
            took = {name: both[at] for name, both in found.items()}
            worst = max(took, key=took.__getitem__)
            tell(f"page change, {kind}{until}, median ms", statistics.median(took.values()), most)
            tell(f"page change, {kind}{until}, worst ms ({worst})", took[worst], most)
    tell("layout shift of the worst page after its first second", max(shifts), 0.02)


JOURNEYS: tuple[Callable[[Hands], None], ...] = (
    tabs_to_the_text,
    own_text_to_a_span,
    wrong_span_to_the_ledger,
    import_to_a_raw_document,
    from_page_to_page,
)


def _annotate_set(
    browser: Browser, workspace: Path, name: str, gold: list[Document], label_set: LabelSet
) -> None:
    """Annotate the raw texts of ``gold`` with the demo tagger's suggestions, then others of them without."""
    half = len(gold) // 2
    with Workspace.open(workspace) as opened:
        project = projects.create(opened, name).id
        labels.put(opened, project, label_set)
        documents.add(opened, project, [Document(one.id, one.text) for one in gold])
        nesting.guess_from(opened, project, gold)
        runs.register(opened, project, DEMO_RUN, "flat", ASSETS / "demo_tagger", {})
        projects.set_active(opened, project, DEMO_RUN)
    with AppServer(workspace) as server:
        page, errors = _page(browser, server.url)
        for kind, part, most in (("with", gold[:half], 3), ("without", gold[half:], 4)):
            hands = Hands(page)
            for document in part:
                _annotate(hands, document, label_set, asks=kind == "with")
            spans = sum(len(document.spans) for document in part)
            tell(f"keys and mouse actions a span, {name}, {kind} suggestions", hands.actions / spans, most)
            tell(f"mouse actions a span, {name}, {kind} suggestions", hands.mouse / spans, 1.5)
        tell(f"console errors: annotating {name}", len(errors), 0)
        page.context.close()


def _annotate(hands: Hands, document: Document, label_set: LabelSet, *, asks: bool) -> None:
    """One document, to its end: the next one opens by itself."""
    page = hands.page
    page.wait_for_function(
        "text => document.querySelector('.lla-desk .lla-text').textContent === text", arg=document.text
    )
    wait_until_idle(page)
    missing = {span.key for span in document.spans}
    if asks:
        hands.click("[data-action=ask_tagger]")
        wait_until_idle(page)
        _judge(hands, missing)
    hotkeys = {label.name: label.hotkey for label in label_set}
    for start, end, label in sorted(missing):
        hands.drag(_units(document.text, start), _units(document.text, end))
        hands.press(hotkeys[label])
        page.wait_for_selector(f".lla-desk [data-key='person:{start}:{end}:{label}']", state="attached")
    hands.press("d")


def _judge(hands: Hands, missing: set[tuple[int, int, str]]) -> None:
    """Every suggestion is accepted or rejected where it is wrong; what is accepted is missing no more."""
    page = hands.page
    if not page.locator(".lla-desk .lla-tagger").count():
        return
    page.evaluate("document.activeElement.blur()")
    shown = page.eval_on_selector_all(".lla-desk .lla-tagger", "all => all.map(one => one.dataset.key)")
    keys = {
        key: (int(start), int(end), label) for key in shown for _, start, end, label in [key.split(":", 3)]
    }
    if set(keys.values()) <= missing:
        hands.press("Shift+Enter")
        missing -= set(keys.values())
        return
    page.focus(".lla-desk .lla-text")
    hands.press("Home")
    hands.press("Tab")
    while key := page.evaluate("document.activeElement.dataset.key ?? ''"):
        if not key.startswith("tagger:"):
            break
        right = keys[key] in missing
        hands.press("Enter" if right else "x")
        missing.discard(keys[key])
        page.wait_for_selector(f".lla-desk [data-key='{key}']", state="detached")


def _units(text: str, point: int) -> int:
    """UTF-16 units before a code point."""
    return len(text[:point].encode("utf-16-le")) // 2


def _sets(options: argparse.Namespace) -> list[tuple[str, list[Document], LabelSet]]:
    demo = list(read_documents(ASSETS / "demo" / "corpus.jsonl"))
    label_names = list(dict.fromkeys(span.label for document in demo for span in document.spans))
    sets = [("demo", [one for one in demo if one.meta.get("split") == "test"], label_names)]
    if options.resume.is_dir():
        resume = list(read_file(options.resume / "test.char.bmes").documents)
        sets.append(("Resume", resume, list(dict.fromkeys(s.label for one in resume for s in one.spans))))
    return [
        (name, [one for one in gold if one.spans][: 2 * options.documents], LabelSet().extended(names))
        for name, gold, names in sets
    ]


def _folder(folder: str, name: str) -> Path:
    inside = Path(folder) / name
    inside.mkdir()
    return inside / "workspace"


def _page(browser: Browser, url: str, *, timed: bool = False) -> tuple[Page, list[str]]:
    """The app in a fresh profile, and the errors that its console will tell."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-US").new_page()
    errors: list[str] = []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.add_init_script(COUNTING)
    start = time.perf_counter()
    page.goto(url)
    page.wait_for_selector(TEXT, timeout=60_000)
    if timed:
        tell("seconds to the first page", time.perf_counter() - start, 2.0)
    wait_until_idle(page)
    return page, errors


if __name__ == "__main__":
    sys.exit(main())

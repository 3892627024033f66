"""The Inspect page as a person meets it, with a tagger of every kind: all panels drawn, a silent console.

Screenshots are kept in ``screenshots/`` at the repository's root, for somebody to look at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.app_server import ROOT, AppServer
from tests.browser.inspect_workspace import RUNS, TEXT, fill

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser

WAIT = 60_000
SHOTS = ROOT / "screenshots"
# Elements that must have been drawn, by the kind of tagger (and for all of them: "").
DRAWN = {
    "": ("#inspect-why-group", "#inspect-view-sentence .lla-root"),
    "flat": ("#inspect-lattice", "#inspect-attention", "#inspect-crf-plot", "#inspect-distances"),
    "soft_lexicon": ("#inspect-lattice", "#inspect-crf-plot"),
    "lattice_lstm": ("#inspect-lattice", "#inspect-crf-plot"),
    "bert": ("#inspect-attention", "#inspect-crf-plot"),
    "mrc": ("#inspect-mrc-plot", "#inspect-mix-plot"),
    "elmo_crf": ("#inspect-mix-plot", "#inspect-crf-plot"),
}
ABSENT = {
    "flat": ("#inspect-mrc", "#inspect-mix"),
    "soft_lexicon": ("#inspect-mrc", "#inspect-mix", "#inspect-distances-group"),
    "lattice_lstm": ("#inspect-mrc", "#inspect-attention", "#inspect-distances-group"),
    "bert": ("#inspect-mrc", "#inspect-lattice", "#inspect-distances-group"),
    "mrc": ("#inspect-lattice", "#inspect-crf", "#inspect-distances-group"),
    "elmo_crf": ("#inspect-mrc", "#inspect-lattice", "#inspect-attention"),
}
MIXES = ("bert-scalar-mix", "bert-dynamic")


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    workspace = tmp_path_factory.mktemp("inspect") / "workspace"
    fill(workspace)
    server = AppServer(workspace)
    server.start()
    yield server
    server.stop()


class Watched:
    """A page on the Inspect tab, and what its console said."""

    def __init__(self, page: Page, app: AppServer) -> None:
        self.page = page
        self.problems: list[str] = []
        page.set_default_timeout(WAIT)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda said: self.problems.append(said.text) if said.type == "error" else None)
        page.goto(app.url)
        page.wait_for_function("window.latticelens && window.latticelens.token")
        page.wait_for_selector("html.ll-ready")
        page.click("#ll-project input")
        page.get_by_role("option", name="lenses").click()
        page.click("#ll-tab-inspect-button")

    def choose_run(self, run: str) -> None:
        box = self.page.locator("#inspect-run input")
        box.click()
        self.page.get_by_role("option", name=run, exact=True).click()

    def look(self, run: str, text: str = TEXT) -> None:
        """Look at a sentence through a run and wait until every figure in view is drawn."""
        self.choose_run(run)
        self.page.fill("#inspect-sentence textarea", text)
        self.page.click("#inspect-look")
        self.page.wait_for_function(
            "text => document.querySelector('#inspect-view-sentence')?.textContent.includes(text)", arg=text
        )
        self.settle()

    def settle(self) -> None:
        """Wait until no further figure has appeared for a while."""
        count, calm = -1, 0
        while calm < 3:
            self.page.wait_for_timeout(400)
            now = self.page.locator(".js-plotly-plot").count()
            calm = calm + 1 if now == count else 0
            count = now

    def drawn(self, selector: str) -> Locator:
        """The element, once something is drawn in it."""
        spot = self.page.locator(selector).first
        spot.wait_for(state="visible")
        return spot

    def keep(self, name: str) -> None:
        """Keep a picture of the whole page."""
        SHOTS.mkdir(exist_ok=True)
        self.page.screenshot(path=SHOTS / f"{name}.png", full_page=True)

    def close(self) -> None:
        # A heatmap asks Chromium to read back a canvas; that hint is about speed and no error.
        said = [line for line in self.problems if "willReadFrequently" not in line]
        assert said == [], said


@pytest.fixture
def inspecting(browser: Browser, app: AppServer) -> Iterator[Watched]:
    context = browser.new_context(
        viewport={"width": 1440, "height": 900}, locale="en-US", accept_downloads=True
    )
    watched = Watched(context.new_page(), app)
    yield watched
    watched.close()
    context.close()


@pytest.mark.parametrize("run", RUNS)
def test_every_panel_of_every_kind_of_tagger_is_drawn(inspecting: Watched, run: str) -> None:
    kind, _ = RUNS[run]
    inspecting.look(run)
    for selector in (*DRAWN[""], *DRAWN[kind]):
        inspecting.drawn(selector)
    if run in MIXES:
        inspecting.drawn("#inspect-mix-plot")
    for selector in ABSENT[kind]:
        assert not inspecting.page.locator(selector).is_visible(), f"{kind} has nothing for {selector}"
    if kind == "bert" and run not in MIXES:
        assert not inspecting.page.locator("#inspect-mix").is_visible()
    assert inspecting.page.locator(".toast-body").count() == 0
    inspecting.keep(f"inspect-{run}")


def test_a_figure_is_saved_as_picture_drawing_and_numbers(inspecting: Watched) -> None:
    inspecting.look("flat-0001")
    inspecting.drawn("#inspect-crf-plot .js-plotly-plot")
    bar = inspecting.page.locator("#inspect-crf-plot-bar")
    saved: dict[str, bytes] = {}
    for way in ("PNG", "SVG", "CSV", "JSON"):
        with inspecting.page.expect_download() as download:
            bar.get_by_role("button", name=f"({way})" if way != "JSON" else way).click()
        assert download.value.suggested_filename == f"inspect-crf-plot.{way.lower()}"
        saved[way] = Path(download.value.path()).read_bytes()
    assert saved["PNG"].startswith(b"\x89PNG")
    assert b"<svg" in saved["SVG"][:200]
    rows = json.loads(saved["JSON"])["rows"]
    assert {row["x"] for row in rows} >= set(TEXT)
    assert len(saved["CSV"].decode("utf-8-sig").splitlines()) == 1 + len(rows)


def test_the_errors_of_a_run_lead_to_their_sentences(inspecting: Watched) -> None:
    page = inspecting.page
    inspecting.choose_run("flat-0001")
    page.click("#inspect-tab-errors-button")
    inspecting.drawn("#inspect-errors-confusion .js-plotly-plot")
    inspecting.settle()
    inspecting.drawn("#inspect-errors-calibration .js-plotly-plot")
    inspecting.keep("inspect-errors")
    assert page.locator(".toast-body").count() == 0


def test_the_vectors_of_a_corpus_are_points(inspecting: Watched) -> None:
    page = inspecting.page
    inspecting.choose_run("flat-0001")
    page.click("#inspect-tab-embeddings-button")
    page.click("#inspect-embeddings-draw")
    inspecting.drawn("#inspect-embeddings-plot .js-plotly-plot")
    inspecting.settle()
    inspecting.keep("inspect-embeddings")
    assert page.locator("#inspect-embeddings-plot .scatterlayer .point").count() > 3


def test_the_layers_of_a_run_are_probed(inspecting: Watched) -> None:
    page = inspecting.page
    inspecting.choose_run("elmo_crf-0001")
    page.click("#inspect-tab-probing-button")
    page.click("#inspect-probing-start")
    inspecting.drawn("#inspect-probing-plot .js-plotly-plot")
    inspecting.settle()
    inspecting.keep("inspect-probing")


def test_two_runs_are_compared_before_one_is_promoted(inspecting: Watched) -> None:
    page = inspecting.page
    page.click("#ll-tab-compare-button")
    inspecting.drawn("#compare-intervals .js-plotly-plot")
    said = inspecting.drawn("#compare-sentence").inner_text()
    assert re.search(r"changes \d+ spans? in \d+ documents?", said), said
    inspecting.settle()
    inspecting.keep("compare")


def test_a_phone_shows_the_page_in_one_column(browser: Browser, app: AppServer) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, locale="zh-CN", has_touch=True)
    watched = Watched(context.new_page(), app)
    watched.look("flat-0001")
    watched.drawn("#inspect-crf-plot")
    wide = watched.page.evaluate("document.documentElement.scrollWidth")
    watched.keep("inspect-phone-zh")
    assert wide <= 390, f"the page is {wide} pixels wide"
    watched.close()
    context.close()

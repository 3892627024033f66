"""Embeddings and Probing as a person meets them: points that lead to sentences, curves that grow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.app_server import ROOT, AppServer
from tests.browser.inspect_workspace import fill

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

WAIT = 90_000
SHOTS = ROOT / "screenshots"
POINT = "#inspect-embeddings-{} .js-plotly-plot .scatterlayer .points path"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    workspace = tmp_path_factory.mktemp("corpus") / "workspace"
    fill(workspace)
    server = AppServer(workspace)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def page(app: AppServer, browser: Browser) -> Iterator[Page]:
    """The Inspect page on the run ``bert-last``; its console must stay silent."""
    shown = browser.new_page(viewport={"width": 1440, "height": 1000})
    problems: list[str] = []
    shown.set_default_timeout(WAIT)
    shown.on("pageerror", lambda error: problems.append(str(error)))
    shown.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    shown.goto(app.url)
    shown.wait_for_function("window.latticelens && window.latticelens.token")
    shown.wait_for_selector("html.ll-ready")
    shown.click("#ll-project input")
    shown.get_by_role("option", name="lenses").click()
    shown.click("#ll-tab-inspect-button")
    shown.locator("#inspect-run input").click()
    shown.get_by_role("option", name="bert-last", exact=True).click()
    yield shown
    assert not problems, problems
    shown.close()


def test_two_runs_stand_side_by_side_and_a_point_leads_to_its_sentence(page):
    page.get_by_role("tab", name="Embeddings").click()
    page.locator("#inspect-embeddings-other input").click()
    page.get_by_role("option", name="elmo_crf-0001", exact=True).click()
    page.locator("#inspect-embeddings-parts label").nth(0).click()
    page.click("#inspect-embeddings-draw")
    page.wait_for_selector(POINT.format("beside"))
    point = page.locator(POINT.format("plot")).first
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_timeout(300)
    page.mouse.down()
    page.mouse.up()
    page.wait_for_selector("#inspect-embeddings-sentence .lla-root button")
    SHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SHOTS / "embeddings-1440.png", full_page=True)
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(500)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.screenshot(path=SHOTS / "embeddings-390.png", full_page=True)
    page.click("#inspect-embeddings-open")
    page.wait_for_selector("#ll-tab-annotate-button[aria-selected=true]")


def test_probes_fill_the_figure_and_a_curve_grows_outside_the_app(page):
    page.get_by_role("tab", name="Probing").click()
    page.locator("#inspect-probing-characters label").nth(0).click()
    page.click("#inspect-probing-start")
    page.wait_for_selector("#inspect-probing-plot .js-plotly-plot .scatterlayer path.js-line")
    page.wait_for_selector(
        "#inspect-probing-start button:not([disabled]), #inspect-probing-start:not([disabled])"
    )
    for place in (0, 1, 2):  # only the whole, so that one training is all
        page.locator("#inspect-curve-shares label").nth(place).locator("input").uncheck()
    page.locator("#inspect-curve-shares label").nth(3).locator("input").uncheck()
    page.locator("#inspect-curve-shares label").nth(5).locator("input").check()
    page.locator("#inspect-run input").click()
    page.get_by_role("option", name="flat-0001", exact=True).click()
    page.wait_for_timeout(1500)
    page.click("#inspect-curve-start")
    page.wait_for_selector("#inspect-curve-plot .js-plotly-plot .scatterlayer .points path")
    SHOTS.mkdir(exist_ok=True)
    page.screenshot(path=SHOTS / "probing-1440.png", full_page=True)
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(500)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.screenshot(path=SHOTS / "probing-390.png", full_page=True)

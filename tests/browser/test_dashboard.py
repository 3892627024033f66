"""The Dashboard as a person meets it: a team, a single person, an empty project, a phone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.app_server import AppServer
from tests.browser.people_workspace import fill
from tests.browser.test_labels import go

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
TOKEN = "document.querySelector('#ll-token textarea, #ll-token input')?.value"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    folder = tmp_path_factory.mktemp("people") / "workspace"
    fill(folder)
    running = AppServer(folder)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def open_page(browser: Browser, server: AppServer):
    contexts, wrong = [], []

    def opened(**options) -> Page:
        context = browser.new_context(
            **({"viewport": {"width": 1280, "height": 900}, "locale": "en-US"} | options)
        )
        contexts.append(context)
        context.add_init_script("localStorage.setItem('latticelens.user', 'lin')")
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
        page.goto(server.url)
        page.wait_for_function(TOKEN, timeout=60_000)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not wrong


def drawn(page: Page, elem_id: str) -> int:
    """Scroll to a figure and wait for it; how many traces it has."""
    figure = page.locator(f"#{elem_id} .js-plotly-plot")
    page.locator(f"#{elem_id}").scroll_into_view_if_needed()
    figure.wait_for(timeout=30_000)
    return figure.evaluate("plot => plot.data.length")


def test_a_team_sees_progress_speed_curve_people_and_agreement(open_page) -> None:
    page = open_page()
    go(page, "Dashboard")
    page.locator("#dashboard-numbers").get_by_text("144 of 144 copies").wait_for()
    assert drawn(page, "dashboard-progress") == 3
    assert drawn(page, "dashboard-labels") >= 1
    assert drawn(page, "dashboard-curve") == 3  # the runs, the band, the line
    assert "its curve stands at F1" in page.locator("#dashboard-next-hour").inner_text()
    assert page.locator("#dashboard-people-table").get_by_text("chen").count()
    assert drawn(page, "dashboard-agreement-figure") == 3
    assert drawn(page, "dashboard-agreement-time") == 2
    page.locator("#dashboard-by").get_by_text("by label").click()
    page.wait_for_function(
        "document.querySelector('#dashboard-agreement-figure .js-plotly-plot')?.data.length === 4"
    )
    plot = page.locator("#dashboard-agreement-figure .js-plotly-plot")
    ticks = plot.evaluate("plot => plot.layout.yaxis.ticktext")
    assert ticks == ["all labels", "ORG", "PER", "TITLE"]


def test_a_single_person_sees_nothing_of_people(open_page) -> None:
    page = open_page()
    page.locator("#ll-project input").click()
    page.get_by_role("option", name="alone").click()
    go(page, "Dashboard")
    page.locator("#dashboard-numbers").get_by_text("6 of 12").wait_for()
    assert not page.locator("#dashboard-people").is_visible()
    assert not page.locator("#dashboard-curve").is_visible()
    assert "before a run was trained" in page.locator("#dashboard-next-hour").inner_text()


def test_on_a_phone_in_chinese_nothing_runs_out_of_the_page(open_page) -> None:
    page = open_page(viewport={"width": 390, "height": 844}, locale="zh-CN", color_scheme="dark")
    go(page, "看板")
    page.locator("#dashboard-numbers").get_by_text("已分配").wait_for()
    assert drawn(page, "dashboard-progress") == 3
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

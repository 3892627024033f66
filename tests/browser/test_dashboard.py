"""The Dashboard as a person meets it: a team, a single person, an empty project, a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.app_page import choose, traces, turn_to
from tests.browser.people_workspace import fill

if TYPE_CHECKING:
    from tests.browser.app_server import AppServer

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


@pytest.fixture(scope="module", autouse=True)
def two_projects(app: AppServer) -> None:
    fill(app.workspace)


def test_a_team_sees_progress_speed_curve_people_and_agreement(people) -> None:
    page = people("lin")
    turn_to(page, "dashboard")
    page.locator("#dashboard-numbers").get_by_text("144 versions assigned, 144 finished").wait_for()
    assert traces(page, "dashboard-progress") == 3
    assert traces(page, "dashboard-labels") >= 1
    assert traces(page, "dashboard-curve") == 3  # the runs, the band, the line
    assert "its curve is at F1" in page.locator("#dashboard-next-hour").inner_text()
    assert page.locator("#dashboard-people-table").get_by_text("chen").count()
    assert traces(page, "dashboard-agreement-figure") == 3
    assert traces(page, "dashboard-agreement-time") == 2
    page.locator("#dashboard-by").get_by_text("by label").click()
    page.wait_for_function(
        "document.querySelector('#dashboard-agreement-figure .js-plotly-plot')?.data.length === 4"
    )
    plot = page.locator("#dashboard-agreement-figure .js-plotly-plot")
    ticks = plot.evaluate("plot => plot.layout.yaxis.ticktext")
    assert ticks == ["all labels", "ORG", "PER", "TITLE"]


def test_a_single_person_sees_nothing_of_people(people) -> None:
    page = people("lin")
    choose(page, "#ll-project", "alone")
    turn_to(page, "dashboard")
    page.locator("#dashboard-numbers").get_by_text("6 of 12").wait_for()
    assert not page.locator("#dashboard-people").is_visible()
    assert not page.locator("#dashboard-curve").is_visible()
    assert "until a run has been trained" in page.locator("#dashboard-next-hour").inner_text()


def test_on_a_phone_in_chinese_nothing_runs_out_of_the_page(people) -> None:
    page = people("lin", viewport={"width": 390, "height": 844}, locale="zh-CN", color_scheme="dark")
    turn_to(page, "dashboard")
    page.locator("#dashboard-numbers").get_by_text("已分配").wait_for()
    assert traces(page, "dashboard-progress") == 3
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

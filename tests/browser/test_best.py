"""A person lets the app find the best tagger for a small project, and makes what it found a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.store.db.workspace import Workspace
from core.store.run import runs
from tests.browser.app_page import MINUTES, come_again, turn_to
from tests.browser.idle import wait_until_idle
from tests.browser.staff import add_staff

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from core.store.project.projects import Project
    from tests.browser.app_server import AppServer

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


@pytest.fixture(scope="module", autouse=True)
def staff(app: AppServer) -> Project:
    """Nine labelled sentences."""
    return add_staff(app.workspace, "the best for staff")


def progress(page: Page, words: str) -> None:
    page.wait_for_function(f"/{words}/.test(document.querySelector('#best-progress')?.innerText)")


def test_a_search_is_cancelled_continued_and_its_best_trial_becomes_a_run(
    person: Page, app: AppServer, staff: Project
) -> None:
    page = person
    turn_to(page, "train")
    wait_until_idle(page)  # a slow page is seen before its contents, which come over what was begun
    page.get_by_role("button", name="Find the best for me").first.click()
    page.locator("#best-minutes input").fill("5")
    page.keyboard.press("Tab")
    page.locator("#best-taggers label").filter(has_text="bilstm_crf").click()
    page.locator("#best-start").click()
    progress(page, r"Trial \d+, bilstm_crf: fold \d of 5")  # the first takes a few seconds alone
    page.locator("#best-cancel").click()
    progress(page, "Cancelled")

    come_again(page)
    turn_to(page, "train")
    wait_until_idle(page)
    page.get_by_role("button", name="Find the best for me").first.click()
    progress(page, "Cancelled")
    page.locator("#best-resume").click()
    progress(page, r"Trial \d+, bilstm_crf: fold \d of 5")
    page.wait_for_selector(
        "#best-take:enabled", timeout=5 * MINUTES
    )  # a trial has finished; the minutes are not waited out
    page.locator("#best-cancel").click()
    progress(page, "Cancelled")
    table = page.locator("#best-table")
    assert "defaults" in table.inner_text()
    page.locator("#best-curve").scroll_into_view_if_needed()  # drawn once it is seen
    page.wait_for_selector("#best-curve .js-plotly-plot")

    page.locator("#best-take").click()
    page.wait_for_function("/is a run/.test(document.querySelector('#best-taken')?.innerText)")
    page.wait_for_function("document.getElementById('train-run')?.getBoundingClientRect().top > 0")
    page.wait_for_function("/finished/.test(document.querySelector('#train-progress')?.innerText)")
    with Workspace.open(app.workspace) as workspace:
        (taken,) = runs.all_runs(workspace, staff.id)
    assert taken.tagger == "bilstm_crf"
    assert taken.note.startswith("search-0001, trial ")

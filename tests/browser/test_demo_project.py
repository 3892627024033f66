"""The demo project of a first visit: its pages have something to see, and a tour leads through the loop."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.app_page import MINUTES, app_page, come_again, turn_to
from tests.browser.app_server import AppServer
from tests.browser.gestures import drag
from tests.browser.idle import wait_until_idle

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

ERROR = "总经理"  # what the first error of the tour is about
OF_SURFACE = """surface => {
  const at = document.querySelector("#annotate .lla-desk .lla-text").textContent.indexOf(surface);
  return at < 0 ? null : [at, at + surface.length];
}"""


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    with AppServer(tmp_path_factory.mktemp("demo") / "workspace") as server:
        yield server


@pytest.fixture
def person(windows, app) -> Iterator[Page]:
    with app_page(windows, app) as page:
        yield page


def test_a_first_visit_finds_a_ledger_of_two_runs_and_documents_to_review(person):
    turn_to(person, "ledger")
    wait_until_idle(person)
    told = person.locator("#ll-tab-ledger").inner_text()
    for wanted in ("baseline", "demo", "fixed", "still wrong", "newly broken"):
        assert wanted in told, told
    turn_to(person, "review")
    person.wait_for_selector(".ll-review-grid", state="visible")
    wait_until_idle(person)
    told = person.locator("#ll-tab-review").inner_text()
    assert "林晓" in told
    assert "Daniel Brandt" in told


def test_the_tour_begins_at_the_strip_survives_a_reload_and_ends_with_escape(person):
    person.click(".lla-steps-tour")
    card = person.locator(".ll-tour-card")
    person.wait_for_function(f"document.querySelector('#annotate .lla-text').textContent.includes('{ERROR}')")
    assert "1 of 6" in card.inner_text()
    card.get_by_role("button", name="Next").click()
    person.locator(".lla-bar.lla-tagger").first.click()
    person.locator(".lla-popover [data-act=why]").click()
    person.wait_for_selector(".ll-why", state="visible")
    come_again(person)
    card.wait_for()
    assert "2 of 6" in card.inner_text()
    card.get_by_role("button", name="Next").click()
    card.get_by_role("button", name=ERROR).focus()
    person.keyboard.press("Escape")
    card.wait_for(state="hidden")
    come_again(person)
    person.wait_for_selector(".lla-document[aria-current]")
    wait_until_idle(person)
    assert not card.is_visible()


def test_the_tour_corrects_three_errors_trains_and_tells_what_the_run_fixed(person):
    turn_to(person, "data")
    person.keyboard.press("Control+k")
    person.wait_for_selector(".ll-palette-dialog[open]")
    person.keyboard.type("guided tour")
    person.get_by_role("option", name="Guided tour").click()
    card = person.locator(".ll-tour-card")
    for _ in range(2):
        card.get_by_role("button", name="Next").click()
    for item in card.locator("li button").all():
        surface, key = re.match("“(.+?)” is .+ key (.)", item.inner_text()).groups()
        item.click()
        stretch = person.wait_for_function(OF_SURFACE, arg=surface).json_value()
        wait_until_idle(person)
        drag(person, *stretch)
        person.keyboard.press(key)
        card.locator("li").filter(has_text=surface).get_by_role("img", name="corrected").wait_for()
    card.get_by_role("button", name="Next").click()
    card.get_by_role("button", name="Start training").click()
    person.wait_for_function(
        "/is trained/.test(document.querySelector('.ll-tour-told').innerText)", timeout=8 * MINUTES
    )
    card.get_by_role("button", name="Next").click()
    person.wait_for_function("/[0-3] fixed, of 3/.test(document.querySelector('.ll-tour-told').innerText)")
    card.get_by_role("button", name="Next").click()
    person.click("#train-keep")
    person.wait_for_function("/kept/.test(document.querySelector('.ll-tour-told').innerText)")
    card.get_by_role("button", name="Finish").click()
    card.wait_for(state="hidden")


@pytest.mark.parametrize(
    ("page", "wanted"),
    [
        ("inspect", "#inspect-view-sentence .lla-bar"),
        ("dictionary", "#ll-tab-dictionary td:text('companies.txt')"),
        ("compare", "#ll-tab-compare .js-plotly-plot"),
        ("dashboard", "#ll-tab-dashboard .js-plotly-plot"),
    ],
)
def test_other_pages_open_with_something_to_see(person, page, wanted):
    turn_to(person, page)
    person.wait_for_selector(wanted, state="visible")

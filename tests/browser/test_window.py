"""The window around the pages, as a person meets it: languages, themes, a phone, visitors of a demo."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.browser.app_server import AppServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = pytest.mark.browser

PAGES = ("data", "annotate", "train", "tag", "inspect", "compare", "ledger", "dictionary", "settings")
WAIT = 60_000


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    server = AppServer(tmp_path_factory.mktemp("window") / "workspace")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-US")
    opened.set_default_timeout(WAIT)
    yield opened
    opened.close()


def visit(context: BrowserContext, app: AppServer) -> Page:
    page = context.new_page()
    page.goto(app.url)
    page.wait_for_function("window.latticelens && window.latticelens.token")
    return page


def turn_to(page: Page, name: str) -> None:
    page.click(f"#ll-tab-{name}-button")


def test_every_page_opens_without_asking_another_host_and_without_an_error(context, app):
    hosts: set[str | None] = set()
    problems: list[str] = []
    context.on("request", lambda request: hosts.add(urlsplit(request.url).hostname))
    context.on("weberror", lambda error: problems.append(str(error.error)))
    page = visit(context, app)
    assert page.get_attribute("#ll-tab-annotate-button", "aria-selected") == "true"
    for name in PAGES:
        turn_to(page, name)
        page.wait_for_timeout(700)
    assert page.locator(".toast-body").count() == 0
    # data: and blob: addresses have no host; nothing else but the app itself is asked.
    assert hosts - {None, ""} == {"127.0.0.1"}
    assert problems == []


def test_the_language_changes_in_place_and_is_remembered(context, app):
    page = visit(context, app)
    turn_to(page, "tag")
    page.fill("#tag-text textarea", "half a sentence")
    page.click("#ll-language")
    page.wait_for_selector("#ll-tab-tag-button:has-text('预测')")
    assert page.input_value("#tag-text textarea") == "half a sentence"
    page.wait_for_function("document.documentElement.lang === 'zh-CN'")
    page.reload()
    page.wait_for_selector("#ll-tab-tag-button:has-text('预测')")


def test_the_theme_changes_and_is_remembered(context, app):
    page = visit(context, app)
    before = page.evaluate("document.body.classList.contains('dark')")
    page.click("#ll-theme")
    assert page.evaluate("document.body.classList.contains('dark')") is not before
    page.reload()
    page.wait_for_function(f"document.body.classList.contains('dark') === {str(not before).lower()}")


def test_the_bar_tells_device_and_tagger_and_says_when_the_app_is_gone(context, tmp_path):
    app = AppServer(tmp_path / "workspace")
    app.start()
    page = visit(context, app)
    page.wait_for_function("document.querySelector('.ll-status-device').innerText.startsWith('cpu')")
    assert page.inner_text(".ll-status-job-name") == "nothing running"
    place = page.locator(".ll-status-saved").bounding_box()
    app.stop()
    page.wait_for_selector(".ll-status-lost:has-text('The app does not answer')")
    assert page.locator(".ll-status-saved").bounding_box() == place


def test_a_page_from_before_a_restart_is_told_to_reload_and_a_reload_mends_it(context, tmp_path):
    app = AppServer(tmp_path / "workspace")
    app.start()
    page = visit(context, app)
    app.stop()
    app.start()
    turn_to(page, "data")
    page.wait_for_selector(".toast-body:has-text('Reload the page')")
    page.reload()
    turn_to(page, "data")
    page.wait_for_selector("#data-range:has-text('of')")
    app.stop()


def test_another_project_can_be_made_and_chosen_at_the_top(context, app):
    page = visit(context, app)
    turn_to(page, "settings")
    page.fill("#settings-project-name input, #settings-project-name textarea", "second")
    page.click("#settings-create")
    page.wait_for_selector("#settings-projects-message:has-text('second')")
    turn_to(page, "data")
    page.wait_for_selector("text=This project has no documents yet")
    page.click("#ll-project input")
    page.click("[role=option]:has-text('Demo')")
    page.wait_for_selector("#data-range:has-text('of')")


@pytest.mark.parametrize("name", PAGES)
def test_a_phone_shows_one_column_without_scrolling_sideways(browser, app, name):
    phone = browser.new_context(viewport={"width": 390, "height": 844}, locale="en-US", has_touch=True)
    phone.set_default_timeout(WAIT)
    page = visit(phone, app)
    tab = page.locator(f"#ll-tab-{name}-button")
    if not (tab.count() and tab.first.is_visible()):
        page.click("#ll-pages .overflow-menu > button")  # what has no room stands in the menu behind the dots
        tab = page.locator(".overflow-dropdown button", has_text=name.capitalize())
    tab.first.click()
    page.wait_for_timeout(1000)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    phone.close()


def test_visitors_of_a_demo_share_nothing_and_a_reload_keeps_ones_own(browser, tmp_path):
    app = AppServer(tmp_path / "workspace", "--demo")
    app.start()
    one, two = (browser.new_context(locale="en-US") for _ in range(2))
    for opened in (one, two):
        opened.set_default_timeout(WAIT)
    mine = visit(one, app)
    mine.wait_for_selector("#ll-banner:has-text('your own copy')")
    turn_to(mine, "settings")
    mine.fill("#settings-project-name input, #settings-project-name textarea", "my secret project")
    mine.click("#settings-create")
    mine.wait_for_selector("#settings-projects-message:has-text('my secret project')")
    mine.reload()
    mine.wait_for_function("document.querySelector('#ll-project input')?.value === 'my secret project'")
    theirs = visit(two, app)
    theirs.click("#ll-project input")
    theirs.wait_for_selector("#ll-project [role=option]:has-text('Demo')")
    assert theirs.locator("#ll-project [role=option]").count() == 1
    for opened in (one, two):
        opened.close()
    app.stop()

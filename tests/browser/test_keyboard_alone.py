"""The whole app by the keyboard alone: tab stops, the skip link, menus and dialogs, the command palette."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from core.store import Workspace
from core.store.project import members, projects
from tests.browser.app_page import PHONE, app_page, new_project, turn_to
from tests.browser.app_server import AppServer
from tests.browser.gestures import bars, keys
from tests.browser.idle import wait_until_idle

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

FOCUSED = "() => document.activeElement.className + ' ' + document.activeElement.id"
IN_TEXT = "document.activeElement?.matches('.lla-desk .lla-text')"


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    with AppServer(tmp_path_factory.mktemp("keyboard") / "workspace") as server:
        yield server


@pytest.fixture
def at_text(windows, app) -> Iterator[Page]:
    with app_page(windows, app, silent=False) as page:
        page.wait_for_selector(".lla-document[aria-current]")
        wait_until_idle(page)
        yield page


def tabs_to(page: Page, claim: str, most: int = 20) -> int:
    for count in range(1, most + 1):
        page.keyboard.press("Tab")
        if page.evaluate(claim):
            return count
    raise AssertionError(f"not within {most}")


def command(page: Page, typed: str, wanted: str) -> None:
    """Find this in the palette and press Enter on it."""
    page.keyboard.press("Control+k")
    page.wait_for_selector(".ll-palette-dialog[open]")
    page.keyboard.type(typed)
    page.wait_for_function(
        "text => document.getElementById(document.activeElement.getAttribute('aria-activedescendant'))"
        "?.textContent.includes(text)",
        arg=wanted,
    )
    page.keyboard.press("Enter")


def test_few_tabs_lead_to_the_text_and_the_skip_link_leads_there_at_once(at_text):
    page = at_text
    assert tabs_to(page, IN_TEXT) <= 8
    page.evaluate("document.activeElement.blur(); document.getSelection().removeAllRanges()")
    page.focus("#ll-skip")
    before = page.evaluate("location.hash")
    page.keyboard.press("Enter")
    page.wait_for_function(IN_TEXT)
    assert page.evaluate("location.hash") == before


def test_queue_labels_toolbar_and_pages_are_one_stop_each_with_arrows_inside(at_text):
    page = at_text
    for group in (".lla-list", ".lla-labels", ".lla-toolbars", "#ll-pages > .tab-wrapper [role=tablist]"):
        stops = page.locator(group).evaluate(
            """(group) => [...group.querySelectorAll("button")]
              .filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility()).length"""
        )
        assert stops == 1, group
    page.focus(".lla-document[aria-current]")
    keys(page, "ArrowDown", "ArrowDown", "ArrowUp")
    assert page.evaluate("document.activeElement.dataset.document") == "2"
    keys(page, "Enter")
    page.wait_for_function("location.hash.includes('document=2')")
    page.wait_for_function(IN_TEXT)
    page.focus("#ll-tab-annotate-button")
    keys(page, "ArrowRight", "ArrowRight", "ArrowLeft")
    assert page.evaluate(FOCUSED).strip() != ""
    keys(page, "Home", "Enter")
    page.wait_for_selector("#ll-tab-data textarea", state="visible")


def test_a_menu_holds_the_focus_and_gives_it_back(at_text):
    page = at_text
    command(page, "龙蟠路", "龙蟠路")
    page.wait_for_function("document.querySelectorAll('.lla-desk .lla-person').length > 2")
    page.focus(".lla-desk .lla-text")
    keys(page, "Home", "Tab")
    first = page.evaluate("document.activeElement.dataset.key")
    assert first == bars(page, "bar")[0]
    keys(page, "Tab", "Shift+Tab")
    assert page.evaluate("document.activeElement.dataset.key") == first
    page.locator(".lla-bar:focus").click()
    keys(page, "Tab")
    inside = page.locator(".lla-popover button").count()
    for _ in range(inside):
        assert page.evaluate("Boolean(document.activeElement.closest('.lla-popover'))")
        keys(page, "Tab")
    assert page.evaluate("Boolean(document.activeElement.closest('.lla-popover'))")
    keys(page, "Escape")
    assert page.locator(".lla-popover:visible").count() == 0
    assert page.evaluate("document.activeElement.dataset.key") == first


def test_a_dialog_gives_the_focus_back_and_no_action_loses_it(at_text):
    page = at_text
    page.focus(".lla-desk .lla-text")
    keys(page, "Home", "Shift+ArrowRight", "Shift+ArrowRight", "1")
    page.wait_for_selector(".lla-desk .lla-person")
    for name in ("keys", "history"):
        page.focus(f"[data-action={name}]")
        keys(page, "Enter")
        page.wait_for_selector(".lla-dialog[open]")
        keys(page, "Escape")
        assert page.evaluate("document.activeElement.dataset.action") == name
    page.focus("[data-action=undo]")
    while page.locator("[data-action=undo]:enabled").count():
        keys(page, "Enter")
        assert page.evaluate("document.activeElement !== document.body")
    assert page.evaluate(IN_TEXT)
    page.focus(".lla-steps button[aria-label]")
    keys(page, "Enter")
    assert page.evaluate(IN_TEXT)


def test_a_button_that_goes_away_hands_the_focus_on(at_text):
    page = at_text
    turn_to(page, "data")
    page.fill("#data-paste textarea", "林晓在清河散步")
    for button in ("#data-look", "#data-dismiss"):
        page.wait_for_selector(button, state="visible")
        wait_until_idle(page)
        page.focus(button)
        keys(page, "Enter")
    page.wait_for_selector("#data-dismiss", state="hidden")
    page.wait_for_function("document.activeElement !== document.body")
    assert page.evaluate("document.activeElement.checkVisibility()")
    assert page.evaluate("Boolean(document.activeElement.closest('#ll-tab-data'))")


def test_the_palette_goes_to_pages_and_documents_and_acts_on_the_selection(at_text):
    page = at_text
    page.focus(".lla-desk .lla-text")
    keys(page, "Home", "Shift+ArrowRight", "Shift+ArrowRight", "Control+k")
    page.wait_for_selector(".ll-palette-dialog[open]")
    keys(page, "Escape")
    assert page.evaluate(IN_TEXT), "Esc gives the focus back"
    command(page, "ORG", "Label as ORG")
    page.wait_for_selector(".lla-desk .lla-person")
    assert bars(page, "person")[0].endswith(":0:2:ORG")
    command(page, "undo", "Undo the last edit")
    page.wait_for_function("!document.querySelector('.lla-desk .lla-person[data-key$=\":0:2:ORG\"]')")
    command(page, "龙蟠路", "龙蟠路")
    page.wait_for_function("document.querySelector('.lla-desk .lla-text').textContent.includes('龙蟠路')")
    page.wait_for_function(IN_TEXT)
    command(page, "dictio", "Dictionary")
    page.wait_for_selector("#dictionary-tabs", state="visible")
    page.wait_for_function("document.activeElement.closest('#ll-tab-dictionary')")
    command(page, "inspect demo", "Inspect demo")
    page.wait_for_function("location.hash === '#inspect?project=1&run=demo'")
    steps = page.evaluate("history.length")
    page.go_back()
    page.wait_for_selector("#dictionary-tabs", state="visible")
    wait_until_idle(page)
    # Gradio tells late of the page that was left before it was drawn: that is no step of the person.
    assert page.evaluate("[location.hash, history.length]") == ["#dictionary?project=1", steps]


def test_the_palette_is_a_list_that_a_screen_reader_follows(at_text):
    page = at_text
    page.click(".ll-palette-open")
    field = page.locator(".ll-palette-dialog [role=combobox]")
    page.wait_for_selector(".ll-palette-dialog [role=option]")

    def chosen() -> str:
        return page.evaluate(
            """() => {
              const { activeElement } = document;
              const option = document.getElementById(activeElement.getAttribute("aria-activedescendant"));
              const marked = [...document.querySelectorAll(".ll-palette-dialog [aria-selected=true]")];
              return marked.length === 1 && marked[0] === option ? option.id : "not one";
            }"""
        )

    assert chosen() == "ll-palette-option-0"
    keys(page, "ArrowDown")
    assert chosen() == "ll-palette-option-1"
    keys(page, "ArrowUp", "ArrowUp")
    last = page.locator(".ll-palette-dialog [role=option]").count() - 1
    assert chosen() == f"ll-palette-option-{last}"
    field.fill("zzzz 没有的")
    page.wait_for_selector(".ll-palette-none:not(:empty)")
    assert field.get_attribute("aria-activedescendant") is None
    keys(page, "Enter")
    assert page.locator(".ll-palette-dialog[open]").count() == 1
    keys(page, "Tab")
    assert page.evaluate("Boolean(document.activeElement.closest('.ll-palette-dialog'))")
    keys(page, "Escape")
    assert page.evaluate("document.activeElement.matches('.ll-palette-open')")


def test_the_palette_in_chinese_on_a_phone_finds_by_pinyin_and_turns_to_another_project(windows, app):
    with app_page(windows, app, silent=False, locale="zh-CN", **PHONE) as page:
        page.wait_for_selector(".lla-document", state="attached")
        new_project(page, "<i>河流</i>")
        page.tap(".ll-palette-open")
        page.fill(".ll-palette-dialog input", "bz")
        page.tap(".ll-palette-dialog [role=option]:has-text('标注')")
        page.wait_for_selector("#ll-tab-annotate .lla-empty", state="visible")
        page.tap(".ll-palette-open")
        page.fill(".ll-palette-dialog input", "demo")
        page.tap(".ll-palette-dialog [role=option]:has-text('Demo')")
        page.wait_for_function("document.querySelector('#ll-project input')?.value === 'Demo'")
        page.wait_for_selector(".lla-text:not(:empty)")
        page.tap(".ll-palette-open")
        other = page.locator(".ll-palette-dialog [role=option]:has-text('<i>河流</i>')")
        other.first.wait_for()
        assert other.count() == 1


def test_the_palette_offers_what_the_person_may_see(windows, app):
    with Workspace.open(app.workspace) as workspace:
        closed = projects.create(workspace, "closed").id
        members.put(workspace, closed, "boss", "manager", by="boss")
        members.put(workspace, closed, "lin", "annotator", by="boss")
    with app_page(windows, app, "lin", silent=False) as page:
        page.evaluate(f"location.hash = '#settings?project={closed}'")
        page.wait_for_function("document.documentElement.dataset.closed?.includes('review')")
        page.keyboard.press("Control+k")
        page.wait_for_selector(".ll-palette-dialog [role=option]")
        offered = page.locator(".ll-palette-dialog [role=option]").all_inner_texts()
        assert "Review" not in offered
        assert "Annotate" in offered
    with app_page(windows, app, "stranger", silent=False) as page:
        turn_to(page, "annotate")
        page.keyboard.press("Control+k")
        page.wait_for_selector("#ll-palette-projects, .ll-palette-dialog [role=option]")
        wait_until_idle(page)
        assert "closed" not in page.locator(".ll-palette-dialog [role=option]").all_inner_texts()

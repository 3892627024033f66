"""Why a span: the drawer beside the text in Annotate and on the Tag page, and the way from it to Inspect."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.browser.app_page import PHONE, app_page, choose, turn_to
from tests.browser.idle import wait_until_idle
from tests.browser.inspect_workspace import TEXT

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.app_server import AppServer
    from tests.browser.windows import Windows

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

QUESTION = "document.querySelector('#inspect-why .ll-reasons-question')"
LOOKED = f"{QUESTION}?.textContent.startsWith('林晚晴 PER')"
WHOLE = ".ll-why:not([hidden]) [data-part=similar]"  # the last part to come


# Where sentences and table stand in the page, however far it is scrolled.
PLACES = """() => ["#tag-sentences .lla-text", "#tag-table"].map((place) => {
  const { left, top, width } = document.querySelector(place).getBoundingClientRect();
  return [left, top + window.scrollY, width].map(Math.round);
})"""


def ask_why(page: Page, number: int = 0) -> None:
    """Open the drawer from the menu of a mark in Annotate."""
    page.locator(".lla-desk .lla-bar").nth(number).click()
    page.click(".lla-popover [data-act=why]")
    page.wait_for_selector(WHOLE)


def about(page: Page) -> str:
    return page.inner_text(".ll-why-about bdi")


def test_a_span_is_explained_beside_the_text_and_looked_into_from_there(lensed: Page) -> None:
    ask_why(lensed)
    assert about(lensed) == "林晚晴"
    kinds = lensed.locator(".ll-why section").evaluate_all("parts => parts.map((part) => part.dataset.part)")
    assert kinds == ["text", "text", "paths", "text", "reasons", "similar"], "no word is at the name"
    desk, drawer = lensed.locator(".lla-desk").bounding_box(), lensed.locator(".ll-why").bounding_box()
    assert drawer["x"] >= desk["x"] + desk["width"], "it does not cover the text"
    lensed.keyboard.press("Tab")  # the drawer follows, here to a span that the tagger does not predict
    lensed.wait_for_function("document.querySelector('.ll-why-about bdi').textContent === '清河大学'")
    lensed.wait_for_selector(".ll-why section >> text=flat-0001 does not predict this span")
    lensed.keyboard.press("Shift+Tab")
    lensed.wait_for_function("document.querySelector('.ll-why-about bdi').textContent === '林晚晴'")
    lensed.wait_for_selector(WHOLE)
    lensed.click(".ll-why-foot a")
    lensed.wait_for_function(LOOKED)
    address = lensed.url
    assert "document=" in address
    assert "span=0-3" in address
    wait_until_idle(lensed)
    lensed.reload()  # the address holds it all
    lensed.wait_for_function(LOOKED)
    assert TEXT in lensed.input_value("#inspect-sentence textarea")
    wait_until_idle(lensed)


def test_by_keyboard_the_drawer_is_opened_and_closed_and_saving_goes_on(lensed: Page) -> None:
    lensed.locator(".lla-desk .lla-bar").first.focus()
    lensed.keyboard.press("y")
    lensed.wait_for_selector(".ll-why:not([hidden])")
    lensed.keyboard.press("]")  # while it is being computed
    lensed.wait_for_function("/saved/.test(document.querySelector('.lla-state').textContent)")
    lensed.keyboard.press("Control+z")
    lensed.wait_for_selector(WHOLE)
    lensed.locator(".lla-desk .lla-bar").first.focus()
    lensed.wait_for_function("document.querySelector('.ll-why-about bdi').textContent === '林晚晴'")
    lensed.keyboard.press("y")
    lensed.wait_for_selector(".ll-why", state="hidden")
    lensed.keyboard.press("y")
    lensed.wait_for_selector(WHOLE)
    lensed.focus(".ll-why-close")
    lensed.keyboard.press("Escape")
    lensed.wait_for_selector(".ll-why", state="hidden")
    assert "lla-bar" in lensed.evaluate("document.activeElement.className"), "the focus is back at the mark"


def test_a_span_of_the_tag_page_is_explained_and_its_text_looked_into(lensed: Page) -> None:
    turn_to(lensed, "tag")
    lensed.fill("#tag-text textarea", f"{TEXT}\n昨天没有人。")
    lensed.click("#tag-go")
    lensed.locator("#tag-sentences .lla-bar").nth(1).click()
    before = lensed.evaluate(PLACES)
    lensed.click("#tag-sentences .lla-popover [data-act=why]")
    lensed.wait_for_selector(WHOLE)
    assert lensed.evaluate(PLACES) == before, "the drawer lies over the page and moves nothing"
    assert about(lensed) == "清河大学"
    lensed.locator("#tag-sentences .lla-bar").nth(0).focus()
    lensed.wait_for_function(
        "document.querySelector('.ll-why:not([hidden]) .ll-why-about bdi').textContent === '林晚晴'"
    )
    lensed.wait_for_selector(WHOLE)
    lensed.locator("#tag-sentences .ll-why-foot a").click()
    lensed.wait_for_function(LOOKED)
    assert lensed.input_value("#inspect-sentence textarea") == TEXT
    wait_until_idle(lensed)
    lensed.go_back()
    lensed.wait_for_selector("#tag-sentences .lla-bar")
    lensed.locator("#tag-sentences .lla-bar").nth(0).focus()
    lensed.keyboard.press("Escape")
    lensed.wait_for_selector("#tag-sentences .ll-why", state="hidden")


def test_the_guideline_stands_beside_it_where_both_fit_and_else_comes_back_after_it(lensed: Page) -> None:
    guide, why = lensed.locator(".lla-guide"), lensed.locator(".ll-why")
    lensed.set_viewport_size({"width": 1440, "height": 900})
    lensed.locator(".lla-desk .lla-text").focus()
    lensed.keyboard.press("h")
    guide.wait_for()
    lensed.locator(".lla-desk .lla-bar").first.focus()
    lensed.keyboard.press("y")
    lensed.wait_for_selector(WHOLE)
    assert guide.is_hidden()

    lensed.set_viewport_size({"width": 1920, "height": 1000})
    guide.wait_for()
    desk, side = lensed.locator(".lla-desk").bounding_box(), lensed.locator(".lla-side").bounding_box()
    beside = [desk, guide.bounding_box(), side, why.bounding_box()]
    assert all(left["x"] + left["width"] <= right["x"] for left, right in pairwise(beside))
    assert desk["width"] >= 640
    assert why.bounding_box()["y"] + why.bounding_box()["height"] <= 1000 - 32, "above the status bar"

    lensed.set_viewport_size({"width": 1440, "height": 900})
    guide.wait_for(state="hidden")
    lensed.focus(".ll-why-close")
    lensed.keyboard.press("Escape")
    guide.wait_for()
    assert why.is_hidden()
    lensed.keyboard.press("h")
    guide.wait_for(state="hidden")


def test_on_a_phone_it_is_a_sheet_from_below(windows: Windows, lenses: AppServer) -> None:
    with app_page(windows, lenses, **PHONE) as phone:
        choose(phone, "#ll-project", "lenses")
        phone.locator(".lla-desk .lla-bar").first.tap()
        phone.locator(".lla-popover [data-act=why]").tap()
        phone.wait_for_selector(WHOLE)
        sheet, mark = (
            phone.locator(".ll-why").bounding_box(),
            phone.locator(".lla-desk .lla-bar").first.bounding_box(),
        )
        assert (sheet["x"], sheet["width"]) == (0, 390)
        assert mark["y"] + mark["height"] <= sheet["y"], "the mark is not covered"
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390
        phone.locator(".ll-why-close").tap()
        phone.wait_for_selector(".ll-why", state="hidden")


def test_inspect_opens_with_a_sentence_and_leaves_what_is_written_alone(lensed: Page) -> None:
    turn_to(lensed, "inspect")
    lensed.wait_for_selector("#inspect-view-sentence .lla-bar")
    opened = lensed.input_value("#inspect-sentence textarea")
    assert lensed.inner_text("#inspect-view-sentence .lla-text") == opened
    assert "document=" in lensed.url
    lensed.fill("#inspect-sentence textarea", "我写的一句话。")
    turn_to(lensed, "tag")
    turn_to(lensed, "inspect")
    wait_until_idle(lensed)
    assert lensed.input_value("#inspect-sentence textarea") == "我写的一句话。"

"""Somebody changes a sentence on the Inspect page, tries its variants and keeps the case in the ledger."""

from __future__ import annotations

import pytest

from tests.browser.inspect_workspace import TEXT
from tests.browser.inspecting import Inspecting

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


def test_a_changed_sentence_shows_its_effects_and_is_kept_as_a_case(inspecting: Inspecting) -> None:
    page = inspecting.page
    inspecting.look("flat-0001")
    inspecting.ask_about(0)  # the variants are of that span
    inspecting.begin_what_if()
    box = inspecting.drawn("#inspect-what-if-text textarea")
    changed = page.locator("#inspect-what-if-sentences .lla-readonly").nth(1)
    effects = page.locator("#inspect-what-if-effects")
    untouched = effects.inner_text()

    # Composed characters reach a box without a key press; so does what Backspace deletes.
    box.click()
    box.press("Home")
    page.keyboard.insert_text("昨天，")
    changed.get_by_text("昨天，" + TEXT).wait_for()
    effects.get_by_text("+ 昨天").wait_for()
    inspecting.drawn("#inspect-what-if-lattice .ll-word")
    for _ in range(3):
        box.press("Backspace")
    changed.get_by_text(TEXT, exact=True).wait_for()

    page.locator("#inspect-what-if-added input").click()
    page.keyboard.insert_text("晚晴")
    page.keyboard.press("Enter")
    effects.get_by_text("+ 晚晴").wait_for()
    inspecting.wait_until_idle()
    inspecting.press("#inspect-what-if-start-over")
    effects.get_by_text(untouched).wait_for()

    inspecting.press("#inspect-what-if-try-all")
    told = page.locator("#inspect-what-if-variants .ll-variants-line")
    told.get_by_text("variants kept 林晚晴 PER").wait_for()
    page.locator("#inspect-what-if-variants").get_by_role("button", name="use: spaces inside").click()
    spaced = TEXT.replace("林晚晴", "林 晚 晴")
    changed.get_by_text(spaced).wait_for()
    assert box.input_value() == spaced
    inspecting.wait_until_idle()
    inspecting.keep("inspect-what-if")

    for said in ("Saved as what-if-", "already"):
        inspecting.press("#inspect-what-if-keep")
        page.locator("#inspect-what-if-message").get_by_text(said).wait_for()
    inspecting.press("#ll-tab-ledger-button")
    page.locator("#ledger-rows").get_by_text(spaced).first.wait_for()
    inspecting.keep("ledger-what-if")


def test_another_query_is_another_condition(inspecting: Inspecting) -> None:
    inspecting.look("mrc-0001")
    inspecting.begin_what_if()
    inspecting.press("#inspect-what-if-start-over")  # whatever an earlier test left in the panel
    effects = inspecting.drawn("#inspect-what-if-effects p")
    untouched = effects.inner_text()
    inspecting.drawn("#inspect-what-if-query textarea, #inspect-what-if-query input").fill("找出下雨的地方")
    inspecting.page.wait_for_function(
        "before => document.querySelector('#inspect-what-if-effects').innerText !== before", arg=untouched
    )
    assert not inspecting.page.locator("#inspect-what-if-added").is_visible(), "it reads no dictionary"

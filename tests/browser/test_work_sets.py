"""Working on a part of the project: documents set aside, filters kept as a work set, many changed at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.app_page import come_again, new_project, turn_to
from tests.browser.idle import wait_until_idle

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


def begin(page: Page, name: str) -> None:
    """A project with the sample documents, on the Data page."""
    new_project(page, name)
    turn_to(page, "data")
    page.locator("#data-samples").click()
    page.wait_for_selector(".ll-documents-table tbody tr")
    wait_until_idle(page)


def statuses(page: Page) -> list[str]:
    return page.locator(".lla-document .lla-status").all_text_contents()


def told(page: Page, text: str) -> None:
    page.locator(".ll-bulk-told", has_text=text).wait_for()


def with_selected(page: Page, what: str, to: str = "") -> None:
    page.get_by_label("With the selected documents").select_option(what)
    if to:
        page.locator("[data-field=to]").select_option(to)


def test_an_import_leads_to_its_documents_and_reload_and_back_keep_the_way(person: Page):
    begin(person, "the first")
    new_project(person, "one's own")
    turn_to(person, "data")
    person.locator("#data-paste textarea").fill("王芳去了杭州。\n林浩在上海工作。")
    person.locator("#data-look").click()
    person.locator("#data-confirm").click()
    person.wait_for_selector("#data-to-annotate", state="visible")
    wait_until_idle(person)
    person.keyboard.press("Tab")
    person.locator("#data-to-annotate:focus").wait_for()
    person.keyboard.press("Enter")
    person.locator(".lla-text", has_text="王芳").wait_for()
    person.wait_for_function("document.querySelectorAll('.lla-document').length")
    assert statuses(person) == ["○", "○"]

    turn_to(person, "data")
    person.locator("#data-samples").click()
    person.locator("#data-result", has_text="sample documents").wait_for()
    wait_until_idle(person)
    person.go_back()
    person.locator(".lla-text", has_text="王芳").wait_for()
    come_again(person)
    person.locator(".lla-text", has_text="王芳").wait_for()
    person.wait_for_function("document.querySelectorAll('.lla-document').length")
    assert statuses(person) == ["○", "○"]
    mark = person.locator(".lla-filter-mark", has_text="imported")
    mark.get_by_role("button").click()
    person.wait_for_function("document.querySelectorAll('.lla-document').length > 2")


def test_what_is_ignored_is_passed_over_kept_as_a_set_and_brought_back(person: Page):
    begin(person, "set aside")
    turn_to(person, "annotate")
    person.wait_for_selector(".lla-document[aria-current]")
    first = person.locator(".lla-text").first.text_content()
    person.keyboard.press("i")
    told_of = person.locator(".lla-told", has_text="Ignored.")
    told_of.wait_for()
    person.wait_for_function("text => document.querySelector('.lla-text').textContent !== text", arg=first)
    assert statuses(person)[0] == "⊘"
    told_of.locator("[data-act=give_reason]").click()
    person.locator(".lla-reason:focus").fill("a list <b>")
    person.keyboard.press("Enter")
    person.locator(".lla-ignored [role=img][aria-label='ignored · a list <b>']").wait_for()

    person.get_by_label("Status", exact=True).select_option("ignored")
    person.locator("[data-act=save]").click()
    person.locator(".lla-set-name").fill("set aside")
    person.keyboard.press("Enter")
    person.locator(".lla-set[aria-pressed=true]", has_text="set aside").wait_for()
    assert statuses(person) == ["⊘"]
    come_again(person)
    person.locator(".lla-set[aria-pressed=true]").wait_for()
    assert person.locator(".lla-reason").input_value() == "a list <b>"

    # Undo, also after the reload.
    person.wait_for_selector("[data-action=undo]:not([disabled])")
    person.locator(".lla-desk .lla-text").focus()
    person.keyboard.press("Control+z")  # the reason
    person.keyboard.press("Control+z")
    person.wait_for_selector(".lla-aside", state="hidden")
    person.locator(".lla-set").click()
    person.locator(".lla-set[aria-pressed=false]").wait_for()
    person.wait_for_function("document.querySelectorAll('.lla-document').length > 1")
    assert statuses(person)[0] == "◇"


def test_many_documents_are_changed_and_the_change_is_taken_back_after_a_reload(person: Page):
    begin(person, "many")
    boxes = person.locator(".ll-documents-table tbody input")
    boxes.nth(0).click()
    boxes.nth(3).click(modifiers=["Shift"])
    assert person.locator(".ll-bulk-count").text_content() == "4 selected"
    with_selected(person, "status", "to_check")
    person.locator("[data-act=apply]").click()
    told(person, "Changed 4 documents: status to check.")
    person.wait_for_function("document.querySelectorAll('.ll-documents-ticked').length === 0")
    shown = person.locator("td.ll-documents-status")
    assert shown.all_text_contents()[3:5] == ["to check", "imported labels"]
    come_again(person)
    person.locator(".ll-bulk-told [data-act=undo]").click()
    told(person, "Undone in 4 documents.")
    person.wait_for_function("!document.querySelector('#data-table').textContent.includes('to check')")


def test_a_set_of_the_data_page_is_its_filters_and_its_address_and_chosen_after_a_reload(person: Page):
    begin(person, "banks")
    person.locator("#data-search textarea, #data-search input").fill("医院")
    person.keyboard.press("Enter")
    person.wait_for_function("location.hash.includes('search')")
    wait_until_idle(person)
    found = person.locator("#data-range").text_content()
    person.locator("#data-filter-box > button").click()
    person.locator("#data-set-name textarea, #data-set-name input").fill("banks")
    person.locator("#data-set-save").click()
    person.locator("#data-set-said", has_text="banks").wait_for()
    come_again(person)
    person.wait_for_function("document.querySelector('#data-set input')?.value === 'banks'")
    assert person.locator("#data-range").text_content() == found
    person.locator("#data-search textarea, #data-search input").fill("学校")
    person.keyboard.press("Enter")
    person.wait_for_function("decodeURIComponent(location.hash).includes('学校')")
    come_again(person)
    person.wait_for_function(
        "document.querySelector('#data-search input, #data-search textarea')?.value === '学校'"
    )
    wait_until_idle(person)
    person.locator("#data-filter-box > button").click()
    person.wait_for_function("document.querySelector('#data-set input')?.value === 'none selected'")
    turn_to(person, "annotate")
    person.locator(".lla-set", has_text="banks").click()
    person.wait_for_function("location.hash.includes('search=')")
    total = re.search(r"of (\d+)", found or "")
    assert total is not None
    person.locator(".lla-queue summary", has_text=f"of {total[1]}").wait_for()

"""Correcting a tagged span where it stands, on Inspect and on Tag, down to its line in the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.store import Workspace
from core.store.annotation import annotations
from core.store.document import documents, texts
from core.store.project import projects
from core.text import Document, Span
from tests.browser.app_page import PHONE, app_page, choose, turn_to
from tests.browser.idle import wait_until_idle
from tests.browser.inspect_workspace import TEXT

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.app_server import AppServer
    from tests.browser.windows import Windows

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

LINE = "#ll-tab-ledger .ll-ledger-table tbody tr >> nth=0"


def marks(page: Page, view: str) -> list[str]:
    return page.eval_on_selector_all(f"{view} .lla-bar", "bars => bars.map((bar) => bar.dataset.key)")


def tag(page: Page, text: str) -> str:
    """Tag a text; the selector of its sentence."""
    turn_to(page, "tag")
    page.fill("#tag-text textarea", text)
    page.click("#tag-go")
    page.wait_for_selector("#tag-sentences .lla-bar")
    wait_until_idle(page)
    return "#tag-sentences"


def inspect(page: Page, text: str) -> str:
    """Look into a sentence; the selector of its view."""
    turn_to(page, "inspect")
    page.wait_for_selector("#inspect-view-sentence .lla-bar")
    wait_until_idle(page)
    page.fill("#inspect-sentence textarea", text)
    page.click("#inspect-look")
    page.wait_for_function(
        "text => document.querySelector('#inspect-view-sentence .lla-text')?.textContent === text", arg=text
    )
    wait_until_idle(page)
    return "#inspect-view-sentence"


def told(page: Page, view: str, text: str) -> None:
    page.locator(f"{view} .ll-corrected", has_text=text).wait_for()


def test_three_presses_lead_from_a_wrong_span_on_tag_to_its_line_in_the_ledger(lensed: Page) -> None:
    view = tag(lensed, f"{TEXT}昨天。")
    (_, start, end, label) = marks(lensed, view)[0].split(":")
    assert (start, end) == ("0", "3")
    lensed.locator(f"{view} .lla-bar").first.click()
    lensed.click(f"{view} .lla-popover [data-act=reject]")
    lensed.click(f"{view} .ll-corrected a")
    line = lensed.locator(LINE)
    line.wait_for()
    assert f"{label} 林晚晴" in line.inner_text()
    assert "spurious" in line.inner_text()
    wait_until_idle(lensed)
    assert "any" not in lensed.url, "a filter that is not set does not stand in the address"


def test_in_inspect_a_typed_sentence_is_corrected_added_and_undone(lensed: Page) -> None:
    text = f"今天{TEXT}"
    view = inspect(lensed, text)
    before = marks(lensed, view)
    assert "document=" not in lensed.url
    lensed.locator(f"{view} .lla-bar").first.click()
    lensed.locator(f"{view} .lla-popover button", has_text="ORG").click()
    told(lensed, view, "Recorded in the ledger as a correction of flat-0001. The sentence is a document now.")
    assert any(mark.startswith("person:") and mark.endswith(":ORG") for mark in marks(lensed, view))
    lensed.wait_for_function("location.hash.includes('document=')")
    wait_until_idle(lensed)
    assert lensed.input_value("#inspect-document input").startswith("今天")
    lensed.click(f"{view} .ll-corrected [data-act=undo]")
    told(lensed, view, "Undone. The sentence is in the trash of the project.")
    assert marks(lensed, view) == before
    lensed.wait_for_function("!location.hash.includes('document=')")
    wait_until_idle(lensed)


def test_by_keyboard_alone_a_boundary_is_moved_and_a_span_added(lensed: Page) -> None:
    view = inspect(lensed, f"后来{TEXT}")
    lensed.locator(f"{view} .lla-bar").first.focus()
    lensed.keyboard.press("[")
    told(lensed, view, "The sentence is a document now.")
    assert lensed.evaluate("document.activeElement.dataset.key").startswith("person:1:")
    lensed.focus(f"{view} .lla-text")
    lensed.keyboard.press("Home")
    lensed.keyboard.press("Shift+ArrowRight")
    lensed.keyboard.press("Enter")
    lensed.wait_for_selector(f"{view} .lla-popover:visible")
    assert lensed.evaluate("document.activeElement.matches('.lla-popover button')"), "the menu has the keys"
    lensed.keyboard.press("Escape")
    lensed.wait_for_selector(f"{view} .lla-popover", state="hidden")
    assert lensed.evaluate("document.activeElement.matches('.lla-text')")
    lensed.keyboard.press("Enter")
    lensed.wait_for_selector(f"{view} .lla-popover:visible")
    lensed.keyboard.press("Enter")  # the first label
    lensed.wait_for_function(f"document.querySelector('{view} [data-key^=\"person:0:1:\"]')")
    told(lensed, view, "Recorded in the ledger as a correction of flat-0001")
    lensed.keyboard.press("Control+z")
    told(lensed, view, "Undone.")
    assert not any(mark.startswith("person:0:1:") for mark in marks(lensed, view))


def test_a_flat_project_asks_before_a_span_overlaps_another(lensed: Page) -> None:
    view = tag(lensed, f"{TEXT}据说。")
    lensed.locator(f"{view} .lla-bar").first.click()
    lensed.wait_for_selector(f"{view} .lla-popover:visible")
    lensed.keyboard.press("Enter")  # accept, as the menu says
    told(lensed, view, "Confirmed in the ledger.")
    lensed.focus(f"{view} .lla-text")
    lensed.keyboard.press("Home")
    for _ in range(2):
        lensed.keyboard.press("Shift+ArrowRight")
    lensed.keyboard.press("Enter")
    lensed.locator(f"{view} .lla-popover .lla-label-chip").nth(1).click()
    lensed.click(f"{view} .lla-dialog [data-act=replace]")
    lensed.wait_for_function(f"document.querySelector('{view} [data-key^=\"person:0:2:\"]')")
    assert not any(mark.startswith("person:0:3:") for mark in marks(lensed, view))


def test_a_sentence_that_is_annotated_already_is_corrected_from_what_stands_there(
    lensed: Page, lenses: AppServer
) -> None:
    text = f"{TEXT}早已。"
    with Workspace.open(lenses.workspace) as workspace:
        project = next(each.id for each in projects.all_projects(workspace) if each.name == "lenses")
        (number,) = documents.add(workspace, project, [Document("known <b>", text)]).ids
        annotations.save(workspace, number, 0, [Span(0, 2, "PER")], user="bo")
    view = tag(lensed, text)
    lensed.locator(f"{view} .lla-bar").first.click()
    told(lensed, view, "This sentence is already annotated (document known <b>), by bo, ")
    assert marks(lensed, view)[0] == "person:0:2:PER"
    assert not lensed.locator(f"{view} .lla-popover").is_visible()
    lensed.locator(f"{view} .lla-person").click()
    lensed.click(f"{view} .lla-popover [data-act=remove]")
    told(lensed, view, "Saved.")
    lensed.click(f"{view} .ll-corrected [data-act=undo]")
    told(lensed, view, "Undone.")
    assert "person:0:2:PER" in marks(lensed, view)
    wait_until_idle(lensed)
    with Workspace.open(lenses.workspace) as workspace:
        assert annotations.current(workspace, number).document.spans == (Span(0, 2, "PER"),)
        assert [event.action for event in annotations.history(workspace, number)][1:] == ["delete", "undo"]


def test_what_somebody_else_saved_meanwhile_is_shown_beside_it(lensed: Page, lenses: AppServer) -> None:
    text = f"{TEXT}然后。"
    view = tag(lensed, text)
    lensed.locator(f"{view} .lla-bar").first.click()
    lensed.click(f"{view} .lla-popover [data-act=accept]")
    told(lensed, view, "The sentence is a document now.")
    lensed.locator(f"{view} .lla-person").click()
    lensed.wait_for_selector(f"{view} .lla-popover:visible")
    with Workspace.open(lenses.workspace) as workspace:
        project = next(each.id for each in projects.all_projects(workspace) if each.name == "lenses")
        number = next(id_ for id_, stored in texts.texts(workspace, project) if stored == text)
        stands = annotations.current(workspace, number)
        annotations.save(workspace, number, stands.revision, [Span(0, 2, "PER")], user="bo")
    lensed.click(f"{view} .lla-popover [data-act=remove]")
    lensed.click(f"{view} .lla-dialog [data-act=keep_mine]")
    told(lensed, view, "Your version was kept.")
    wait_until_idle(lensed)
    with Workspace.open(lenses.workspace) as workspace:
        assert annotations.current(workspace, number).document.spans == ()


def test_on_a_phone_a_tap_opens_the_menu_and_nothing_is_cut_off(windows: Windows, lenses: AppServer) -> None:
    with app_page(windows, lenses, **PHONE) as phone:
        choose(phone, "#ll-project", "lenses")
        view = tag(phone, f"{TEXT}最后。")
        letters = phone.locator(f"{view} .lla-text").bounding_box()
        assert letters is not None
        phone.touchscreen.tap(letters["x"] + 12, letters["y"] + 20)  # a letter over the first mark
        menu = phone.locator(f"{view} .lla-popover:visible")
        menu.wait_for()
        box = menu.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
        phone.locator(f"{view} .lla-popover [data-act=accept]").tap()
        told(phone, view, "Confirmed in the ledger.")
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390

"""Labels changed in Settings, and the history of one span, as a person meets them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from core.store import Workspace, annotations, documents, label_changes, labels, projects
from core.text import Document, LabelSet, Span
from tests.browser.app_server import AppServer
from tests.browser.gestures import eventually

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page, Route

pytestmark = pytest.mark.browser
TEXT = "林知远先生出任青禾大学附属医院院长。"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    folder = tmp_path_factory.mktemp("labels") / "workspace"
    with Workspace.open(folder) as workspace:
        project = projects.create(workspace, "news").id
        labels.put(workspace, project, LabelSet.from_names(["PER", "ORG", "UNIT"]))
        ids = documents.add(workspace, project, [Document(f"d{n}", f"{TEXT}{n}") for n in range(3)]).ids
        for id_ in ids:
            annotations.save(workspace, id_, 0, [Span(7, 11, "UNIT")], user="ann", action="label")
            both = [Span(7, 15, "UNIT"), Span(0, 3, "PER")]
            annotations.save(workspace, id_, 1, both, user="bao", action="move")
    running = AppServer(folder)
    running.start()
    yield running
    running.stop()


def as_it_began(server: AppServer) -> None:
    """Take back what a test that failed halfway left changed, so that the next one tells of itself alone."""
    with Workspace.open(server.workspace) as workspace:
        (project,) = projects.all_projects(workspace)
        for change in label_changes.history(workspace, project.id):
            if change.undone is None:
                label_changes.undo(workspace, project.id, change.id, user="setup")


@pytest.fixture
def opened(browser: Browser, server: AppServer) -> Iterator[Page]:
    as_it_began(server)
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.goto(server.url)
    page.wait_for_selector("#annotate .lla-text:not(:empty)", timeout=60_000)
    yield page
    context.close()
    assert not wrong


def go(page: Page, tab: str) -> None:
    """To a page, from the row of tabs or from the menu of those that have no room in it."""
    shown = page.locator("#ll-pages").get_by_role("tab", name=tab, exact=True)
    if not shown.first.is_visible():
        page.locator(".overflow-menu > button").first.click()
        page.locator(".overflow-dropdown button").filter(has_text=re.compile(f"^{tab}$")).click()
    else:
        shown.first.click()


def choose(page: Page, elem_id: str, name: str) -> None:
    """From the list of this dropdown: one that was closed a moment ago may still be fading out."""
    page.locator(f"#{elem_id} input").click()
    page.locator(f"#{elem_id}").get_by_role("option", name=name, exact=True).click()


def in_history(page: Page, text: str) -> Locator:
    """A cell of the history; the table has every widest cell once more, hidden, to measure its columns."""
    return page.locator("#settings-label-history").get_by_text(text).filter(visible=True).first


def spans(server: AppServer) -> set[str]:
    with Workspace.open(server.workspace) as workspace:
        return {span.label for span in annotations.current(workspace, 1).document.spans}


def test_a_label_is_merged_after_a_preview_and_the_merge_is_undone(opened: Page, server: AppServer) -> None:
    go(opened, "Settings")
    opened.locator("#settings-change-label button").first.click()
    opened.locator("#settings-old-name input").wait_for()
    choose(opened, "settings-old-name", "UNIT")
    opened.locator("#settings-change-kind").get_by_text("merge").click()
    choose(opened, "settings-merge-into", "ORG")
    opened.get_by_text("3 spans in 3 documents would get the other label").wait_for()
    opened.locator("#settings-change-apply").click()
    opened.get_by_text("3 spans in 3 documents.", exact=False).first.wait_for()
    eventually(lambda: spans(server) == {"ORG", "PER"})
    in_history(opened, "UNIT merged into ORG").wait_for()
    opened.locator("#settings-undo-change").click()
    opened.locator("#settings-labels-message").get_by_text("Undone").first.wait_for()
    assert spans(server) == {"UNIT", "PER"}
    in_history(opened, "undone").wait_for()


def test_a_choice_made_while_the_one_before_is_still_answered_counts(opened: Page) -> None:
    go(opened, "Settings")
    opened.locator("#settings-change-label button").first.click()
    opened.locator("#settings-change-apply").get_by_text("Rename").wait_for()
    held: list[Route] = []
    holding = True
    opened.route("**/queue/join*", lambda route: held.append(route) if holding else route.continue_())
    choose(opened, "settings-old-name", "UNIT")
    opened.wait_for_timeout(300)
    assert held  # the question about the label is under way
    opened.locator("#settings-change-kind").get_by_text("merge").click()
    opened.wait_for_timeout(300)
    holding = False
    for request in held:
        request.continue_()
    opened.locator("#settings-merge-into input").wait_for()


def test_a_label_is_deleted_by_keyboard_and_comes_back(opened: Page, server: AppServer) -> None:
    go(opened, "Settings")
    opened.locator("#settings-change-label button").first.click()
    choose(opened, "settings-old-name", "PER")
    opened.locator("#settings-change-kind").get_by_text("delete").click()
    opened.get_by_text("would be gone").wait_for()
    opened.locator("#settings-change-apply").focus()
    opened.keyboard.press("Enter")
    eventually(lambda: spans(server) == {"UNIT"})
    in_history(opened, "can be undone").wait_for()  # the page knows of it a moment after the store
    opened.locator("#settings-undo-change").focus()
    opened.keyboard.press("Enter")
    eventually(lambda: spans(server) == {"UNIT", "PER"})


def test_the_menu_of_a_mark_tells_the_history_of_its_span(opened: Page) -> None:
    opened.locator(".lla-desk .lla-person[data-key^='7-15-UNIT'], .lla-desk .lla-person").last.click()
    opened.locator(".lla-popover [data-act=span_history]").wait_for()
    surface = opened.locator(".lla-popover .lla-surface").inner_text()
    opened.locator(".lla-popover [data-act=span_history]").click()
    dialog = opened.locator("dialog.lla-dialog[open]")
    dialog.wait_for()
    steps = dialog.locator(".lla-event")
    told = [step.get_attribute("data-kind") for step in steps.all()]
    if surface == "林知远":
        assert told == ["created"]
        assert "bao" in steps.first.inner_text()
    else:
        assert told == ["created", "moved"]
        assert "ann" in steps.nth(0).inner_text()
        assert "青禾大学 → UNIT 青禾大学附属医院" in " ".join(steps.nth(1).inner_text().split())
    opened.keyboard.press("Escape")
    assert not dialog.is_visible()

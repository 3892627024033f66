"""Labels changed in Settings, and the history of one span, as a person meets them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from core.store import Workspace
from core.store.annotation import annotations
from core.store.document import documents
from core.store.label import changes as label_changes
from core.store.label import labels
from core.store.project import journal, projects
from core.text import Document, LabelSet, Span
from tests.browser.app_page import choose, turn_to
from tests.browser.app_server import AppServer
from tests.browser.gestures import eventually

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Route

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]
Labels = Callable[[], set[str]]
TEXT = "林知远先生出任青禾大学附属医院院长。"


@pytest.fixture(scope="module")
def marked(app: AppServer) -> int:
    """The first of three documents that two people have labelled."""
    with Workspace.open(app.workspace) as workspace:
        project = projects.create(workspace, "news").id
        labels.put(workspace, project, LabelSet().extended(["PER", "ORG", "UNIT"]))
        ids = documents.add(workspace, project, [Document(f"d{n}", f"{TEXT}{n}") for n in range(3)]).ids
        for id_ in ids:
            annotations.save(workspace, id_, 0, [Span(7, 11, "UNIT")], user="ann", action="label")
            both = [Span(7, 15, "UNIT"), Span(0, 3, "PER")]
            annotations.save(workspace, id_, 1, both, user="bao", action="move")
        return ids[0]


def as_it_began(app: AppServer) -> None:
    """Take back what a test that failed halfway left changed, so that the next one tells of itself alone."""
    with Workspace.open(app.workspace) as workspace:
        (project,) = projects.all_projects(workspace)
        for change in label_changes.history(workspace, project.id):
            if change.undone is None:
                journal.undo(workspace, project.id, change.id, user="setup")


@pytest.fixture
def opened(app: AppServer, marked: int, people: Callable[..., Page]) -> Page:
    as_it_began(app)
    return people()


def in_history(page: Page, text: str) -> Locator:
    """A cell of the history; the table has every widest cell once more, hidden, to measure its columns."""
    return page.locator("#settings-label-history").get_by_text(text).filter(visible=True).first


@pytest.fixture
def spans(app: AppServer, marked: int) -> Labels:
    """The labels that the first document has now."""

    def labels_now() -> set[str]:
        with Workspace.open(app.workspace) as workspace:
            return {span.label for span in annotations.current(workspace, marked).document.spans}

    return labels_now


def test_a_label_is_merged_after_a_preview_and_the_merge_is_undone(opened: Page, spans: Labels) -> None:
    turn_to(opened, "settings")
    opened.locator("#settings-change-label button").first.click()
    opened.locator("#settings-old-name input").wait_for()
    choose(opened, "#settings-old-name", "UNIT")
    opened.locator("#settings-change-kind").get_by_text("merge").click()
    choose(opened, "#settings-merge-into", "ORG")
    opened.get_by_text("This relabels 3 spans in 3 documents").wait_for()
    opened.locator("#settings-change-apply").click()
    opened.get_by_text("3 spans in 3 documents.", exact=False).first.wait_for()
    eventually(lambda: spans() == {"ORG", "PER"})
    in_history(opened, "UNIT merged into ORG").wait_for()
    opened.locator("#settings-undo-change").click()
    opened.locator("#settings-labels-message").get_by_text("Undone").first.wait_for()
    assert spans() == {"UNIT", "PER"}
    in_history(opened, "undone").wait_for()


def test_a_choice_made_during_a_request_counts(opened: Page) -> None:
    turn_to(opened, "settings")
    opened.locator("#settings-change-label button").first.click()
    opened.locator("#settings-change-apply").get_by_text("Rename").wait_for()
    held: list[Route] = []
    holding = True
    opened.route("**/queue/join*", lambda route: held.append(route) if holding else route.continue_())
    choose(opened, "#settings-old-name", "UNIT")
    eventually(lambda: bool(held), page=opened)  # the question about the label is under way
    opened.locator("#settings-change-kind").get_by_text("merge").click()
    opened.wait_for_timeout(300)
    holding = False
    for request in held:
        request.continue_()
    opened.locator("#settings-merge-into input").wait_for()


def test_a_label_is_deleted_by_keyboard_and_comes_back(opened: Page, spans: Labels) -> None:
    turn_to(opened, "settings")
    opened.locator("#settings-change-label button").first.click()
    choose(opened, "#settings-old-name", "PER")
    opened.locator("#settings-change-kind").get_by_text("delete").click()
    opened.get_by_text("This deletes").wait_for()
    opened.locator("#settings-change-apply").focus()
    opened.keyboard.press("Enter")
    eventually(lambda: spans() == {"UNIT"})
    in_history(opened, "can be undone").wait_for()  # the page knows of it a moment after the store
    opened.locator("#settings-undo-change").focus()
    opened.keyboard.press("Enter")
    eventually(lambda: spans() == {"UNIT", "PER"})


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

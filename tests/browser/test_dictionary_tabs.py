"""Finding words, measuring the dictionary and labelling raw text with it, as a person does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.store import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.text import Document, LabelSet, Span
from tests.browser.app_page import traces, turn_to
from tests.store.by_hand import add_words

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.browser.app_server import AppServer

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


@pytest.fixture(scope="module", autouse=True)
def rivers(app: AppServer) -> None:
    with Workspace.open(app.workspace) as workspace:
        project = projects.create(workspace, "rivers").id
        labels.put(workspace, project, LabelSet().extended(["PER", "LOC"]))
        spans = (Span(0, 2, "PER"), Span(3, 5, "LOC"))
        documents.add(workspace, project, [Document(f"d{n}", f"林晓在清河散步{n}", spans) for n in range(3)])
        raw = [f"{a}{b}青禾湾{b}{a}" for a in "天地人和" for b in "风雨山"]
        documents.add(workspace, project, [Document(f"r{n}", text) for n, text in enumerate(raw)])
        add_words(workspace, project, {"清河": "LOC", "散步": "PER"}, user="lin")


@pytest.fixture
def page(person: Page) -> Page:
    turn_to(person, "dictionary")
    return person


def tab(page: Page, name: str, elem_id: str) -> Locator:
    page.locator("#dictionary-tabs > .tab-wrapper").get_by_role("tab", name=name, exact=True).first.click()
    return page.locator(f"#{elem_id}")


def search(find: Locator) -> None:
    find.locator("summary").first.click()
    find.locator("input[name=cohesion]").fill("2")
    find.locator("input[name=freedom]").fill("1")
    find.locator("[data-action=start]").click()


def test_words_are_found_measured_and_labelled_and_every_step_is_undone(page: Page) -> None:
    find = tab(page, "Find words", "dictionary-find")
    search(find)
    row = find.locator("tbody tr", has_text="青禾湾")
    row.wait_for()
    assert row.locator("li").count() == 3
    row.locator("select").select_option("LOC")
    row.locator("[data-action=accept]").click()
    find.get_by_text("Added “青禾湾”.").wait_for()
    assert row.count() == 0
    find.locator("[data-action=undo]").click()
    row.wait_for()
    row.locator("select").select_option("LOC")
    row.locator("[data-action=accept]").focus()
    page.keyboard.press("Enter")
    find.get_by_text("Added “青禾湾”.").wait_for()
    find.locator("[data-source=labels]").click()
    find.locator("tbody tr", has_text="林晓").locator("[data-action=reject]").click()
    find.get_by_text("Rejected “林晓”.").wait_for()

    measure = tab(page, "Measure", "dictionary-measure")
    measure.locator("[data-action=start]").click()
    measure.get_by_text("Measured over 3 of 15 documents, with 3 words.").wait_for()
    assert measure.locator("[data-table=worst] tbody tr").all_inner_texts()[0].startswith("散步")
    assert measure.locator("[data-table=missing]").get_by_text("林晓").count() == 1
    assert traces(page, "dictionary-measure-coverage") == 3
    assert traces(page, "dictionary-measure-matches") == 3
    measure.locator("[data-action=remove]").click()
    measure.get_by_text("The word list has changed since.").wait_for()

    label = tab(page, "Label text", "dictionary-labels")
    label.locator("[data-action=preview]").click()
    label.get_by_text("12 labels in 12 of 12 raw documents.").wait_for()
    assert label.locator("[data-part=preview] .lla-bar").count() >= 10
    label.get_by_label("Labels; the rest stays unlabelled").check()
    label.locator("[data-action=apply]").click()
    label.get_by_text("12 labels were added to 12 documents.").wait_for()
    label.locator("[data-action=show]").click()
    label.get_by_text("Documents 1 to 12 of 12").wait_for()
    assert label.locator("[data-part=opened] li").count() == 12
    label.locator("[data-action=take_back]").click()
    label.get_by_text("Undone in 12 documents.").wait_for()
    assert label.locator("[data-table=batches]").get_by_text("undone").count() == 1


def test_what_was_found_is_there_after_a_reload(page: Page) -> None:
    find = tab(page, "Find words", "dictionary-find")
    search(find)
    find.locator("[data-source=text]").wait_for()
    page.reload()
    turn_to(page, "dictionary")
    find = tab(page, "Find words", "dictionary-find")
    find.locator("[data-source=text]").wait_for()
    assert "Labels" in find.locator("[data-source=labels]").inner_text()
    page.locator("#ll-language").click()
    find.get_by_text("发现新词").first.wait_for()
    page.locator("#ll-language").click()
    find.get_by_text("Find words").first.wait_for()

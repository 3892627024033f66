"""The word list as a person meets it: a list is brought, a conflict decided, a version gone back to."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from core.store import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.text import Document, LabelSet
from tests.browser.app_page import come_again, turn_to

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Page, Route

    from tests.browser.app_server import AppServer

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]
number = itertools.count(1)
MARKUP = "<img src=x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def unlabelled(app: AppServer) -> Iterator[None]:
    """A project for each test, under a name that no other has."""
    with Workspace.open(app.workspace) as workspace:
        project = projects.create(workspace, f"lists {next(number)}").id
        labels.put(workspace, project, LabelSet().extended(["PER", "ORG"]))
        documents.add(
            workspace, project, [Document("a", "林知远出任青禾大学院长。"), Document("b", "青禾大学。")]
        )
    yield
    app.put_away()


def test_a_list_is_imported_a_conflict_decided_and_a_version_restored(person: Page, tmp_path: Path) -> None:
    page = person
    turn_to(page, "dictionary")
    words = page.locator("#dictionary-words")
    words.locator(".ll-words-empty").wait_for()

    words.get_by_label("Word", exact=True).fill("青禾大学")
    words.locator(".ll-words-known", has_text="occurs in 2 documents").wait_for()
    words.locator(".ll-words-add-type").fill("PER")
    words.get_by_role("button", name="Add", exact=True).click()
    words.locator("tr[data-id]", has_text="青禾大学").wait_for()

    file = tmp_path / "list.txt"
    file.write_text(f"青禾大学\t7\tORG\n林知远\tPER\n\tLOC\n{MARKUP}\n", encoding="utf-8")
    page.locator("#dictionary-file input[type=file]").set_input_files(str(file))
    words.locator(".ll-words-brings", has_text="1 have another type in the dictionary").wait_for()
    assert words.locator(".ll-words-brings", has_text="2 new").count() == 1
    words.get_by_label("If types differ").last.select_option("both")
    with page.expect_request(lambda request: "dictionary_list" in (request.post_data or "")) as asked:
        turn_to(page, "data")
        turn_to(page, "dictionary")
    asked.value.response().finished()
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    assert words.get_by_label("If types differ").last.input_value() == "both"
    words.get_by_role("button", name="Add these words").click()
    words.locator("tr[data-id]", has_text=MARKUP).first.wait_for()

    words.locator("tr[data-id]", has_text="ORG").get_by_role("button", name="keep this one").click()
    row = words.locator("tr[data-id]", has_text="青禾大学")
    row.nth(1).wait_for(state="detached")
    row.focus()
    page.keyboard.press("f")
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    words.locator("tr[data-id]", has_text="青禾大学").filter(has_text="12").wait_for()

    page.get_by_role("tab", name="Versions").click()
    versions = page.locator("#dictionary-versions")
    versions.locator("tbody tr").nth(3).wait_for()
    oldest = versions.locator("tbody tr").last
    number = oldest.locator("td").first.inner_text()
    oldest.get_by_role("button", name="Revert to this version").click()
    versions.get_by_text(f"back to version {number}", exact=True).wait_for()
    page.get_by_role("tab", name="Words", exact=True).click()
    come_again(page)
    page.locator("html.ll-ready").wait_for(state="attached")
    turn_to(page, "dictionary")
    words.locator("tr[data-id]", has_text="PER").wait_for()
    assert words.locator("tr[data-id]").count() == 1


def test_a_list_may_be_put_in_before_the_table_has_come(person: Page, tmp_path: Path) -> None:
    """Whoever is quicker than the first page of a long list."""
    page = person
    held: list[Route] = []
    seen: list[bool] = []

    def hold(route: Route) -> None:
        if not seen and "dictionary_page" in (route.request.post_data or ""):
            held.append(route)
        else:
            route.continue_()

    page.route("**/component_server/", hold)
    turn_to(page, "dictionary")
    words = page.locator("#dictionary-words")
    file = tmp_path / "columns.csv"
    file.write_text("词语,类型\n青禾大学,ORG\n林知远,PER\n", encoding="utf-8")
    page.locator("#dictionary-file input[type=file]").set_input_files(str(file))
    words.get_by_text("Types in the list: ORG 1 · PER 1.").wait_for()
    assert held, "the table was asked for"
    seen.append(True)
    for route in held:
        route.continue_()
    words.get_by_role("button", name="Add these words").click()
    words.locator("tr[data-id]", has_text="林知远").wait_for()

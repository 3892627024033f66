"""The word list as a person meets it: a list is brought, a conflict decided, a version gone back to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from core.store import Workspace, documents, labels, projects
from core.text import Document, LabelSet
from tests.browser.app_server import AppServer

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser
MARKUP = "<img src=x onerror=alert(1)>"
PATIENT = 30_000


@pytest.fixture
def server(tmp_path: Path) -> Iterator[AppServer]:
    folder = tmp_path / "workspace"
    with Workspace.open(folder) as workspace:
        project = projects.create(workspace, "news").id
        labels.put(workspace, project, LabelSet.from_names(["PER", "ORG"]))
        documents.add(
            workspace, project, [Document("a", "林知远出任青禾大学院长。"), Document("b", "青禾大学。")]
        )
    running = AppServer(folder)
    running.start()
    yield running
    running.stop()


def test_a_list_is_brought_a_conflict_decided_and_a_version_gone_back_to(
    browser: Browser, server: AppServer, tmp_path: Path
) -> None:
    wrong: list[str] = []
    context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-US")
    page = context.new_page()
    page.set_default_timeout(PATIENT)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.goto(server.url)
    page.locator("html.ll-ready").wait_for(state="attached")
    page.get_by_role("tab", name="Dictionary").first.click()
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
    words.locator(".ll-words-brings", has_text="1 have another type here").wait_for()
    assert words.locator(".ll-words-brings", has_text="2 new").count() == 1
    words.get_by_label("Where types differ").last.select_option("both")
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
    versions.locator("tbody tr").last.get_by_role("button", name="Go back to it").click()
    versions.locator("tbody tr", has_text="back to version 1").wait_for()
    page.get_by_role("tab", name="Words", exact=True).click()
    page.reload()
    page.locator("html.ll-ready").wait_for(state="attached")
    page.get_by_role("tab", name="Dictionary").first.click()
    words.locator("tr[data-id]", has_text="PER").wait_for()
    assert words.locator("tr[data-id]").count() == 1
    context.close()
    assert wrong == []

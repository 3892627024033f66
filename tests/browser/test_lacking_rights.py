"""Somebody who may not do something is told so, and finds no button for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.ui.lacking import WHO_MAY
from core.store import Workspace
from core.store.document import documents
from core.store.project import members, projects
from core.text import Document
from tests.browser.app_page import choose, turn_to, turn_to_section
from tests.browser.idle import wait_until_idle

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.browser.app_server import AppServer

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

# By page or section of Settings: what is not there for an annotator, and what is said instead.
LACKING = {
    "data": (
        (
            "#data-look",
            "#data-files",
            "#data-deal-box",
            "#export-write",
            ".ll-documents-tick >> nth=0",
            "#data-trash",
            "#data-set-split",
        ),
        ("import", "export"),
    ),
    "train": (("#train-start", "#train-tagger", "#train-pretrain", "#train-recipe"), ("train",)),
    "dictionary": (("#dictionary-file",), ("change_dictionary",)),
    "settings, labels": (("#settings-change-label",), ("change_labels",)),
    "settings, people": (("#settings-put-member",), ()),
    "settings, projects": (("#settings-rename-project", "#settings-trash-project"), ("manage",)),
}


@pytest.fixture(scope="module", autouse=True)
def shared(app: AppServer) -> None:
    with Workspace.open(app.workspace) as workspace:
        project = projects.create(workspace, "of several").id
        documents.add(workspace, project, [Document("d", "林晓在清河散步")])
        members.put(workspace, project, "lin", "manager", by="lin")
        members.put(workspace, project, "ann", "annotator", by="lin")
        nobodys = projects.create(workspace, "of nobody").id
        documents.add(workspace, nobodys, [Document("d", "林晓在清河散步")])
        for name in ("of several", "of nobody"):
            empty = projects.create(workspace, f"{name}, empty").id
            if name == "of several":
                members.put(workspace, empty, "lin", "manager", by="lin")
                members.put(workspace, empty, "ann", "annotator", by="lin")


def said(page: Page) -> set[str]:
    texts = page.locator(".ll-without:visible").all_inner_texts()
    return {right for right, sentence in WHO_MAY.items() if str(sentence) in map(str.strip, texts)}


def turn_to_place(page: Page, name: str) -> None:
    """Turn to a page, or to a section of Settings."""
    page_name, _, section = name.partition(", ")
    if section:
        turn_to_section(page, section)
    else:
        turn_to(page, page_name)
    wait_until_idle(page)


def show_document(page: Page, name: str) -> None:
    """On Data, one document with what can be done with it."""
    if name == "data":
        page.click("#data-table .ll-documents-open")
        page.wait_for_selector("#data-annotate", state="visible")


def test_where_there_is_nothing_to_annotate_only_who_may_import_is_led_to_it(
    people: Callable[..., Page],
) -> None:
    page = people("ann")
    for project, may in (("of several, empty", False), ("of nobody, empty", True)):
        choose(page, "#ll-project", project)
        wait_until_idle(page)
        page.wait_for_selector(".lla-empty", state="visible")
        assert page.locator(".lla-empty .ll-needs-import").is_visible() == may
        assert said(page) == (set() if may else {"import"})
        turn_to(page, "dictionary")
        for tab in ("find", "labels"):
            page.click(f"#dictionary-tab-{tab}-button")
            page.locator(f"#dictionary-tab-{tab} .ll-words-empty").wait_for()
            assert page.locator(f"#dictionary-tab-{tab} .ll-needs-import").is_visible() == may
            assert said(page) == (set() if may else {"import"})
        turn_to(page, "annotate")
    turn_to(page, "data")
    page.locator("#data-look").wait_for()
    page.locator("#ll-tab-data .prose.ll-empty", has_text="or start with samples").wait_for()
    choose(page, "#ll-project", "of several, empty")
    wait_until_idle(page)
    assert page.locator("#ll-tab-data .prose.ll-empty:visible").inner_text().strip() == (
        "This project has no documents yet."
    )


def test_an_annotator_reads_who_may_and_everybody_has_the_buttons_where_nobody_is_a_member(
    people: Callable[..., Page],
) -> None:
    page = people("ann")
    choose(page, "#ll-project", "of several")
    wait_until_idle(page)
    for name, (parts, rights) in LACKING.items():
        turn_to_place(page, name)
        show_document(page, name)
        assert said(page) == set(rights), name
        assert [part for part in parts if page.locator(part).is_visible()] == []
    choose(page, "#ll-project", "of nobody")
    wait_until_idle(page)
    for name, (parts, _rights) in LACKING.items():
        turn_to_place(page, name)
        show_document(page, name)
        assert said(page) == set(), name
        assert [part for part in parts if not page.locator(part).is_visible()] == []

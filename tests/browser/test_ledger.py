"""The Ledger page as a person meets it in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from core.store import Workspace
from core.store.project import projects
from tests.browser.ledger_server import HOSTILE, LedgerServer, fill

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def server() -> Iterator[LedgerServer]:
    made = LedgerServer()
    made.start()
    yield made
    made.stop()


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace.open(tmp_path) as opened:
        fill(opened)
        yield opened


@pytest.fixture
def opened(server: LedgerServer, workspace: Workspace, page: Page) -> Page:
    server.workspace = workspace
    page.goto(server.url)
    # A person takes longer than the first answer; a robot must wait for its token.
    page.wait_for_function("document.querySelector('#ll-token textarea, #ll-token input')?.value")
    page.get_by_role("tab", name="ledger").click()
    page.locator(".ll-ledger tbody tr").first.wait_for()
    return page


@pytest.mark.exhaustive
def test_before_and_after_are_drawn_and_hostile_text_stays_text(opened: Page) -> None:
    rows = opened.locator(".ll-ledger tbody tr")
    assert rows.count() == 5
    assert rows.nth(0).locator(".lla-text").inner_text() == HOSTILE[:44] + "…"
    assert opened.locator("#ledger-rows img").count() == 0
    assert opened.evaluate("globalThis.hacked") is None
    boundary = rows.nth(4)
    assert boundary.locator(".lla-person").count() == 1
    assert boundary.locator(".lla-tagger").count() == 1
    wide, narrow = (
        boundary.locator(f".lla-{source} .lla-line").bounding_box() for source in ("person", "tagger")
    )
    assert wide["width"] > narrow["width"]


@pytest.mark.exhaustive
def test_states_are_letters_with_a_name_and_the_summary_counts_them(opened: Page) -> None:
    cells = opened.locator(".ll-ledger tbody tr td:last-child .ll-ledger-cell")
    assert cells.all_inner_texts() == ["?", "·", "B", "W", "F"]
    assert cells.nth(2).get_attribute("aria-label") == "flat-0002: newly broken"
    assert "1 fixed, 1 still wrong, 1 newly broken" in opened.locator("#ledger-summary").inner_text()


def test_a_run_is_promoted_and_rolled_back_by_one_click_each(opened: Page, workspace: Workspace) -> None:
    opened.locator("#ledger-activate").click()
    opened.get_by_text("flat-0002 is the active run now.").wait_for()
    assert projects.get(workspace, 1).active_run == "flat-0002"
    opened.locator("#ledger-roll-back").click()
    opened.get_by_text("Rolled back: flat-0001 is the active run again.").wait_for()
    assert projects.get(workspace, 1).active_run == "flat-0001"


@pytest.mark.exhaustive
def test_a_filter_leaves_only_its_rows(opened: Page) -> None:
    opened.locator("#ledger-state input").click()
    opened.get_by_role("option", name="newly broken").click()
    opened.wait_for_function("document.querySelectorAll('.ll-ledger tbody tr').length === 1")
    assert opened.locator(".ll-ledger-kind").inner_text() == "confirmed by a person"


@pytest.mark.exhaustive
def test_a_row_opens_its_document_in_annotate(opened: Page) -> None:
    opened.get_by_role("button", name="Open in Annotate").nth(4).click()
    opened.wait_for_function(
        "document.querySelector('[role=tab][aria-selected=true]').textContent.trim() === 'annotate'"
    )

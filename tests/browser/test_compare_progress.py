"""A comparison that takes long: its bar, cancelled and begun again, and another choice meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from app.compare import page as compare
from app.compare import reading
from core.store import Workspace
from tests.browser.ledger_server import LedgerServer, fill

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


@pytest.fixture
def may_end(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Comparisons go on until it is set; those of documents without a split end at once."""
    event, compute = threading.Event(), reading.compute

    def slow(workspace: Any, project: int, folders: Any, asked: reading.Asked, report: reading.Report) -> Any:
        while "train" in asked.parts and not event.wait(0.05):
            report(250, 1000, "reading", 0.25)
        return compute(workspace, project, folders, asked, report)

    monkeypatch.setattr(reading, "compute", slow)
    yield event
    event.set()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LedgerServer]:
    made = LedgerServer("compare", compare)
    with Workspace.open(tmp_path) as made.workspace:
        fill(made.workspace)
        made.start()
        yield made
        made.stop()


def test_a_comparison_that_takes_long(server: LedgerServer, may_end: threading.Event, page: Page) -> None:
    page.goto(server.url)
    page.wait_for_function("document.querySelector('#ll-token textarea, #ll-token input')?.value")
    page.get_by_role("tab", name="compare").click()
    results, bar = page.locator("#compare-results"), page.locator("#compare-work .ll-progress-line")
    part = page.locator("#compare-parts label")
    expect(page.locator("#compare-nothing, #compare-results").first).to_be_visible()
    expect(bar).to_have_count(0)
    expect(results).to_be_visible()

    # What is empty takes no room, not even a gap.
    rows = page.locator("#compare-board > :is(#compare-work, .ll-buttons)").all()
    assert {row.evaluate("row => getComputedStyle(row).display") for row in rows} == {"none"}

    part.nth(2).click()
    expect(bar).to_contain_text("comparing runs: reading the predictions")
    expect(bar).to_contain_text("250 of 1,000")
    expect(results).to_be_hidden()
    page.click("#compare-work-stop")
    expect(page.locator("#compare-work")).to_contain_text("Cancelled.")
    expect(page.locator("#compare-work-stop")).to_be_hidden()

    page.click("#compare-again")
    expect(bar).to_be_visible()
    expect(page.locator("#compare-again")).to_be_hidden()
    part.nth(2).click()
    expect(results).to_be_visible()
    expect(bar).to_have_count(0)

    part.nth(2).click()
    expect(bar).to_be_visible()
    may_end.set()
    expect(results).to_be_visible()
    expect(bar).to_have_count(0)

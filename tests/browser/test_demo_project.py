"""The demo project of a first visit: every page has something to see."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.app_page import app_page, turn_to
from tests.browser.app_server import AppServer
from tests.browser.idle import wait_until_idle

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    with AppServer(tmp_path_factory.mktemp("demo") / "workspace") as server:
        yield server


@pytest.fixture
def person(windows, app) -> Iterator[Page]:
    with app_page(windows, app) as page:
        yield page


def test_a_first_visit_finds_a_ledger_of_two_runs_and_documents_to_review(person):
    turn_to(person, "ledger")
    wait_until_idle(person)
    told = person.locator("#ll-tab-ledger").inner_text()
    for wanted in ("baseline", "demo", "fixed", "still wrong", "newly broken"):
        assert wanted in told, told
    turn_to(person, "review")
    person.wait_for_selector(".ll-review-grid", state="visible")
    wait_until_idle(person)
    told = person.locator("#ll-tab-review").inner_text()
    assert "林晓" in told
    assert "Daniel Brandt" in told


@pytest.mark.exhaustive
def test_inspect_opens_with_the_least_certain_sentence_of_the_demo(person):
    turn_to(person, "inspect")
    person.wait_for_selector("#ll-tab-inspect .ll-sentence [data-key]", state="visible")


@pytest.mark.exhaustive
def test_the_dictionary_lists_words_with_documents_and_those_with_two_types(person):
    turn_to(person, "dictionary")
    wait_until_idle(person)
    told = person.locator("#ll-tab-dictionary").inner_text()
    assert "demo corpus" in told

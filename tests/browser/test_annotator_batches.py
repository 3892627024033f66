"""The queue narrowed to a batch of dictionary labels, and a suggestion that tells which batch it is from."""

from __future__ import annotations

import pytest

from core.store.project import journal
from core.store.suggest import distant
from core.text import Span
from tests.browser.gestures import eventually
from tests.browser.suggestion_workspace import opened
from tests.store.by_hand import add_words

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]
__all__ = ["opened"]  # a fixture


def rows(page):
    return page.locator(".lla-document").count()


def test_the_queue_is_narrowed_to_a_batch_and_a_suggestion_names_its_batch_and_word(page, opened):
    def label(session):
        place = session.workspace, session.project_id
        origin = add_words(*place, {"青禾": "ORG"}, user="mei")
        given = [distant.DistantLabels(2, (Span(1, 3, "ORG"),), {(1, 3, "ORG"): origin})]
        how = {"version": 1, "direction": "forward", "ambiguous": "skip", "user": "mei"}
        distant.put(*place, given, "suggest", **how)

    session = opened("林晓来了。", "在青禾市。", "再见。", before=label)
    choice = page.locator("select.lla-batch")
    eventually(lambda: rows(page) == 3)
    choice.select_option(index=1)
    eventually(lambda: rows(page) == 1)
    page.locator(".lla-document").first.click()
    page.locator(".lla-desk .lla-bar").first.click()
    page.locator(".lla-popover [data-act=span_history]").click()
    told = page.locator("dialog[open] .lla-event").inner_text()
    assert "Let the dictionary suggest it" in told
    (batch,) = distant.batches(session.workspace, session.project_id)
    assert f"batch {batch.id} of distant labels, by version 1" in told
    assert "the word was added in change" in told
    page.keyboard.press("Escape")
    journal.undo(session.workspace, session.project_id, batch.id, user="mei")
    page.locator(".lla-filters input[type=search]").fill("。")
    eventually(lambda: rows(page) == 3)  # of a batch that is gone, everything is asked
    assert choice.is_hidden()


def test_a_project_without_batches_has_no_such_choice(page, opened):
    opened("林晓来了。")
    page.wait_for_selector(".lla-document")
    assert page.locator("select.lla-batch").is_hidden()

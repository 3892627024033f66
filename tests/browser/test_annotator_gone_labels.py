"""A label deleted while a page is open, in a real browser: the edit is kept and the person has a way out."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from core.store.annotation import annotations
from core.store.label import changes as label_changes
from core.text import Span
from tests.browser.annotator_store import StoreBackend
from tests.browser.gestures import UNSENT, drag, eventually, keys, saved, visit

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

TEXT = "沈知微先生在青岛海川能源公司担任总经理。"


@pytest.fixture
def store(tmp_path):
    made = StoreBackend(tmp_path / "workspace", [TEXT, "去青岛。"])
    yield made
    made.workspace.close()


@contextmanager
def opened(page, serving, store):
    server = visit(page, serving(store))
    drag(page, 0, 3, "1")
    saved(page)
    yield server


def stands(store):
    spans = annotations.current(store.workspace, store.ids[0]).document.spans
    return sorted(span.key for span in spans)


def test_the_edit_waits_for_a_decision_and_is_saved_under_another_label(page, serving, store):
    with opened(page, serving, store) as server:
        label_changes.delete(store.workspace, store.project, "LOC", user="mei")
        drag(page, 6, 8, "4")
        page.wait_for_selector(".lla-gone:visible")
        assert "LOC" in page.inner_text(".lla-gone label")
        assert page.inner_text(".lla-gone .lla-hit") == "青岛"
        assert page.evaluate(UNSENT) == 1
        assert page.locator(".lla-label[data-label=LOC]").count() == 0
        # Not now: the edit stays, over a reload too.
        keys(page, "Escape")
        page.wait_for_selector(".lla-banner:has-text('LOC')")
        page.on("dialog", lambda dialog: dialog.accept())
        visit(page, server)
        page.wait_for_selector(".lla-gone:visible")
        assert stands(store) == [(0, 3, "NAME")]
        page.select_option(".lla-gone select", "ORG")
        page.click(".lla-dialog [data-act=resolve]")
        saved(page)
        assert stands(store) == [(0, 3, "NAME"), (6, 8, "ORG")]
        assert page.evaluate(UNSENT) == 0
        assert page.locator(".lla-banner:visible").count() == 0


def test_the_span_can_be_dropped_and_the_rest_of_the_edit_is_saved(page, serving, store):
    with opened(page, serving, store):
        drag(page, 6, 8, "4")
        saved(page)
        label_changes.delete(store.workspace, store.project, "LOC", user="mei")
        drag(page, 8, 14, "2")
        page.wait_for_selector(".lla-gone:visible")
        page.click(".lla-dialog [data-act=resolve]")
        saved(page)
        eventually(lambda: stands(store) == [(0, 3, "NAME"), (8, 14, "ORG")])


def test_a_label_that_was_merged_needs_no_question(page, serving, store):
    with opened(page, serving, store):
        label_changes.merge(store.workspace, store.project, "LOC", "ORG", user="mei")
        drag(page, 6, 8, "4")
        eventually(lambda: stands(store) == [(0, 3, "NAME"), (6, 8, "ORG")])
        saved(page)
        assert page.locator("dialog[open]").count() == 0
        assert page.evaluate(UNSENT) == 0
        assert [span.label for span in annotations.history(store.workspace, store.ids[0])[-1].added] == [
            "ORG"
        ]
        assert Span(6, 8, "ORG") in annotations.current(store.workspace, store.ids[0]).document.spans

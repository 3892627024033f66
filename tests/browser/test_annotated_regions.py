"""Annotated regions, in a real browser over a real store: by key, button, labelling; and taken back."""

from __future__ import annotations

import pytest

from core.store.annotation import annotations, regions
from core.store.project import assignments, members
from core.text import Span
from tests.browser.gestures import eventually, saved
from tests.browser.suggestion_workspace import opened
from tests.store.by_hand import mark

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]
__all__ = ["opened"]  # a fixture

FIRST, SECOND, THIRD = "林晓来了。", "赵一鸣走了。", "孙悦在青禾市。"
TEXT = FIRST + SECOND + THIRD


@pytest.fixture
def session(opened):
    return opened(TEXT, "第二篇文档。")


def marked(session):
    return regions.get(session.workspace, 1).marked


def told(page):
    return page.locator(".lla-annotated .lla-note").text_content()


def lines(page):
    return page.locator(".lla-annotated-lines i").count()


def caret_to(page, point):
    page.locator(".lla-desk .lla-text").focus()
    page.keyboard.press("Home")
    for _ in range(point):
        page.keyboard.press("ArrowRight")


def test_a_new_document_has_no_annotated_regions(page, session):
    assert told(page) == "0% reviewed; the rest is not used as negatives in training"
    assert lines(page) == 0


def test_u_marks_the_text_before_the_caret_and_again_unmarks_it(page, session):
    caret_to(page, 5)
    page.keyboard.press("u")
    eventually(lambda: marked(session) == ((0, 5),))
    page.wait_for_selector(".lla-annotated-lines i", state="attached")
    assert told(page).startswith("27% reviewed")
    page.keyboard.press("u")
    eventually(lambda: marked(session) == ())
    page.wait_for_function("!document.querySelector('.lla-annotated-lines i')")


def test_a_label_set_before_the_mark_is_answered_is_undone_before_it(page, session):
    held = []

    def hold(route):
        if not held and "set_annotated_regions" in (route.request.post_data or ""):
            held.append(route)
        else:
            route.continue_()

    page.route("**/component_server/", hold)
    caret_to(page, 5)
    page.keyboard.press("u")
    for _ in range(2):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("1")
    eventually(lambda: annotations.current(session.workspace, 1).document.spans != (), page=page)
    assert marked(session) == ()
    held[0].continue_()
    eventually(lambda: marked(session) == ((0, 5),), page=page)
    page.keyboard.press("Control+z")
    saved(page)
    assert (marked(session), annotations.current(session.workspace, 1).document.spans) == (((0, 5),), ())
    page.keyboard.press("Control+z")
    eventually(lambda: marked(session) == (), page=page)


def test_undo_and_redo_take_marks_along_with_labels_in_their_order(page, session):
    mark(session.workspace, 1, 2, 4, user="mei")
    page.reload()
    page.wait_for_selector(".lla-annotated-lines i", state="attached")
    caret_to(page, 5)
    page.keyboard.press("u")
    eventually(lambda: marked(session) == ((0, 5),))
    for _ in range(2):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("1")
    saved(page)
    page.keyboard.press("Control+z")
    saved(page)
    assert (marked(session), annotations.current(session.workspace, 1).document.spans) == (((0, 5),), ())
    page.keyboard.press("Control+z")
    eventually(lambda: marked(session) == ((2, 4),))  # what somebody else had marked stays
    page.keyboard.press("Control+Shift+z")
    eventually(lambda: marked(session) == ((0, 5),))
    page.keyboard.press("Control+Shift+z")
    eventually(lambda: len(annotations.current(session.workspace, 1).document.spans) == 1)


def test_after_a_reload_undo_takes_marks_and_labels_back_in_their_order(page, session):
    caret_to(page, 5)
    page.keyboard.press("u")
    eventually(lambda: marked(session) == ((0, 5),))
    for _ in range(2):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("1")
    saved(page)
    caret_to(page, 11)
    page.keyboard.press("u")
    eventually(lambda: marked(session) == ((0, 11),))
    page.reload()
    page.wait_for_selector(".lla-toolbar [data-action=undo]:not([disabled])")
    spans = lambda: annotations.current(session.workspace, 1).document.spans  # noqa: E731
    page.keyboard.press("Control+z")
    eventually(lambda: marked(session) == ((0, 5),))
    assert len(spans()) == 1
    page.keyboard.press("Control+z")
    eventually(lambda: spans() == ())
    assert marked(session) == ((0, 5),)
    page.keyboard.press("Control+z")
    eventually(lambda: marked(session) == ())
    page.reload()
    page.wait_for_selector(".lla-toolbar [data-action=redo]:not([disabled])", state="attached")
    for _ in range(3):
        page.keyboard.press("Control+Shift+z")
    eventually(lambda: marked(session) == ((0, 11),))
    eventually(lambda: len(spans()) == 1)
    page.wait_for_selector(".lla-toolbar [data-action=redo][disabled]", state="attached")


def test_an_individual_version_has_its_own_annotated_line(page, opened):
    def apart(session):
        place = session.workspace, session.project_id
        members.put(*place, "lin", "manager", by="lin")
        assignments.set_plan(*place, "separate", 1, by="lin")
        assignments.hand_out(*place, ["lin"], by="lin")

    session = opened(TEXT, before=apart)
    own = lambda: regions.get(session.workspace, 1, "lin").marked  # noqa: E731
    assert (
        told(page) == "0% reviewed; elsewhere a missing label does not count against a span in adjudication"
    )
    caret_to(page, 5)
    page.keyboard.press("u")
    eventually(lambda: own() == ((0, 5),))
    page.wait_for_selector(".lla-annotated-lines i", state="attached")
    assert told(page).startswith("27% reviewed")
    assert marked(session) == ()
    page.reload()
    page.wait_for_selector(".lla-toolbar [data-action=undo]:not([disabled])")
    page.keyboard.press("Control+z")
    eventually(lambda: own() == ())


def test_without_a_place_it_says_what_to_do(page, session):
    page.keyboard.press("u")
    page.wait_for_function(
        "document.querySelector('.lla-live[role=status]').textContent.startsWith('Place the caret')"
    )
    assert marked(session) == ()


def test_labelling_shows_that_its_sentence_was_read(page, session):
    caret_to(page, 5)
    for _ in range(3):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("1")
    saved(page)
    page.wait_for_selector(".lla-annotated-lines i", state="attached")
    assert regions.get(session.workspace, 1).regions == ((5, 11),)
    assert told(page).startswith("33% reviewed")
    page.reload()
    page.wait_for_selector(".lla-annotated-lines i", state="attached")
    assert told(page).startswith("33% reviewed")


def test_a_document_that_is_done_is_fully_annotated_and_has_no_line(page, session):
    annotations.save(session.workspace, 1, 0, [Span(0, 2, "NAME")], user="lin", status="done")
    page.reload()
    page.wait_for_selector(".lla-bar")
    assert told(page) == "Fully reviewed"
    assert page.locator("[data-action=annotated_until]").count() == 0
    assert lines(page) == 0


def test_each_document_has_its_own(page, session):
    caret_to(page, 5)
    page.keyboard.press("u")
    eventually(lambda: marked(session) == ((0, 5),))
    page.keyboard.press("j")
    page.wait_for_function("document.querySelector('.lla-desk .lla-text').textContent === '第二篇文档。'")
    assert lines(page) == 0
    page.keyboard.press("k")
    page.wait_for_selector(".lla-annotated-lines i", state="attached")


def test_a_long_text_has_its_line_where_it_is_on_the_screen(page, opened):
    text = "".join(f"第{number}句里没有什么。\n" for number in range(900))
    session = opened(text)
    mark(session.workspace, 1, 0, 3000, user="lin")
    page.reload()
    page.wait_for_selector(".lla-annotated-lines i", state="attached")
    page.wait_for_function(  # both at once: the toolbar above may still be wrapping
        """() => {
          const top = (part) => document.querySelector(part).getBoundingClientRect().y;
          return Math.abs(top(".lla-annotated-lines i") - top(".lla-block")) < 30;
        }"""
    )

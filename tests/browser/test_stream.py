"""Suggestions one by one, in a real browser over a real store."""

from __future__ import annotations

import re

import pytest

from core.store.annotation import annotations
from core.text import Span
from tests.browser.gestures import eventually, keys, saved
from tests.browser.suggestion_workspace import TEXT, opened, serve, type_word

pytestmark = pytest.mark.browser
__all__ = ["opened"]  # a fixture


def four(session):
    """Two suggestions of the tagger and two of the dictionary, the last in the second document."""
    serve(session, 1, Span(0, 2, "NAME", 0.8), Span(18, 20, "NAME", 0.3))
    type_word(session, "青禾大学", "ORG")
    type_word(session, "HT-77", "ID")


def asked(page) -> str:
    """What is asked now, as it is written under the sentence."""
    return re.sub(r"\s+", " ", page.locator(".lla-stream-source").inner_text())


def place(page) -> str:
    return page.locator(".lla-stream-place").inner_text()


def of(session, document):
    return annotations.current(session.workspace, document)


def test_suggestions_are_answered_by_key_saved_as_in_the_text_and_taken_back(page, opened):
    session = opened(before=four)
    keys(page, "v")
    page.wait_for_selector(".lla-stream-card:focus")
    assert (place(page), asked(page)) == ("1 of 4", "NAME 林晓 Tagger .80")
    assert page.locator(".lla-stream .lla-text").text_content() == "林晓在青禾大学。"
    keys(page, "a")
    assert (place(page), asked(page)) == ("2 of 4", "ORG 青禾大学 Dictionary 1.0")
    heard = (
        "林晓: accepted as NAME · 青禾大学, the dictionary suggests ORG, confidence 1.0 · 林晓在青禾大学。"
    )
    assert page.locator(".lla-annotator > .lla-live").text_content() == heard
    assert page.locator('.lla-stream .lla-person[data-key="person:0:2:NAME"]').count() == 1
    keys(page, "x", " ", "Enter")
    assert page.locator(".lla-stream-head .lla-note").inner_text() == "2 accepted, 1 rejected, 1 skipped"
    page.wait_for_selector(".lla-stream-end:focus")
    saved(page)
    assert of(session, 1).document.spans == (Span(0, 2, "NAME"),)
    assert of(session, 1).rejected == (Span(3, 7, "ORG"),)
    eventually(lambda: of(session, 2).document.spans == (Span(7, 12, "ID"),))
    assert {event.action for event in annotations.history(session.workspace, 1)} >= {"reject"}

    # Back over two documents, the one that was skipped between.
    keys(page, "Backspace", "Control+z", "Backspace")
    assert (place(page), asked(page)) == ("2 of 4", "ORG 青禾大学 Dictionary 1.0")
    eventually(lambda: of(session, 2).document.spans == () and of(session, 1).rejected == ())
    assert of(session, 1).document.spans == (Span(0, 2, "NAME"),)


@pytest.mark.exhaustive
def test_the_least_confident_comes_first_and_a_suggestion_is_corrected_in_its_text(page, opened):
    session = opened(before=four)
    keys(page, "v")
    page.locator(".lla-stream select").select_option("confidence")
    page.wait_for_selector(".lla-stream-source b:text-is('林晓')")
    page.wait_for_function("document.querySelector('.lla-stream-source').textContent.includes('.30')")
    keys(page, "e")
    page.wait_for_selector('.lla-bar[data-key="tagger:18:20:NAME"]:focus')
    assert page.locator(".lla-stream").count() == 0
    assert page.locator(".lla-desk .lla-text").text_content() == TEXT
    keys(page, "2")
    eventually(lambda: of(session, 1).document.spans == (Span(18, 20, "ORG"),))
    keys(page, "v")
    page.wait_for_selector(".lla-stream-card:not([hidden])")
    assert "18:20" not in (page.get_attribute(".lla-stream .lla-current", "data-key") or "")


@pytest.mark.exhaustive
def test_nothing_to_answer_says_what_suggests(page, opened):
    opened()
    keys(page, "v")
    page.locator(".lla-stream-end", has_text="No suggestions yet.").wait_for()
    assert page.locator(".lla-stream-answers button:enabled").count() == 0
    keys(page, "a", "x", " ", "Backspace")
    page.locator(".lla-stream-end [data-stream=leave]").click()
    page.wait_for_selector(".lla-desk .lla-text:visible")


@pytest.mark.exhaustive
def test_a_document_of_the_queue_leads_to_its_suggestions_and_a_filter_narrows_the_stream(page, opened):
    opened(before=four)
    keys(page, "v")
    page.wait_for_selector(".lla-stream-card:focus")
    page.locator('[data-document="2"]').click()
    page.wait_for_selector(".lla-stream-source b:text-is('HT-77')")
    page.get_by_label("search the texts").fill("第二篇")
    page.locator(".lla-stream-place:text-is('1 of 1')").wait_for()
    page.get_by_label("search the texts").fill("无此文")
    page.locator(".lla-stream-end [data-stream=all_documents]").click()
    page.locator(".lla-stream-place:text-is('1 of 4')").wait_for()


@pytest.mark.exhaustive
def test_an_answer_shows_the_next_suggestion_without_waiting_for_the_app(page, opened):
    opened(
        *(f"第{number}篇：林晓。" for number in range(60)),
        before=lambda session: type_word(session, "林晓", "NAME"),
    )
    keys(page, "v")
    page.locator(".lla-stream-place:text-is('1 of 60')").wait_for()
    shown = page.evaluate(
        """() => Array.from({ length: 50 }, () => {
          document.querySelector("[data-stream=accept]").click();
          return document.querySelector(".lla-stream-place").textContent; // in the same turn as the click
        })"""
    )
    assert shown == [f"{number} of 60" for number in range(2, 52)]

"""Suggestions of four sources in a real browser, over a real store: by mouse, by keyboard, after a reload."""

from __future__ import annotations

import re

import pytest

from core.store.annotation import annotations
from core.store.suggest import patterns
from core.text import Span
from tests.browser.gestures import eventually, saved
from tests.browser.suggestion_workspace import TEXT, opened, said_elsewhere, serve, type_word

pytestmark = pytest.mark.browser
__all__ = ["opened"]  # a fixture


def bars(page, source=None):
    """Every bar that is named, as source:start:end:label."""
    found = page.eval_on_selector_all(
        ".lla-bar[aria-label]", "(all) => all.map((bar) => [bar.dataset.key, bar.className])"
    )
    return sorted(key for key, name in found if source is None or f"lla-{source}" in name)


def chip(page, key):
    return page.locator(f'.lla-bar[data-key="{key}"] .lla-chip').text_content()


def slider(page, source):
    return page.locator(f'.lla-source[data-source="{source}"] input[type=range]')


def move(page, source, value):
    slider(page, source).evaluate(
        "(input, value) => { input.value = value; input.dispatchEvent(new Event('input')); }", str(value)
    )


def all_four(session):
    serve(session, 1, Span(0, 2, "NAME", 0.8), Span(3, 7, "ORG", 0.3))
    said_elsewhere(session, "林晓", "NAME", 3)
    type_word(session, "青禾大学", "ORG")
    patterns.add(session.workspace, session.project_id, r"HT-\d+", "ID", user="mei")


@pytest.mark.exhaustive
def test_each_source_has_its_line_and_its_number(page, opened):
    opened(before=all_four)
    assert bars(page) == [
        "earlier:18:20:NAME", "pattern:10:17:ID", "tagger:0:2:NAME", "tagger:3:7:ORG"
    ]  # fmt: skip
    assert chip(page, "pattern:10:17:ID") == "ID 1.0"
    assert chip(page, "earlier:18:20:NAME") == "NAME .75"
    styles = {
        source: page.locator(f".lla-source[data-source={source}] .lla-sample").evaluate(
            "(sample) => [getComputedStyle(sample).borderTopStyle, getComputedStyle(sample).backgroundImage]"
        )
        for source in ("tagger", "earlier", "dictionary", "pattern")
    }
    assert len({tuple(style) for style in styles.values()}) == 4


@pytest.mark.exhaustive
def test_what_two_sources_say_is_one_mark_that_names_both(page, opened):
    opened(before=all_four)
    assert chip(page, "tagger:0:2:NAME") == "NAME .80 T+E"
    assert chip(page, "tagger:3:7:ORG") == "ORG .30 T+D"
    bar = page.locator('.lla-bar[data-key="tagger:0:2:NAME"]')
    assert bar.get_attribute("aria-label") == "林晓, NAME, suggested by: Tagger .80 and Earlier decisions .75"
    bar.click()
    assert page.locator(".lla-popover .lla-sources").inner_text().split("\n") == [
        "Tagger .80", "Earlier decisions .75"
    ]  # fmt: skip


@pytest.mark.exhaustive
def test_each_source_has_a_threshold_and_marks_name_the_remaining_sources(page, opened):
    opened(before=all_four)
    move(page, "tagger", 0.5)
    assert bars(page) == [
        "dictionary:3:7:ORG", "earlier:18:20:NAME", "pattern:10:17:ID", "tagger:0:2:NAME"
    ]  # fmt: skip
    move(page, "earlier", 0.8)
    assert chip(page, "tagger:0:2:NAME") == "NAME .80"
    page.uncheck(".lla-source[data-source=pattern] input[type=checkbox]")
    assert bars(page) == ["dictionary:3:7:ORG", "tagger:0:2:NAME"]
    assert slider(page, "pattern").is_disabled()


@pytest.mark.exhaustive
def test_the_choice_is_there_after_a_reload(page, opened):
    session = opened(before=all_four)
    move(page, "earlier", 0.9)
    page.uncheck(".lla-source[data-source=tagger] input[type=checkbox]")
    from app.annotate.suggestions import read_view

    eventually(
        lambda: read_view(session)["earlier"]["threshold"] == 0.9 and not read_view(session)["tagger"]["on"]
    )
    page.reload()
    page.wait_for_selector(".lla-bar")
    assert bars(page) == ["dictionary:3:7:ORG", "pattern:10:17:ID"]
    assert slider(page, "earlier").input_value() == "0.9"
    assert not page.is_checked(".lla-source[data-source=tagger] input[type=checkbox]")


@pytest.mark.exhaustive
def test_a_rejected_suggestion_is_never_offered_again(page, opened):
    session = opened(before=all_four)
    page.locator('.lla-bar[data-key="tagger:0:2:NAME"]').focus()
    page.keyboard.press("x")
    saved(page)
    assert not [key for key in bars(page) if ":0:2:" in key], "the tagger's and that of earlier decisions"
    assert annotations.current(session.workspace, 1).rejected == (Span(0, 2, "NAME"),)
    page.reload()
    page.wait_for_selector(".lla-bar")
    assert not [key for key in bars(page) if ":0:2:" in key]


@pytest.mark.exhaustive
def test_a_word_rejected_twice_elsewhere_is_no_longer_suggested(page, opened):
    def before(session):
        type_word(session, "林晓", "ORG")

    session = opened("林晓一。", "林晓二。", "林晓三。", before=before)
    for document in (1, 2):
        eventually(lambda: bars(page) == ["dictionary:0:2:ORG"])
        page.locator(".lla-bar").focus()
        page.keyboard.press("x")
        eventually(lambda number=document: annotations.current(session.workspace, number).rejected != ())
        page.keyboard.press("j")
        page.wait_for_selector(f'[data-document="{document + 1}"][aria-current]')
    page.wait_for_function("document.querySelector('.lla-text').textContent === '林晓三。'")
    eventually(lambda: bars(page) == [])  # at first without the counts, where these are still being read
    move(page, "dictionary", 0.3)
    assert bars(page) == ["dictionary:0:2:ORG"], "it faded, it is not gone"


def test_labelling_here_suggests_there(page, opened):
    opened("林晓来了。", "又见林晓。")
    page.locator(".lla-text").focus()
    for _ in range(2):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("1")
    saved(page)
    page.keyboard.press("j")
    page.wait_for_selector('.lla-bar[data-key="earlier:2:4:NAME"]')
    page.keyboard.press("Enter")
    page.wait_for_selector('.lla-bar[data-key="person:2:4:NAME"]')


@pytest.mark.exhaustive
def test_a_pattern_is_tried_while_it_is_typed_added_switched_deleted_and_restored(page, opened):
    session = opened()
    page.click(".lla-open-patterns")
    page.fill(".lla-pattern-input", r"HT-\d+")
    page.wait_for_selector(".lla-hits mark")
    assert page.locator(".lla-hits mark").all_text_contents() == ["HT-2041"]
    assert page.locator(".lla-pattern-told p").text_content() == "1 found in this document"
    page.select_option(".lla-pattern-form select", "ID")
    page.keyboard.press("Enter")
    page.locator(".lla-pattern-input").press("Enter")
    page.wait_for_selector(".lla-pattern-list li")
    page.keyboard.press("Escape")
    page.wait_for_selector('.lla-bar[data-key="pattern:10:17:ID"]')
    page.click(".lla-open-patterns")
    page.uncheck(".lla-pattern-list input[type=checkbox]")
    eventually(lambda: not patterns.all_patterns(session.workspace, session.project_id)[0].enabled)
    page.click(".lla-pattern-list button:has-text('delete')")
    page.wait_for_selector(".lla-pattern-list details")
    page.keyboard.press("Escape")
    page.wait_for_function("!document.querySelector('.lla-bar')")
    page.click(".lla-open-patterns")
    page.click(".lla-pattern-list summary")
    page.click(".lla-pattern-list button:has-text('restore')")
    page.wait_for_selector(".lla-pattern-list > ul > li.lla-off")
    page.check(".lla-pattern-list input[type=checkbox]")
    eventually(lambda: patterns.all_patterns(session.workspace, session.project_id)[0].enabled)
    page.keyboard.press("Escape")
    page.wait_for_selector('.lla-bar[data-key="pattern:10:17:ID"]')


@pytest.mark.exhaustive
def test_a_bad_pattern_says_what_and_where_and_is_not_added(page, opened):
    session = opened()
    page.click(".lla-open-patterns")
    page.fill(".lla-pattern-input", "合同(HT")
    page.wait_for_selector(".lla-pattern-told .lla-wrong")
    told = page.locator(".lla-pattern-told .lla-wrong").text_content()
    assert told == "Invalid pattern: a closing bracket ) is missing, at character 6."
    assert page.locator(".lla-pattern-told mark").text_content() == "␣"
    page.locator(".lla-pattern-input").press("Enter")
    page.wait_for_timeout(300)
    assert page.get_attribute(".lla-pattern-input", "aria-invalid") == "true"
    assert patterns.all_patterns(session.workspace, session.project_id) == []


@pytest.mark.exhaustive
def test_a_pattern_that_takes_too_long_is_named_beside_the_sources(page, opened):
    def before(session):
        patterns.add(session.workspace, session.project_id, r"(\w+\s?)*$", "NAME", user="mei")

    opened("a " * 3000 + "!", before=before)
    page.wait_for_selector(".lla-rule-notes code", timeout=20_000)
    assert page.locator(".lla-rule-notes code").text_content() == r"(\w+\s?)*$"
    assert re.match("Too slow on this document", page.locator(".lla-rule-notes").text_content())


@pytest.mark.exhaustive
def test_hostile_patterns_and_surfaces_are_drawn_as_text(page, opened):
    hostile = "<img src=x onerror=alert(1)>"

    def before(session):
        said_elsewhere(session, hostile, "NAME")
        patterns.add(session.workspace, session.project_id, f"(?:{hostile})?林", "ORG", user="mei")

    opened(f"林{hostile}", before=before)
    page.on("dialog", lambda dialog: pytest.fail("a script ran"))
    page.click(".lla-open-patterns")
    page.wait_for_selector(".lla-pattern-list code")
    assert hostile in page.locator(".lla-pattern-list code").text_content()
    assert page.locator(".lla-root img").count() == 0
    assert TEXT  # the page is alive
    page.keyboard.press("Escape")
    eventually(lambda: f"earlier:1:{1 + len(hostile)}:NAME" in bars(page))

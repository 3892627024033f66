"""Labelled sentences beside the one being read, and key sentences of a long text, as a person uses them."""

from __future__ import annotations

from threading import Event

import pytest

from core.store.annotation import annotations, regions
from core.store.document import documents, trash
from core.text import Document, Span
from tests.browser.gestures import eventually
from tests.browser.suggestion_workspace import opened

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]
__all__ = ["opened"]  # a fixture

HERE = "林晚晴在清河大学教书，清河大学在北边。"
DONE = (
    ("林晚晴昨天离开清河大学。", (Span(0, 3, "NAME"), Span(7, 11, "ORG"))),
    ("<img src=x onerror=window.hit=1>清河大学${1}{{2}}", (Span(32, 36, "ORG"),)),
    ("星野在青岚市划船。", (Span(0, 2, "NAME"),)),
)
KEY = "林晚晴在清河大学教书和研究"
# Sentences that share nothing, and among them six that say much the same.
OTHER = ["".join(chr(0x5000 + 8 * n + k) for k in range(6)) + "。" for n in range(24)]
LONG = "".join(f"{KEY}第{n}年。" if n % 4 == 0 else OTHER[n] for n in range(24))


@pytest.fixture
def beside(opened):
    """Opens a workspace with ``texts`` to label and `DONE`, at the first text; gives its session."""

    def start(*texts, done=DONE):
        def finish(session):
            found = [Document(f"完成{n}", text) for n, (text, _) in enumerate(done)]
            session.done = documents.add(session.workspace, session.project_id, found).ids
            for id_, (_, spans) in zip(session.done, done, strict=True):
                annotations.save(session.workspace, id_, 0, spans, user="lin", status="done")

        return opened(*texts, before=finish)

    return start


def rows(page):
    page.wait_for_selector(".lla-similar-list li")
    return page.locator(".lla-similar-list li")


def test_they_are_shown_with_their_marks_and_taken_over_with_one_press(page, beside):
    session = beside(HERE, "第二篇文档。")
    found = rows(page)
    assert found.count() == 2
    assert found.nth(0).locator(".lla-text").inner_text() == DONE[0][0]
    assert found.nth(0).locator(".lla-chip").all_inner_texts() == ["NAME", "ORG"]
    assert found.nth(0).locator(".lla-shades i").count() >= 2
    assert found.nth(1).locator(".lla-text").inner_text() == DONE[1][0]
    assert page.evaluate("window.hit") is None
    found.nth(0).locator("[data-act=take]", has_text="清河大学").click()
    eventually(
        lambda: (
            [span.key for span in documents.get(session.workspace, 1).spans]
            == [(4, 8, "ORG"), (11, 15, "ORG")]
        )
    )
    assert found.nth(0).locator(".lla-similar-surface").all_inner_texts() == ["林晚晴"]
    assert found.nth(1).locator("[data-act=take]").count() == 0


def test_by_keyboard_one_is_opened_in_place_and_left_again(page, beside):
    session = beside(HERE, "第二篇文档。")
    rows(page)
    page.locator(".lla-desk .lla-text").focus()
    page.keyboard.press("s")
    assert page.evaluate("document.activeElement.dataset.act") == "open"
    page.keyboard.press("Enter")
    page.wait_for_function(
        "t => document.querySelector('.lla-desk .lla-text').textContent === t", arg=DONE[0][0]
    )
    page.wait_for_selector(".lla-similar-back:visible")
    page.keyboard.press("b")
    page.wait_for_function("t => document.querySelector('.lla-desk .lla-text').textContent === t", arg=HERE)
    page.wait_for_selector(".lla-similar-back", state="hidden")
    assert documents.get(session.workspace, 1).spans == ()


def test_no_similar_sentences_are_reported_and_trashed_ones_disappear(page, beside):
    session = beside(HERE, "第二篇文档。", done=DONE[:1])
    rows(page)
    trash.trash_documents(session.workspace, session.project_id, list(session.done))
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.wait_for_function(
        "document.querySelector('.lla-similar .lla-note').textContent.startsWith('No finished')"
    )
    assert page.locator(".lla-similar-list li").count() == 0


def test_on_a_phone_it_is_a_sheet_that_loads_when_opened(page, beside):
    page.set_viewport_size({"width": 390, "height": 844})
    beside(HERE)
    page.wait_for_timeout(600)
    assert not page.locator(".lla-similar").evaluate("sheet => sheet.open")
    assert page.locator(".lla-similar-list li").count() == 0
    page.locator(".lla-similar > summary").click()
    assert rows(page).count() == 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    small = page.locator(".lla-similar :is(button, summary):visible").evaluate_all(
        "all => all.filter((one) => one.getBoundingClientRect().height < 40).length"
    )
    assert small == 0


def test_key_sentences_of_a_long_text_are_marked_listed_and_annotated_alone(page, beside):
    session = beside(LONG)
    page.wait_for_selector(".lla-keys-panel li")
    items = page.locator(".lla-keys-panel li")
    assert items.count() == 3
    assert all(text.startswith(KEY) for text in items.locator(".lla-key-go").all_inner_texts())
    assert page.locator(".lla-key-lines i").count() == 3
    items.nth(0).locator("[data-act=annotated]").click()
    start = int(items.nth(0).get_attribute("data-key-sentence"))
    end = LONG.index("。", start) + 1
    eventually(lambda: regions.get(session.workspace, 1).marked == ((start, end),))
    page.wait_for_selector(".lla-keys-panel [aria-pressed=true]")
    items.nth(0).locator("[data-act=annotated]").click()
    eventually(lambda: regions.get(session.workspace, 1).marked == ())
    items.nth(1).locator("[data-act=go]").click()
    assert page.evaluate("document.activeElement.classList.contains('lla-text')")


def test_slow_similar_sentences_delay_neither_opening_nor_saving(page, beside, monkeypatch):
    from app.services.indexes.labelled_sentences import LabelledSentences

    asked, answered = Event(), Event()
    find = LabelledSentences.find

    def slow(self, *given, **named):
        asked.set()
        answered.wait()
        return find(self, *given, **named)

    monkeypatch.setattr(LabelledSentences, "find", slow)
    session = beside(HERE, "第二篇文档。")
    try:
        eventually(asked.is_set)
        page.keyboard.press("j")
        page.wait_for_function("document.querySelector('.lla-desk .lla-text').textContent === '第二篇文档。'")
        page.locator(".lla-desk .lla-text").focus()
        page.keyboard.press("Shift+End")
        page.keyboard.press("1")
        eventually(lambda: bool(documents.get(session.workspace, 2).spans))
    finally:
        answered.set()
    page.wait_for_timeout(300)

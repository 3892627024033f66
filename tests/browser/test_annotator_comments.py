"""Comments beside the text: written, settled, deleted, brought back, and never lost."""

from __future__ import annotations

import time

import pytest

from app.annotate import bulk
from core.store.annotation import comments
from core.text import Span
from tests.browser.annotator_backend import refusal
from tests.browser.annotator_store import StoreBackend
from tests.browser.gestures import drag, eventually, keys, visit

pytestmark = pytest.mark.browser

TEXT = "沈知微先生在青岛海川能源公司担任总经理。"
HOSTILE = "<img src=x onerror=window.hit=1> ${window.hit=2} {{window.hit}} 第一行\n第二行 𠮷"
DRAFTS = "() => Object.keys(localStorage).filter((key) => key.startsWith('latticelens.draft')).length"


@pytest.fixture
def backend(tmp_path):
    made = StoreBackend(
        tmp_path / "workspace", [TEXT, "第二篇。"], {0: [Span(0, 3, "NAME"), Span(6, 8, "LOC")]}
    )
    yield made
    made.workspace.close()


def shown(page):
    return page.locator(".lla-comment .lla-comment-text").all_inner_texts()


def test_a_comment_on_the_focused_span_by_keyboard_alone(page, serving, backend):
    visit(page, serving(backend))
    page.wait_for_selector(".lla-desk .lla-bar")
    page.focus(".lla-desk .lla-bar >> nth=0")
    keys(page, "c")
    assert "沈知微" in page.inner_text(".lla-about")
    page.keyboard.type("全名是什么？")
    keys(page, "Control+Enter")
    eventually(lambda: backend.said() == [(0, 3, "全名是什么？", False)])
    assert page.evaluate("document.activeElement.className") == "lla-text"
    page.wait_for_selector(".lla-comment .lla-note >> text=lin")
    assert shown(page) == ["全名是什么？"]
    chip = page.locator(".lla-desk [data-key='person:0:3:NAME'] .lla-chip")
    assert chip.inner_text() == "NAME ✎1"
    name = page.get_attribute(".lla-desk [data-key='person:0:3:NAME']", "aria-label")
    assert "1 open comment" in name
    assert page.inner_text(".lla-comment-panel h2") == "Comments, 1 open"


@pytest.mark.exhaustive
@pytest.mark.parametrize("before", [0, 40])
def test_a_comment_leaves_the_column_of_the_labels_where_it_was(page, serving, backend, before):
    server = serving(backend)
    page.set_viewport_size({"width": 1440, "height": 480})
    visit(page, server)
    column = page.locator(".lla-side")
    for leave in ("Control+Enter", "Escape"):
        column.evaluate("(column, top) => { column.scrollTop = top; }", before)
        keys(page, "c")
        page.keyboard.type("？")
        assert column.evaluate("column => column.scrollTop") > before
        keys(page, leave)
        assert column.evaluate("column => column.scrollTop") == before
        assert page.evaluate("document.activeElement.className") == "lla-text"


@pytest.mark.exhaustive
def test_a_comment_by_mouse_is_resolved_reopened_deleted_and_restored(page, serving, backend):
    visit(page, serving(backend))
    page.fill(".lla-comment-box", HOSTILE)
    page.click(".lla-comment-panel >> text=add comment")
    eventually(lambda: backend.said() == [(None, None, HOSTILE, False)])
    page.click(".lla-comment [data-act=resolve]")
    eventually(lambda: backend.said() == [(None, None, HOSTILE, True)])
    page.click(".lla-fold")
    page.click(".lla-comment [data-act=reopen]")
    eventually(lambda: backend.said() == [(None, None, HOSTILE, False)])
    page.click(".lla-comment [data-act=delete]")
    eventually(lambda: backend.said() == [])
    page.wait_for_selector(".lla-comment [data-act=restore]")
    page.click(".lla-comment [data-act=restore]")
    eventually(lambda: backend.said() == [(None, None, HOSTILE, False)])
    assert page.text_content(".lla-comment .lla-comment-text") == HOSTILE
    assert page.evaluate("window.hit") is None


@pytest.mark.exhaustive
def test_a_comment_on_a_selection_leads_back_to_its_place(page, serving, backend):
    visit(page, serving(backend))
    drag(page, 8, 14)
    page.click(".lla-popover [data-act=comment]")
    page.keyboard.type("哪家？")
    page.click(".lla-comment-panel >> text=add comment")
    eventually(lambda: backend.said() == [(8, 14, "哪家？", False)])
    page.click(".lla-quote")
    assert page.evaluate("document.getSelection().toString()") == "海川能源公司"


@pytest.mark.exhaustive
def test_keys_typed_into_a_comment_label_nothing(page, serving, backend):
    visit(page, serving(backend))
    before = backend.spans()
    page.focus(".lla-comment-box")
    page.keyboard.type("1 d x o r c g ?")
    keys(page, "Enter", "Backspace")
    time.sleep(0.3)
    assert backend.spans() == before
    assert page.locator(".lla-dialog[open]").count() == 0


@pytest.mark.exhaustive
def test_a_comment_made_offline_waits_and_is_sent_once(page, serving, backend):
    answer = bulk.add_comment
    tried = []

    def down(session, comment):
        tried.append(comment.client_edit)
        if len(tried) == 1:
            answer(session, comment)  # it arrives, and its answer is lost
        raise refusal("failed", "no answer")

    backend.add_comment = down
    server = serving(backend)
    page.on("dialog", lambda dialog: dialog.accept())
    visit(page, server)
    page.fill(".lla-comment-box", "先别动")
    page.click(".lla-comment-panel >> text=add comment")
    page.wait_for_selector(".lla-banner:visible")
    assert "Not sent yet" in page.inner_text(".lla-comment")
    assert shown(page) == ["先别动"]
    del backend.add_comment
    visit(page, server)
    page.wait_for_selector(".lla-comment .lla-note >> text=lin")
    time.sleep(0.2)
    assert [text for _, _, text, _ in backend.said()] == ["先别动"]
    assert len(set(tried)) == 1


@pytest.mark.exhaustive
def test_a_draft_survives_a_reload_until_it_is_added(page, serving, backend):
    visit(page, serving(backend))
    page.fill(".lla-comment-box", "写到一半")
    page.reload()
    page.wait_for_selector(".lla-text:not(:empty)")
    page.wait_for_function("document.querySelector('.lla-comment-box').value === '写到一半'")
    page.click(".lla-comment-panel >> text=add comment")
    eventually(lambda: [text for _, _, text, _ in backend.said()] == ["写到一半"])
    assert page.evaluate(DRAFTS) == 0


@pytest.mark.exhaustive
def test_every_document_has_its_own_comments(page, serving, backend):
    comments.add(backend.workspace, backend.ids[1], "在第二篇", user="mei")
    visit(page, serving(backend))
    assert shown(page) == []
    keys(page, "j")
    page.wait_for_selector(".lla-comment")
    assert shown(page) == ["在第二篇"]
    assert "mei" in page.inner_text(".lla-comment")
    keys(page, "k")
    page.wait_for_function("document.querySelectorAll('.lla-comment').length === 0")


@pytest.mark.exhaustive
def test_on_a_phone_a_comment_is_written_by_touch(phone, serving, backend):
    page = phone
    visit(page, serving(backend))
    page.wait_for_selector(".lla-desk .lla-bar")
    page.tap(".lla-desk .lla-bar >> nth=0")
    page.tap(".lla-popover [data-act=comment]")
    page.keyboard.type("好")
    page.tap(".lla-comment-panel >> text=add comment")
    eventually(lambda: backend.said() == [(0, 3, "好", False)])
    assert page.evaluate("document.documentElement.scrollWidth") <= 390

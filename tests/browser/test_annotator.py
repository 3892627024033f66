"""The annotator in a real browser: what a person does, and what Python and the screen have afterwards."""

from __future__ import annotations

import time
from threading import Event

import pytest

from core.text import Document, Span
from tests.browser.annotator_backend import MemoryBackend, backend_of
from tests.browser.gestures import Work, bars, drag, eventually, found, keys, place, saved, select, visit

pytestmark = pytest.mark.browser

TEXT = "沈知微先生在青岛海川能源公司担任总经理。"
HOSTILE = "<img src=x onerror=window.hit=1> ${window.hit=2} {{window.hit}} `${1}` \\u0041 and plain words."
TAGGED = {1: [Span(6, 8, "LOC", 0.62), Span(16, 19, "TITLE", 0.93), Span(0, 3, "NAME", None)]}


def test_dragging_over_text_and_pressing_a_key_makes_a_span(page, serving):
    server = visit(page, serving(backend_of(TEXT)))
    drag(page, 0, 3, "1")
    saved(page)
    assert found(server.backend) == [(0, 3, "NAME")]
    assert bars(page, "person") == ["person:0:3:NAME"]


@pytest.mark.exhaustive
def test_a_key_labels_what_is_selected_before_the_browser_has_told_of_it(page, serving):
    """The event of a new selection waits behind keys: on a busy page the key comes first."""
    server = visit(page, serving(backend_of(TEXT)))
    page.evaluate(
        """() => {
          const text = document.querySelector(".lla-desk .lla-text");
          const letters = document.createTreeWalker(text, NodeFilter.SHOW_TEXT).nextNode();
          document.getSelection().setBaseAndExtent(letters, 8, letters, 14);
          const key = { key: "2", code: "Digit2", bubbles: true, cancelable: true };
          text.dispatchEvent(new KeyboardEvent("keydown", key));
        }"""
    )
    saved(page)
    assert found(server.backend) == [(8, 14, "ORG")]


@pytest.mark.exhaustive
def test_the_menu_at_a_selection_labels_it(page, serving):
    server = visit(page, serving(backend_of(TEXT)))
    drag(page, 8, 14)
    page.click(".lla-popover .lla-label-chip >> text=ORG")
    saved(page)
    assert found(server.backend) == [(8, 14, "ORG")]


@pytest.mark.exhaustive
def test_in_a_flat_project_a_label_over_another_asks_first(page, serving):
    backend = backend_of(TEXT)
    backend.nested = False
    backend.spans[1] = [Span(6, 14, "ORG")]
    server = visit(page, serving(backend))
    drag(page, 6, 8, "4")
    assert page.locator(".lla-dialog li").all_inner_texts() == ["青岛海川能源公司 ORG"]
    keys(page, "Escape")
    assert found(server.backend) == [(6, 14, "ORG")]
    drag(page, 6, 8, "4")
    page.click(".lla-dialog [data-act=keep_both]")
    eventually(lambda: sorted(found(server.backend)) == [(6, 8, "LOC"), (6, 14, "ORG")])
    keys(page, "Control+z")
    eventually(lambda: found(server.backend) == [(6, 14, "ORG")])
    drag(page, 6, 8, "4", "Enter")
    eventually(lambda: found(server.backend) == [(6, 8, "LOC")])
    keys(page, "Control+z")
    eventually(lambda: found(server.backend) == [(6, 14, "ORG")])


@pytest.mark.exhaustive
def test_the_label_bar_labels_a_selection(page, serving):
    server = visit(page, serving(backend_of(TEXT)))
    drag(page, 6, 8)
    page.click(".lla-labels [data-label=LOC]")
    saved(page)
    assert found(server.backend) == [(6, 8, "LOC")]


def test_everything_works_from_the_keyboard_alone(page, serving):
    server = visit(page, serving(backend_of(TEXT)))
    page.focus(".lla-desk .lla-text")
    keys(page, "Home", *["Shift+ArrowRight"] * 3, "1")
    saved(page)
    assert found(server.backend) == [(0, 3, "NAME")]
    keys(page, "Tab")
    assert page.evaluate("document.activeElement.dataset.key") == "person:0:3:NAME"
    keys(page, "]")
    eventually(lambda: found(server.backend) == [(0, 4, "NAME")])
    keys(page, "Shift+]", "Shift+[")
    eventually(lambda: found(server.backend) == [(1, 3, "NAME")])
    keys(page, "[", "3")
    eventually(lambda: found(server.backend) == [(0, 3, "TITLE")])
    keys(page, "Delete")
    eventually(lambda: found(server.backend) == [])
    keys(page, "Control+z")
    eventually(lambda: found(server.backend) == [(0, 3, "TITLE")])


@pytest.mark.exhaustive
def test_alt_and_arrows_move_by_lattice_word(page, serving):
    backend = backend_of(TEXT)
    backend.lattice[1] = [[6, 8], [8, 10], [8, 14]]
    visit(page, serving(backend))
    page.wait_for_selector(".lla-word >> text=海川能源公司")
    page.focus(".lla-desk .lla-text")
    keys(page, "Home", "Alt+ArrowRight", "Shift+Alt+ArrowRight", "4")
    saved(page)
    assert found(backend) == [(6, 8, "LOC")]


@pytest.mark.exhaustive
def test_a_double_click_takes_the_longest_lattice_word(page, serving):
    backend = backend_of(TEXT)
    backend.lattice[1] = [[6, 8], [8, 10], [8, 14]]
    visit(page, serving(backend))
    page.wait_for_selector(".lla-word >> text=青岛")
    left, _, y = place(page, 9, 10)
    page.mouse.dblclick(left + 6, y)
    keys(page, "2")
    saved(page)
    assert found(backend) == [(8, 14, "ORG")]


@pytest.mark.exhaustive
def test_nested_and_crossing_spans_lie_in_rows_of_their_own_the_shorter_nearer_the_text(page, serving):
    spans = (Span(6, 14, "ORG"), Span(6, 8, "LOC"), Span(11, 19, "TITLE"))
    visit(page, serving(backend_of(TEXT, *spans)))
    page.wait_for_selector(".lla-bar")
    tops = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('.lla-bar')]"
        ".map((bar) => [bar.dataset.key, parseFloat(bar.style.top)]))"
    )
    assert tops["person:6:8:LOC"] < tops["person:6:14:ORG"] < tops["person:11:19:TITLE"]


@pytest.mark.exhaustive
def test_a_label_never_covers_its_neighbour(page, serving):
    spans = tuple(Span(at, at + 1, "TITLE") for at in range(12))
    visit(page, serving(backend_of(TEXT, *spans)))
    page.wait_for_selector(".lla-bar")
    boxes = page.eval_on_selector_all(
        ".lla-chip",
        "all => all.map((c) => c.getBoundingClientRect()).map((b) => [b.left, b.right, b.top, b.bottom])",
    )
    assert len(boxes) == 12
    for index, (left, right, top, bottom) in enumerate(boxes):
        for other_left, other_right, other_top, other_bottom in boxes[index + 1 :]:
            apart = right <= other_left or other_right <= left or bottom <= other_top or other_bottom <= top
            assert apart


@pytest.mark.exhaustive
def test_clicking_a_bar_offers_to_relabel_move_and_delete_it(page, serving):
    server = visit(page, serving(backend_of(TEXT, Span(0, 3, "NAME"))))
    page.click(".lla-bar")
    page.click(".lla-popover .lla-label-chip >> text=TITLE")
    eventually(lambda: found(server.backend) == [(0, 3, "TITLE")])
    page.click(".lla-bar")
    page.click(".lla-popover [aria-label='Move the right boundary outward']")
    eventually(lambda: found(server.backend) == [(0, 4, "TITLE")])
    page.click(".lla-popover .lla-button >> text=delete")
    eventually(lambda: found(server.backend) == [])
    assert page.evaluate("document.activeElement.className") == "lla-text"


@pytest.mark.exhaustive
def test_undo_and_redo_walk_through_the_edits(page, serving):
    server = visit(page, serving(backend_of(TEXT)))
    drag(page, 0, 3, "1")
    drag(page, 6, 8, "4")
    eventually(lambda: found(server.backend) == [(0, 3, "NAME"), (6, 8, "LOC")])
    keys(page, "Control+z", "Control+z")
    eventually(lambda: found(server.backend) == [])
    keys(page, "Control+Shift+z")
    eventually(lambda: found(server.backend) == [(0, 3, "NAME")])


def test_enter_accepts_the_focused_suggestion_and_goes_to_the_next(page, serving):
    server = visit(page, serving(backend_of(TEXT, suggestions=TAGGED)))
    page.focus(".lla-desk .lla-tagger")
    keys(page, "Enter")
    eventually(lambda: found(server.backend) == [(6, 8, "LOC")])
    assert page.evaluate("document.activeElement.dataset.key") == "tagger:16:19:TITLE"
    keys(page, "x")
    eventually(lambda: [span.key for span in server.backend.rejected[1]] == [(16, 19, "TITLE")])
    assert bars(page, "tagger") == []
    assert bars(page, "dictionary") == ["dictionary:0:3:NAME"]


def test_accepting_all_takes_only_what_is_shown(page, serving):
    server = visit(page, serving(backend_of(TEXT, suggestions=TAGGED)))
    page.wait_for_selector(".lla-dictionary")
    page.eval_on_selector(
        ".lla-slider input",
        "slider => { slider.value = '0.9'; slider.dispatchEvent(new Event('input')); }",
    )
    page.uncheck(".lla-check:has(.lla-dictionary) input")
    keys(page, "Shift+Enter")
    saved(page)
    assert found(server.backend) == [(16, 19, "TITLE")]


def test_dropping_a_word_shows_what_changes(page, serving):
    backend = backend_of(TEXT, suggestions={1: [Span(6, 8, "LOC", 0.62), Span(16, 19, "TITLE", 0.93)]})
    backend.lattice[1] = [[6, 8], [16, 19]]
    visit(page, serving(backend))
    page.click(".lla-word >> text=总经理")
    page.wait_for_selector(".lla-effect li")
    assert page.inner_text(".lla-effect li") == "TITLE 总经理 .93 is lost"
    assert backend.asked == [("总经理",)]
    page.click(".lla-effect .lla-button")
    page.wait_for_function("document.querySelector('.lla-effect').childElementCount === 0")
    assert sorted(bars(page, "tagger")) == ["tagger:16:19:TITLE", "tagger:6:8:LOC"]


def test_characters_above_u_ffff_have_the_offsets_python_gives_them(page, serving):
    text, surface = "👩‍👩‍👧和𠮷", "𠮷"
    server = visit(page, serving(backend_of(text)))
    units = len(text[: text.index(surface)].encode("utf-16-le")) // 2
    drag(page, units, units + len(surface.encode("utf-16-le")) // 2, "2")
    saved(page)
    (span,) = server.backend.spans[1]
    assert text[span.start : span.end] == surface


@pytest.mark.exhaustive
def test_keys_step_over_whole_characters(page, serving):
    server = visit(page, serving(backend_of("👩‍👩‍👧和𠮷")))
    page.focus(".lla-desk .lla-text")
    keys(page, "Home", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "1")
    saved(page)
    assert found(server.backend) == [(6, 7, "NAME")]


def test_hostile_text_is_only_ever_text(page, serving):
    hostile_label = [Span(0, 5, "NAME", 0.5)]
    visit(page, serving(backend_of(HOSTILE, suggestions={1: hostile_label})))
    page.wait_for_selector(".lla-bar")
    page.click(".lla-bar")
    drag(page, 0, 20, "1")
    saved(page)
    page.click("[data-action=history]")
    page.wait_for_selector(".lla-dialog[open]")
    assert page.text_content(".lla-desk .lla-text") == HOSTILE
    assert page.evaluate("window.hit") is None
    assert page.locator("#annotator img").count() == 0


@pytest.mark.exhaustive
def test_typing_in_the_search_box_labels_nothing_and_finds_one_character(page, serving):
    server = visit(page, serving(backend_of(TEXT, Span(0, 3, "NAME"))))
    page.fill(".lla-filters input", "二")
    page.wait_for_function("document.querySelectorAll('.lla-document').length === 1")
    page.focus(".lla-filters input")
    keys(page, "1", "d", "x")
    time.sleep(0.3)
    assert server.backend.saves == []


def test_j_and_k_move_between_documents_and_d_marks_done(page, serving):
    server = visit(page, serving(backend_of(TEXT)))
    page.wait_for_selector(".lla-document[aria-current]")
    keys(page, "j")
    page.wait_for_function("document.querySelector('.lla-desk .lla-text').textContent.startsWith('第二')")
    keys(page, "k")
    page.wait_for_function("document.querySelector('.lla-desk .lla-text').textContent.startsWith('沈知微')")
    keys(page, "d")
    page.wait_for_function("document.querySelector('.lla-desk .lla-text').textContent.startsWith('第二')")
    eventually(lambda: server.backend.statuses[1] == "done")
    assert page.inner_text(".lla-document .lla-status >> nth=0") == "✓"


@pytest.mark.exhaustive
def test_a_loading_list_is_not_reported_as_empty(page, serving):
    backend, given = backend_of(TEXT), Event()
    listed = backend.list_queue
    backend.list_queue = lambda session, query: listed(session, query) if given.wait(10) else {}
    visit(page, serving(backend))
    keys(page, "j")
    assert page.inner_text(".lla-list") == ""
    given.set()
    page.wait_for_function("document.querySelector('.lla-desk .lla-text').textContent.startsWith('第二')")


@pytest.mark.exhaustive
def test_a_click_in_the_queue_keeps_the_focus(page, serving):
    documents = [Document(str(number), f"第{number}篇文档。") for number in range(1, 71)]
    visit(page, serving(MemoryBackend(documents)))
    page.click(".lla-document >> nth=2")
    page.wait_for_function("document.activeElement.textContent === '第3篇文档。'")
    keys(page, "d")
    page.wait_for_function("document.activeElement.textContent === '第4篇文档。'")
    page.click(".lla-more")
    page.wait_for_function("document.querySelectorAll('.lla-document').length === 70")
    assert page.evaluate("document.activeElement.dataset.document") == "51"


@pytest.mark.exhaustive
def test_the_list_of_keys_opens_holds_the_focus_and_closes(page, serving):
    visit(page, serving(backend_of(TEXT)))
    keys(page, "?")
    page.wait_for_selector(".lla-dialog[open]")
    keys(page, "Tab", "Tab", "Tab")
    assert page.evaluate("!document.activeElement.closest('.lla-grid-page')")
    keys(page, "Escape")
    assert page.locator(".lla-dialog[open]").count() == 0


@pytest.mark.exhaustive
def test_keys_of_a_composition_are_left_to_the_input_method(page, serving):
    server = visit(page, serving(backend_of(TEXT)))
    drag(page, 0, 3)
    press = "event => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', event))"
    page.evaluate(press, {"key": "1", "isComposing": True, "bubbles": True})
    time.sleep(0.2)
    assert server.backend.saves == []
    page.evaluate(press, {"key": "1", "isComposing": False, "bubbles": True})
    saved(page)


@pytest.mark.exhaustive
def test_the_three_steps_of_a_first_visit_stay_closed(page, serving):
    visit(page, serving(backend_of(TEXT)))
    page.click(".lla-steps button[aria-label]")
    page.reload()
    page.wait_for_selector(".lla-text:not(:empty)")
    assert page.locator(".lla-steps:visible").count() == 0


@pytest.mark.exhaustive
def test_an_empty_project_says_what_to_do(page, serving):
    server = serving(MemoryBackend([]))
    page.goto(server.url)
    page.wait_for_selector(".lla-empty:visible")
    assert page.locator(".lla-empty button").count() == 2


@pytest.mark.exhaustive
@pytest.mark.parametrize(("suggestions", "waiting"), [(TAGGED, "accept"), ({}, "ask_tagger")])
def test_on_a_phone_the_toolbar_is_one_row_and_the_rest_is_behind_the_dots(
    page, serving, suggestions, waiting
):
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, serving(backend_of(TEXT, suggestions=suggestions)))
    row = page.evaluate(
        """[...document.querySelectorAll(".lla-toolbar .lla-button")]
          .filter((one) => one.checkVisibility())
          .map((one) => [one.dataset.action, Math.round(one.getBoundingClientRect().top)])"""
    )
    assert [name for name, _ in row] == [waiting, "undo", "previous", "next", "done", "seldom"]
    assert len({top for _, top in row}) == 1
    page.click("[data-action=seldom]")
    assert page.get_attribute("[data-action=seldom]", "aria-expanded") == "true"
    page.click("[data-action=keys]")
    page.wait_for_selector("dialog[open]")


def test_on_a_phone_the_labels_are_under_the_thumb_and_big_enough(page, serving):
    page.set_viewport_size({"width": 390, "height": 844})
    server = visit(page, serving(backend_of(TEXT, Span(0, 3, "NAME"))))
    boxes = page.eval_on_selector_all(
        ".lla-label, .lla-toolbar .lla-button, .lla-queue summary",
        "all => all.filter((item) => item.checkVisibility()).map((item) => item.getBoundingClientRect())"
        ".map((b) => [b.width, b.height])",
    )
    assert all(width >= 40 and height >= 40 for width, height in boxes)
    bar = page.eval_on_selector(".lla-labels", "bar => bar.getBoundingClientRect().bottom")
    assert bar == 844
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    select(page, 6, 8)
    page.click(".lla-label[data-label=LOC]")
    saved(page)
    assert found(server.backend) == [(0, 3, "NAME"), (6, 8, "LOC")]


@pytest.mark.exhaustive
def test_an_edit_of_a_long_document_lays_out_the_page_a_few_times(page, serving):
    text = "沈知微先生在青岛海川能源公司担任总经理。" * 260
    spans = [Span(at, at + 3, "NAME") for at in range(0, len(text) - 4, 17)]
    visit(page, serving(backend_of(text, *spans)))
    page.wait_for_selector(".lla-bar")
    # Bars are drawn near the window only: the last span has its bar once it is scrolled to.
    assert 50 < page.locator(".lla-chip").count() < len(spans)
    page.locator(".lla-desk .lla-block").last.scroll_into_view_if_needed()
    page.wait_for_selector(f".lla-desk [data-key='person:{spans[-1].start}:{spans[-1].end}:NAME']")
    work = Work(page)
    page.evaluate(
        """async () => {
          const root = document.querySelector('.lla-desk .lla-text');
          root.focus();
          const press = (key, more = {}) => document.activeElement.dispatchEvent(
            new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
          press('Home');
          for (let edit = 0; edit < 5; edit += 1) {
            press('ArrowRight', { shiftKey: true });
            press('2');
            await new Promise(requestAnimationFrame);
          }
        }"""
    )
    assert work.layouts() < 150  # some six for an edit; one for each mark would be hundreds

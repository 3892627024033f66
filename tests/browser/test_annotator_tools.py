"""Ways of selecting and labelling: granularity, a label that stays chosen, handles, keys."""

from __future__ import annotations

import time

import pytest

from app.ui.annotation.saving import label_objects
from core.text import Label, LabelSet, Span
from tests.browser.annotator_backend import backend_of
from tests.browser.gestures import bars, drag, eventually, found, keys, place, saved, select, visit

pytestmark = pytest.mark.browser

TEXT = "沈知微先生在青岛海川能源公司担任总经理。她去年离开。后来呢？"
LATTICE = [[0, 3], [6, 8], [8, 10], [8, 14], [10, 12], [16, 19]]


def lattice_backend(*spans, **options):
    backend = backend_of(TEXT, *spans, **options)
    backend.lattice[1] = LATTICE
    return backend


def ready(page, server):
    visit(page, server)
    page.wait_for_selector(".lla-word >> text=海川能源公司")


def click(page, start, times):
    left, right, y = place(page, start, start + 1)
    page.mouse.click((left + right) / 2, y, click_count=times)


def wait_until_idle(page):
    """What the page does after the button is up is done."""
    page.evaluate("() => new Promise((done) => setTimeout(done, 30))")


# ---------------------------------------------------------------- granularity


@pytest.mark.exhaustive
def test_by_word_a_sloppy_drag_takes_whole_lattice_words(page, serving):
    server = serving(lattice_backend())
    ready(page, server)
    page.click(".lla-grain[data-grain=word]")
    assert page.get_attribute(".lla-grain[data-grain=word]", "aria-checked") == "true"
    drag(page, 7, 10)
    wait_until_idle(page)
    keys(page, "2")
    saved(page)
    assert found(server.backend) == [(6, 14, "ORG")]


@pytest.mark.exhaustive
def test_a_word_that_no_tagger_reads_is_selected_and_labelled(page, serving):
    backend = lattice_backend()
    backend.read = False
    server = serving(backend)
    ready(page, server)
    assert page.inner_text(".lla-words .lla-note") == "Dictionary words here:"
    page.click(".lla-word >> text=海川能源公司")
    page.locator(".lla-popover").wait_for(state="visible")
    keys(page, "2")
    saved(page)
    assert found(server.backend) == [(8, 14, "ORG")]
    assert backend.asked == [], "no tagger is asked"


@pytest.mark.exhaustive
def test_g_cycles_the_unit_and_arrows_move_by_it(page, serving):
    server = serving(lattice_backend())
    ready(page, server)
    page.focus(".lla-desk .lla-text")
    keys(page, "g", "Home", "Shift+ArrowRight", "1")
    eventually(lambda: found(server.backend) == [(0, 3, "NAME")])
    keys(page, "g", "Home", "Shift+ArrowRight", "3")
    eventually(lambda: (0, 20, "TITLE") in found(server.backend))
    keys(page, "Shift+G", "End", "Shift+ArrowLeft", "Shift+ArrowLeft", "4")
    eventually(lambda: any(label == "LOC" for _, _, label in found(server.backend)))
    keys(page, "g", "g")
    assert page.get_attribute(".lla-grain[data-grain=character]", "aria-checked") == "true"


@pytest.mark.exhaustive
def test_a_double_click_takes_the_longest_lattice_word_and_a_triple_click_the_sentence(page, serving):
    server = serving(lattice_backend())
    ready(page, server)
    click(page, 11, 2)
    wait_until_idle(page)
    keys(page, "2")
    eventually(lambda: found(server.backend) == [(8, 14, "ORG")])
    click(page, 22, 3)
    wait_until_idle(page)
    keys(page, "1")
    eventually(lambda: found(server.backend) == [(8, 14, "ORG"), (20, 26, "NAME")])


@pytest.mark.exhaustive
def test_where_the_lattice_has_no_word_a_double_click_takes_that_of_the_language(page, serving):
    server = visit(page, serving(backend_of("Ada Lovelace wrote notes.")))
    click(page, 6, 2)
    wait_until_idle(page)
    keys(page, "1")
    saved(page)
    assert found(server.backend) == [(4, 12, "NAME")]


# ---------------------------------------------------------------- a label that stays chosen


@pytest.mark.exhaustive
def test_a_label_clicked_with_nothing_selected_labels_every_selection_until_it_is_released(page, serving):
    server = serving(lattice_backend())
    ready(page, server)
    page.click(".lla-label[data-label=LOC]")
    assert page.get_attribute(".lla-label[data-label=LOC]", "aria-pressed") == "true"
    assert "LOC" in page.inner_text(".lla-holding")
    drag(page, 6, 8)
    eventually(lambda: found(server.backend) == [(6, 8, "LOC")])
    drag(page, 8, 10)
    eventually(lambda: found(server.backend) == [(6, 8, "LOC"), (8, 10, "LOC")])
    page.click(".lla-holding [data-act=release]")
    assert page.inner_text(".lla-holding") == ""
    drag(page, 16, 19)
    wait_until_idle(page)
    assert page.locator(".lla-popover:visible").count() == 1
    assert len(found(server.backend)) == 2


@pytest.mark.exhaustive
def test_shift_and_a_labels_key_keep_it_and_enter_labels_what_keys_selected(page, serving):
    server = serving(lattice_backend())
    ready(page, server)
    page.focus(".lla-desk .lla-text")
    keys(page, "Shift+Digit1", "Home", "Shift+ArrowRight", "Shift+ArrowRight", "Enter")
    eventually(lambda: found(server.backend) == [(0, 2, "NAME")])
    keys(page, "Shift+ArrowRight", "Enter")
    eventually(lambda: found(server.backend) == [(0, 2, "NAME"), (2, 3, "NAME")])
    keys(page, "Escape")
    assert page.inner_text(".lla-holding") == ""


@pytest.mark.exhaustive
def test_a_kept_label_waits_whether_a_double_click_becomes_a_triple_one(page, serving):
    server = serving(lattice_backend())
    ready(page, server)
    keys(page, "Shift+Digit2")
    click(page, 22, 3)
    eventually(lambda: found(server.backend) == [(20, 26, "ORG")])
    click(page, 11, 2)
    eventually(lambda: found(server.backend) == [(8, 14, "ORG"), (20, 26, "ORG")])


@pytest.mark.exhaustive
def test_a_third_click_that_comes_late_takes_the_sentence_in_place_of_the_word(page, serving):
    server = serving(lattice_backend())
    ready(page, server)
    keys(page, "Shift+Digit2")
    click(page, 22, 2)
    eventually(lambda: len(found(server.backend)) == 1 and found(server.backend) != [(20, 26, "ORG")])
    page.mouse.down(click_count=3)
    page.mouse.up(click_count=3)
    eventually(lambda: found(server.backend) == [(20, 26, "ORG")])
    keys(page, "Control+z")
    eventually(lambda: found(server.backend) == [])


@pytest.mark.exhaustive
def test_keeping_a_label_moves_nothing_on_the_page(page, serving):
    server = serving(lattice_backend(Span(0, 3, "NAME")))
    ready(page, server)
    where = "() => JSON.stringify(document.querySelector('.lla-desk .lla-text').getBoundingClientRect())"
    before = page.evaluate(where)
    page.click(".lla-label[data-label=LOC]")
    assert page.evaluate(where) == before
    page.click(".lla-bar")
    assert page.evaluate(where) == before


# ---------------------------------------------------------------- handles


def knob(page, side):
    box = page.locator(f".lla-knob-{side}").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


@pytest.mark.exhaustive
def test_the_ends_of_the_focused_span_are_pulled_with_the_mouse(page, serving):
    server = serving(lattice_backend(Span(6, 8, "ORG")))
    ready(page, server)
    page.focus(".lla-desk .lla-bar")
    x, y = knob(page, "end")
    _, right, _ = place(page, 13, 14)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move((x + right) / 2, y, steps=3)
    assert page.locator(".lla-preview i").count() == 1, "where it would be is shown before it is done"
    assert found(server.backend) == [(6, 8, "ORG")]
    page.mouse.move(right, y, steps=3)
    page.mouse.up()
    eventually(lambda: found(server.backend) == [(6, 14, "ORG")])
    assert page.locator(".lla-preview i").count() == 0
    assert bars(page, "person") == ["person:6:14:ORG"]
    x, y = knob(page, "start")
    left, _, _ = place(page, 8, 9)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(left, y, steps=4)
    page.mouse.up()
    eventually(lambda: found(server.backend) == [(8, 14, "ORG")])
    keys(page, "Control+z", "Control+z")
    eventually(lambda: found(server.backend) == [(6, 8, "ORG")])


@pytest.mark.exhaustive
def test_escape_lets_go_of_a_handle_and_an_end_cannot_pass_the_other(page, serving):
    server = serving(lattice_backend(Span(6, 8, "ORG")))
    ready(page, server)
    page.focus(".lla-desk .lla-bar")
    x, y = knob(page, "end")
    far, _, _ = place(page, 2, 3)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(far, y, steps=6)
    keys(page, "Escape")
    page.mouse.up()
    wait_until_idle(page)
    assert server.backend.saves == []
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(far, y, steps=12)
    page.mouse.up()
    eventually(lambda: found(server.backend) == [(6, 7, "ORG")])


@pytest.mark.exhaustive
def test_a_drag_from_a_letter_beside_the_focused_span_is_a_new_selection(page, serving):
    server = visit(page, serving(backend_of("郭晓东，男，汉族。", Span(0, 3, "NAME"))))
    page.click(".lla-desk .lla-bar")
    left, _, y = place(page, 3, 4)
    assert page.locator(".lla-knob:visible").count() == 2
    drag(page, 3, 6)
    wait_until_idle(page)
    assert page.evaluate("() => String(document.getSelection())") == "，男，"
    assert found(server.backend) == [(0, 3, "NAME")]
    page.click(".lla-desk .lla-bar")
    touched = """([left, y]) => [0, 4, 8].flatMap((right) => [-12, -6, 0, 6, 12].map((down) =>
        document.elementFromPoint(left + 1 + right, y + down).className))"""
    assert set(page.evaluate(touched, [left, y])) == {"lla-text"}


@pytest.mark.exhaustive
def test_after_escape_no_handle_is_left(page, serving):
    server = visit(page, serving(backend_of("郭晓东，男，汉族。", Span(0, 3, "NAME"), Span(6, 8, "LOC"))))
    page.click(".lla-desk .lla-bar")
    x, y = knob(page, "end")
    keys(page, "Escape")
    assert page.locator(".lla-popover:visible, .lla-knob:visible, .lla-bar:focus").count() == 0
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y, steps=4)
    page.mouse.up()
    keys(page, "]", "Backspace")
    wait_until_idle(page)
    assert server.backend.saves == []
    page.click(".lla-desk .lla-bar")
    keys(page, "Escape", "Tab")
    assert page.get_attribute(".lla-bar:focus", "data-key") == "person:6:8:LOC", "Tab goes on from there"


@pytest.mark.exhaustive
def test_by_word_a_pulled_end_takes_whole_words(page, serving):
    server = serving(lattice_backend(Span(6, 8, "ORG")))
    ready(page, server)
    page.click(".lla-grain[data-grain=word]")
    page.focus(".lla-desk .lla-bar")
    x, y = knob(page, "end")
    _, right, _ = place(page, 9, 10)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(right, y, steps=4)
    page.mouse.up()
    eventually(lambda: found(server.backend) == [(6, 14, "ORG")])


@pytest.mark.exhaustive
def test_a_finger_pulls_an_end_too(phone, serving):
    server = visit(phone, serving(lattice_backend(Span(6, 8, "ORG"))))
    phone.wait_for_selector(".lla-bar")
    phone.evaluate("() => document.querySelector('.lla-desk .lla-bar').focus()")
    x, y = knob(phone, "end")
    _, right, _ = place(phone, 9, 10)
    finger = phone.context.new_cdp_session(phone)
    send = "Input.dispatchTouchEvent"
    finger.send(send, {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for part in (0.3, 0.7, 1):
        finger.send(send, {"type": "touchMove", "touchPoints": [{"x": x + (right - x) * part, "y": y}]})
    finger.send(send, {"type": "touchEnd", "touchPoints": []})
    eventually(lambda: found(server.backend) == [(6, 10, "ORG")])


def test_by_touch_a_tap_takes_a_word_and_a_kept_label_labels_it(phone, serving):
    backend = lattice_backend()
    visit(phone, serving(backend))
    phone.wait_for_selector(".lla-word >> text=海川能源公司")
    phone.tap(".lla-grain[data-grain=word]")
    phone.tap(".lla-label[data-label=LOC]")
    left, right, y = place(phone, 7, 8)
    phone.touchscreen.tap((left + right) / 2, y)
    eventually(lambda: found(backend) == [(6, 8, "LOC")])


@pytest.mark.exhaustive
def test_by_touch_a_selection_that_has_settled_gets_the_kept_label(phone, serving):
    server = visit(phone, serving(lattice_backend()))
    phone.tap(".lla-label[data-label=NAME]")
    left, right, y = place(phone, 0, 1)
    phone.touchscreen.tap((left + right) / 2, y)
    select(phone, 0, 3)
    time.sleep(0.3)
    assert server.backend.saves == [], "the fingers may still be at work"
    eventually(lambda: found(server.backend) == [(0, 3, "NAME")])


# ---------------------------------------------------------------- keys


@pytest.mark.exhaustive
def test_the_list_of_keys_is_grouped_and_names_every_command(page, serving):
    server = serving(lattice_backend())
    ready(page, server)
    keys(page, "?")
    page.wait_for_selector(".lla-dialog[open]")
    heads = page.locator(".lla-key-group h3").all_inner_texts()
    assert heads == [
        "Move and select",
        "Labels",
        "Spans",
        "Suggestions",
        "Suggestions one by one",
        "Documents",
        "Everywhere on this page",
    ]
    listed = " ".join(page.locator(".lla-key-group kbd").all_inner_texts())
    for key in (
        "g",
        "o",
        "r",
        "c",
        "j",
        "k",
        "d",
        "x",
        "?",
        "Enter",
        "Shift + 1 2 3 …",
        "Ctrl + Shift + Z",
    ):
        assert key in listed
    assert "annotate." not in page.inner_text(".lla-dialog"), "every key has its words"


@pytest.mark.exhaustive
def test_a_guideline_keeps_its_paragraphs_and_lists(page, serving):
    backend = backend_of(TEXT)
    described = label_objects(LabelSet([Label("NAME", "#0072B2", "1", GUIDELINE)]))
    plain = backend.state
    backend.state = lambda number: plain(number) | {"labels": described}
    visit(page, serving(backend))
    page.hover(".lla-label[data-label=NAME]")
    box = page.locator(".lla-guideline")
    assert box.locator("p").all_inner_texts() == ["A person.", "Ask <b>if</b> unsure."]
    assert box.locator("ul li").all_inner_texts() == ["no titles", "no initials"]
    assert box.locator("ol li").all_inner_texts() == ["first", "second"]
    assert box.locator("b").count() == 0


GUIDELINE = "A person.\n\n- no titles\n* no initials\n1. first\n2. second\n\nAsk <b>if</b> unsure."


@pytest.mark.exhaustive
def test_a_project_without_labels_says_where_they_are_made(page, serving):
    backend = backend_of(TEXT)
    plain = backend.state
    backend.state = lambda number: plain(number) | {"labels": []}
    visit(page, serving(backend))
    assert "no labels yet" in page.inner_text(".lla-guideline")
    assert page.locator(".lla-guideline button").count() == 1

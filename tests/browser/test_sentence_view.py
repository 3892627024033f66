"""The read-only sentence: drawn like the annotator's, told when clicked, readable in both themes."""

from __future__ import annotations

from typing import Any

import gradio as gr
import pytest

from app.ui.widgets.sentence import sentence_row, sentence_value, sentence_view, sentences_value
from core.text import LABEL_COLOURS, LabelSet, Span
from tests.browser.blocks_server import serve
from tests.browser.gestures import place_in

pytestmark = pytest.mark.browser

LABELS = LabelSet().extended([f"LABEL{number}" for number in range(len(LABEL_COLOURS))])
TEXT = "😀𠮷田工业在青岛设立研究院。" * 3


@pytest.fixture(scope="module")
def shown() -> Any:
    """A page with two sentences, a button that shows a third, and what was clicked."""
    spans = [Span(at, at + 2, name, 0.5) for at, name in zip(range(1, 25, 2), LABELS.names, strict=True)]
    rows = [
        sentence_row(TEXT, spans, id="a"),
        sentence_row("${window.hit=1}<b>", [Span(0, 2, "LABEL0")], id="b"),
    ]
    clicked: list[Any] = []

    def told(event: gr.SelectData) -> None:
        clicked.append((event.index, event.value))

    with gr.Blocks(analytics_enabled=False) as demo:
        view = sentence_view(sentences_value(rows, LABELS))
        other = gr.Button("other", elem_id="other")
        view.select(told, None, None, api_visibility="private")
        other.click(
            lambda: sentence_value("另一句。", [Span(0, 2, "LABEL1")], LABELS),
            None,
            view,
            api_visibility="private",
        )
    yield serve(demo), clicked
    demo.close(verbose=False)


def open_at(page, url: str) -> None:
    page.goto(url)
    page.wait_for_selector(".lla-bar")


def after(page, clicked: list[Any], act) -> Any:
    clicked.clear()
    act()
    for _ in range(100):
        if clicked:
            return clicked[0]
        page.wait_for_timeout(20)
    raise AssertionError("nothing was clicked")


@pytest.mark.exhaustive
def test_a_click_on_a_bar_tells_its_span_in_code_points(page, shown):
    url, clicked = shown
    open_at(page, url)
    index, value = after(page, clicked, lambda: page.click("[data-key='tagger:1:3:LABEL0']"))
    assert index == [0, 1, 3]
    assert value == {"kind": "span", "row": 0, "id": "a", "start": 1, "end": 3, "label": "LABEL0"}
    assert TEXT[1:3] == "𠮷田"


@pytest.mark.exhaustive
def test_a_click_on_a_letter_tells_the_character(page, shown):
    url, clicked = shown
    open_at(page, url)
    left, right, y = place_in(page, ".lla-text >> nth=0", 2, 4)
    index, value = after(page, clicked, lambda: page.mouse.click((left + right) / 2, y))
    assert (index, value["kind"]) == ([0, 1, 2], "character")


@pytest.mark.exhaustive
def test_it_shows_what_python_gives_it_next_and_keeps_text_inert(page, shown):
    url, _ = shown
    open_at(page, url)
    assert page.text_content(".lla-text >> nth=1") == "${window.hit=1}<b>"
    page.click("#other")
    page.wait_for_function("document.querySelectorAll('.lla-text').length === 1")
    assert page.text_content(".lla-text") == "另一句。"
    assert page.text_content(".lla-chip") == "LABEL1"
    assert page.evaluate("window.hit") is None

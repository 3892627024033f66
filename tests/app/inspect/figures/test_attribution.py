"""The figure of what characters and words are worth: its numbers, signs and places."""

import numpy as np
import pytest

from app.inspect.figures.attribution import attribution_bars
from app.ui.figures.template import ACCENT, SECOND
from core.inspection.sentence.evidence import Evidence, WordContribution
from core.text import Span
from core.text.units import characters

TEXT = "陈禾在岭南市"
WORDS = [
    WordContribution("岭南", 3, 4, 0.4),
    WordContribution("岭南市", 3, 5, -0.1),
    WordContribution("在岭", 2, 3, 0.2),
]


def drawn(text, worth, words, span, language="en"):
    method = "words" if worth is None else "gradients"
    return attribution_bars(
        Evidence(method, text, span, (), characters(text), worth, tuple(words)), "unit", language
    )


def test_bars_are_the_characters_and_their_colour_is_their_sign():
    worth = np.array([0.0, -0.5, 0.1, 1.0, 2.0, -0.1])
    figure = drawn(TEXT, worth, [], Span(3, 6, "LOC"))
    (bars,) = figure.data
    np.testing.assert_array_equal(bars.y, worth)
    assert list(bars.marker.color) == [ACCENT, SECOND, ACCENT, ACCENT, ACCENT, SECOND]
    assert list(figure.layout.xaxis.ticktext) == list(TEXT)
    assert figure.layout.yaxis.title.text == "unit"


def test_words_are_lines_over_their_characters_at_the_height_of_their_worth():
    figure = drawn(TEXT, None, WORDS, Span(3, 6, "LOC"))
    supports, opposes = figure.data
    assert [value for value in supports.y if value is not None] == [0.4, 0.4, 0.2, 0.2]
    assert [value for value in supports.x if value is not None] == [2.65, 4.35, 1.65, 3.35]
    assert supports.y[2] is None, "a gap parts two words"
    assert [value for value in opposes.y if value is not None] == [-0.1, -0.1]
    assert (supports.line.color, opposes.line.color) == (ACCENT, SECOND)
    assert supports.marker.symbol != opposes.marker.symbol, "the sign is told by more than a colour"


@pytest.mark.parametrize("count", [5, 40, 200])
def test_every_character_is_written_under_its_bar_however_long_the_sentence_is(count):
    text = (TEXT * count)[:count]
    figure = drawn(text, np.zeros(count), [], Span(2, 4, "X"))
    axis = figure.layout.xaxis
    assert list(axis.tickvals) == list(figure.data[0].x) == list(range(count))
    assert list(axis.ticktext) == list(text)  # equal characters are not merged either
    assert axis.tickangle == 0
    assert figure.layout.meta["least_width"] > count * 14, "the browser leaves names out that have less room"
    assert figure.layout.meta["focus"] == pytest.approx(3 / count)


def test_a_word_that_hardly_counts_is_left_out():
    words = [WordContribution("岭南", 3, 4, 0.5), WordContribution("在岭", 2, 3, 0.001)]
    (only,) = drawn(TEXT, None, words, Span(3, 5, "LOC")).data
    assert set(only.customdata) == {"岭南"}


def test_what_hardly_counts_looks_so():
    words = [WordContribution("岭南", 3, 4, 0.001)]
    assert drawn(TEXT, None, words, Span(3, 5, "LOC")).layout.yaxis.range == (-0.1, 0.1)


def test_the_span_stands_on_a_shaded_ground():
    figure = drawn(TEXT, np.zeros(6), [], Span(3, 6, "LOC"))
    (ground,) = figure.layout.shapes
    assert (ground.x0, ground.x1) == (2.5, 5.5)


def test_markup_in_a_text_stays_text():
    figure = drawn("<b", np.zeros(2), [WordContribution("<b", 0, 1, 0.3)], Span(0, 1, "X"), "zh")
    assert list(figure.data[0].customdata) == ["&lt;", "b"]
    assert figure.data[1].customdata[0] == "&lt;b"

"""Overlapping windows: they read all of a text and little of it twice, and one decides about a span."""

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.text import Span
from core.text.overlap import (
    CONTEXT_SHARE,
    NEAR,
    WINDOW,
    Window,
    WindowSpans,
    overlapping_windows,
    reading_windows,
    shortest,
)
from core.text.segmentation import sentences
from core.text.units import boundaries, words

PIECES = st.sampled_from(["林晚晴", "在", "。", "，", "\n", " ", "a", "He. ", "😀", "清河大学"])
TEXTS = st.lists(PIECES, max_size=200).map("".join)
LIMITS = st.integers(1, 120)


@given(TEXTS, LIMITS)
@settings(deadline=None)
def test_windows_keep_the_limit_and_what_is_left_without_context_lies_end_to_end(text, limit):
    found = overlapping_windows(text, limit)
    assert [window.first for window in found] == [0, *(window.last for window in found)][: len(found)]
    assert not text or found[-1].last == len(text)
    for window in found:
        assert window.start <= window.first < window.last <= window.end
        assert window.end - window.start <= limit
    edges, context = [0, *boundaries(text), len(text)], limit // CONTEXT_SHARE
    for window, other in pairwise(found):
        # No further than the context; no word is cut, unless one is longer than that.
        cut = window.last
        behind = [edge for edge in edges if cut <= edge <= cut + context]
        before = [edge for edge in edges if cut - context <= edge <= cut]
        assert window.end == max(behind, default=cut + context)
        assert other.start == min(before, default=cut - context)


@given(TEXTS, LIMITS)
@settings(deadline=None)
def test_no_text_is_read_more_than_one_and_a_fifth_times(text, limit):
    assert sum(window.end - window.start for window in overlapping_windows(text, limit)) <= 1.2 * len(text)


def margin(window: Window, span: Span, length: int) -> float:
    """How far a span lies from the nearer edge of a window; the edges of the text are none."""
    if not (window.start <= span.start and span.end <= window.end):
        return -1
    left = math.inf if window.start == 0 else span.start - window.start
    right = math.inf if window.end == length else window.end - span.end
    return min(left, right)


@given(TEXTS, LIMITS, st.data())
@settings(deadline=None)
def test_the_window_in_which_a_span_lies_furthest_from_the_edge_decides(text, limit, data):
    if not text:
        return
    start = data.draw(st.integers(0, len(text) - 1))
    span = Span(start, data.draw(st.integers(start + 1, min(len(text), start + limit))), "X")
    found = overlapping_windows(text, limit)
    margins = [margin(window, span, len(text)) for window in found]
    deciding = [
        number for number, window in enumerate(found) if margins[number] >= 0 and window.decides(span)
    ]
    held = max(margins) >= 0
    assert deciding == ([margins.index(max(margins))] if held else [])
    assert held or len(span) > 2 * (limit // CONTEXT_SHARE)


USUAL = st.integers(1, 60)


@given(TEXTS, USUAL, st.integers(80, 200), st.booleans())
@settings(deadline=None)
def test_a_long_text_is_read_in_as_many_whole_sentences_as_are_usual(text, usual, limit, tokens):
    edges = [0, *boundaries(text), len(text)] if tokens else None
    found = reading_windows(text, limit, edges, usual)
    assert [window.first for window in found] == [0, *(window.last for window in found)][: len(found)]
    assert not text or found[-1].last == len(text)
    if len(text) <= 2 * usual:
        assert len(found) == min(1, len(text))
        return
    ends = {end for _, end in sentences(text)}
    cuts = [0, *(window.last for window in found if window.end == window.last and window.last in ends)]
    for start, end in pairwise(cuts):
        inside = [window for window in found if start <= window.first < end]
        if len(inside) == 1 and end - start <= limit:
            assert inside == [Window(start, end, start, end, start, end)], "read once, without context"
            assert end - start <= usual or sum(start < one <= end for one in ends) == 1 or edges is not None
        for window in inside:
            assert window.end - window.start <= limit


@given(TEXTS, USUAL, st.data())
@settings(deadline=None)
def test_one_window_decides_about_a_span_that_any_of_them_contains(text, usual, data):
    if not text:
        return
    start = data.draw(st.integers(0, len(text) - 1))
    span = Span(start, data.draw(st.integers(start + 1, len(text))), "X")
    found = reading_windows(text, 80, None, usual)
    holding = [window for window in found if window.start <= span.start and span.end <= window.end]
    assert sum(window.decides(span) for window in holding) == min(1, len(holding))


def test_no_token_is_cut_by_the_end_of_a_sentence():
    text = "Law. SE 赢了。" * 10
    edges = sorted({start + edge for start in range(0, len(text), 11) for edge in (0, 7, 8, 10, 11)})
    assert 5 in {window.last for window in reading_windows(text, usual=8)}
    assert {window.last % 11 for window in reading_windows(text, usual=8, edges=edges)} == {0}


def test_without_a_length_or_with_one_near_the_limit_windows_overlap():
    text = "林晚晴在清河大学教书。" * 100
    for usual in (None, int(WINDOW * NEAR) + 1, 10_000):
        assert reading_windows(text, usual=usual) == overlapping_windows(text)
    assert len(reading_windows(text, usual=int(WINDOW * NEAR))) > 1
    assert reading_windows(text, usual=int(WINDOW * NEAR)) != overlapping_windows(text)


def test_taggers_that_read_together_read_as_much_as_the_one_of_the_shortest_texts():
    assert (shortest([40, 30]), shortest([40, None]), shortest([])) == (30, None, None)


def test_a_cut_lies_at_the_end_of_a_sentence_if_there_is_one_near():
    sentence = "林晚晴在清河大学教书。"
    for window in overlapping_windows(sentence * 200)[:-1]:
        assert window.last % len(sentence) == 0
    clause = "林晚晴在清河大学教书，"
    assert overlapping_windows(clause * 200)[0].last % len(clause) == 0


@pytest.mark.parametrize("text", ["", "林", "林" * WINDOW])
def test_a_text_that_fits_is_read_at_once(text):
    assert overlapping_windows(text) == ([Window(0, len(text), 0, len(text))] if text else [])


def test_a_limit_below_one_is_refused():
    with pytest.raises(ValueError, match="at least 1 character, got 0"):
        overlapping_windows("林", 0)


def test_where_two_windows_contradict_each_other_the_earlier_is_believed_unless_spans_may_overlap():
    left, right = Window(0, 120, 0, 100), Window(80, 200, 100, 200)
    before, across, behind = Span(93, 105, "A"), Span(18, 30, "B"), Span(40, 42, "C")
    flat, nested = WindowSpans(nested=False), WindowSpans(nested=True)
    for spans in (flat, nested):
        assert spans.add(left, [before]) == [before]
        spans.add(right, [across, behind])
    assert flat.spans == [before, Span(120, 122, "C")]
    assert nested.spans == [before, Span(98, 110, "B"), Span(120, 122, "C")]


@given(
    st.lists(
        st.sampled_from(["Microsoft's", "U.S.", " ", "in", "e\u0301", "👨‍👩‍👧‍👦", "x" * 60, "-"]),
        max_size=400,
    )
)
@settings(deadline=None)
def test_no_window_cuts_a_word(pieces):
    text = "".join(pieces)
    whole = words(text)
    edges = {0, len(text), *whole.starts, *whole.ends}
    for window in overlapping_windows(text):
        part = words(text[window.start : window.end])
        assert {window.start + at for at in (*part.starts, *part.ends)} <= edges


def test_the_context_of_a_window_ends_with_a_word():
    text = "counterrevolutionaries " * 200
    for window, other in pairwise(overlapping_windows(text)):
        assert text[window.end - 1 : window.end + 1].count(" ") == 1
        assert text[other.start - 1 : other.start + 1].count(" ") == 1
        assert window.end > window.last >= other.first > other.start

"""Documents and spans: what is legal, what is refused, what stays as it was given."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import Document, OffsetError, Span, sort_spans

SPANS = st.builds(
    lambda start, length: Span(start, start + length, "X"), st.integers(0, 8), st.integers(1, 5)
)


@pytest.mark.parametrize(("start", "end"), [(-1, 1), (2, 2), (3, 1)])
def test_a_span_needs_an_extent(start, end):
    with pytest.raises(ValueError, match=f"start={start}, end={end}"):
        Span(start, end, "X")


def test_a_span_needs_a_label():
    with pytest.raises(ValueError, match="0-1 has an empty label"):
        Span(0, 1, "")


@given(SPANS, SPANS)
def test_how_two_spans_lie_is_how_their_characters_do(a, b):
    left, right = set(range(a.start, a.end)), set(range(b.start, b.end))
    assert a.overlaps(b) == bool(left & right)
    assert a.contains(b) == (right <= left)
    assert len(a) == len(left)


@given(st.lists(SPANS))
def test_reading_order_has_the_outer_span_first(spans):
    ordered = sort_spans(spans)
    assert sorted(map(id, ordered)) == sorted(map(id, spans))
    for place, span in enumerate(ordered):
        for later in ordered[place + 1 :]:
            assert span.start <= later.start
            assert not later.contains(span) or later.key == span.key


def test_a_score_is_no_part_of_what_makes_two_spans_one():
    assert Span(0, 1, "X", 0.5).key == Span(0, 1, "X").key
    assert Span(0, 1, "X").score is None


def test_a_span_that_ends_after_the_text_is_refused_by_name():
    with pytest.raises(
        OffsetError, match="document 'd1': span PER 0-9 ends after the text, which has 2 characters"
    ):
        Document("d1", "拜登", (Span(0, 9, "PER"),))


def test_a_surface_that_does_not_fit_is_refused_with_both_strings():
    document = Document("d1", "😀拜登", (Span(1, 3, "PER"),))
    document.check_surface(document.spans[0], "拜登")
    with pytest.raises(OffsetError, match="PER 1-3 should read '北京' but the text there is '拜登'"):
        document.check_surface(document.spans[0], "北京")


def test_a_document_keeps_the_order_of_its_spans_and_may_hold_nested_ones():
    spans = (Span(2, 3, "B"), Span(0, 3, "A"), Span(1, 3, "C"))
    assert Document("d", "abc", list(spans)).spans == spans


def test_meta_cannot_be_changed_from_either_side():
    given_ = {"source": "news"}
    document = Document("d", "abc", meta=given_)
    given_["source"] = "other"
    assert document.meta == {"source": "news"}
    with pytest.raises(TypeError):
        document.meta["source"] = "other"


@pytest.mark.parametrize("through", [copy.deepcopy, lambda document: pickle.loads(pickle.dumps(document))])
def test_a_document_can_be_copied_and_sent_to_another_process(through):
    document = Document("d", "abc", (Span(0, 1, "A", 0.5),), {"n": [1]})
    assert through(document) == document


def test_other_spans_on_the_same_text_leave_the_first_document_alone():
    document = Document("d", "abc", (Span(0, 1, "A"),), {"n": 1})
    other = document.with_spans([Span(1, 2, "B")])
    assert (other.id, other.text, other.meta, other.spans) == ("d", "abc", {"n": 1}, (Span(1, 2, "B"),))
    assert document.spans == (Span(0, 1, "A"),)

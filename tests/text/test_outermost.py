"""What a flat tagger keeps of nested and crossing spans."""

from hypothesis import given
from hypothesis import strategies as st

from core.text import Span
from core.text.outermost import has_overlap, outermost

SPANS = st.lists(
    st.builds(
        lambda start, size, label: Span(start, start + size, label),
        st.integers(0, 9),
        st.integers(1, 5),
        st.sampled_from("AB"),
    ),
    max_size=8,
)


def test_the_outer_of_two_nested_spans_stays():
    outer, inner = Span(4, 8, "ORG"), Span(4, 6, "LOC")
    assert outermost([inner, outer]) == ([outer], [inner])


def test_the_longer_of_two_crossing_spans_stays_else_the_first():
    assert outermost([Span(0, 3, "A"), Span(2, 6, "B")]) == ([Span(2, 6, "B")], [Span(0, 3, "A")])
    assert outermost([Span(2, 4, "A"), Span(1, 3, "B")]) == ([Span(1, 3, "B")], [Span(2, 4, "A")])


def test_of_equally_long_spans_the_likeliest_stays():
    likely, unlikely, unscored = Span(2, 4, "B", 0.9), Span(1, 3, "A", 0.4), Span(3, 5, "A")
    assert outermost([unlikely, likely, unscored]) == ([likely], [unlikely, unscored])


@given(SPANS)
def test_spans_overlap_if_two_of_them_share_a_character(spans):
    overlaps = any(a.overlaps(b) for i, a in enumerate(spans) for b in spans[i + 1 :])
    assert has_overlap(spans) == overlaps


@given(SPANS)
def test_kept_spans_share_no_character_and_nothing_is_lost(spans):
    kept, left_out = outermost(spans)
    assert not any(a.overlaps(b) for i, a in enumerate(kept) for b in kept[i + 1 :])
    assert sorted(map(repr, kept + left_out)) == sorted(map(repr, spans))
    assert all(any(span.overlaps(other) and len(other) >= len(span) for other in kept) for span in left_out)

"""Tag schemes against brute force: every short sequence of tags, read by the definition."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import Span
from core.text.tag_schemes import SCHEMES, OverlapError, decode, encode, malformed_positions

NAMES = sorted(SCHEMES)


@st.composite
def flat(draw):
    """A length and spans that do not overlap."""
    places = sorted(draw(st.lists(st.integers(0, 24), max_size=12, unique=True)))
    spans = [
        Span(a, b, draw(st.sampled_from("XYZ"))) for a, b in zip(places[::2], places[1::2], strict=False)
    ]
    return draw(st.integers(max(places, default=0), 30)), spans


@pytest.mark.parametrize("scheme", NAMES)
@given(flat())
def test_spans_survive_out_and_in_under_either_reading(scheme, drawn):
    length, spans = drawn
    tags = encode(spans, length, scheme)
    assert len(tags) == length
    assert malformed_positions(tags, scheme) == []
    assert decode(tags, scheme) == decode(tags, scheme, "repair") == spans


def legal_sequences(scheme, length, labels="XY"):
    """Every legal sequence of tags with its spans, made from every way to lay spans out."""
    found = {}
    for marks in product(range(3), repeat=length):  # 0 outside, 1 begins a span, 2 goes on
        if any(mark == 2 and (not place or marks[place - 1] == 0) for place, mark in enumerate(marks)):
            continue
        starts = [place for place, mark in enumerate(marks) if mark == 1]
        ends = [next((p for p in range(s + 1, length) if marks[p] != 2), length) for s in starts]
        for names in product(labels, repeat=len(starts)):
            spans = [Span(*item) for item in zip(starts, ends, names, strict=True)]
            found[tuple(encode(spans, length, scheme))] = spans
    return found


@pytest.mark.parametrize("scheme", NAMES)
@pytest.mark.parametrize("length", [1, 2, 3])
def test_exactly_the_encodings_of_spans_are_well_formed(scheme, length):
    legal = legal_sequences(scheme, length)
    for tags in product(SCHEMES[scheme].tags("XY"), repeat=length):
        assert (malformed_positions(tags, scheme) == []) == (tags in legal), tags
        if tags in legal:
            assert decode(tags, scheme) == decode(tags, scheme, "repair") == legal[tags]


def conlleval(tags):
    """Spans as conlleval.pl's startOfChunk and endOfChunk read them, over the roles B I E S."""
    spans, start, before, before_type = [], None, "O", ""
    for place, tag in enumerate([*tags, "O"]):
        role, _, name = tag.partition("-")
        role = {"M": "I", "L": "E", "U": "S"}.get(role, role)
        ends = before in "ES" or (before in "BI" and role in "BSO") or (before != "O" and before_type != name)
        starts = role in "BS" or (before in "ESO" and role in "EI") or (role != "O" and before_type != name)
        if start is not None and ends:
            spans.append(Span(start, place, before_type))
            start = None
        if starts:
            start = place
        before, before_type = role, name
    return spans


@pytest.mark.parametrize("scheme", NAMES)
def test_repair_reads_every_sequence_as_conlleval_does(scheme):
    for length in (1, 2, 3, 4):
        for tags in product(SCHEMES[scheme].tags("XY" if length < 4 else "X"), repeat=length):
            assert decode(tags, scheme, "repair") == conlleval(tags), tags


@pytest.mark.parametrize("scheme", NAMES)
def test_discard_keeps_only_spans_that_stand_there_whole(scheme):
    rules = SCHEMES[scheme]
    for tags in product(rules.tags("XY"), repeat=3):
        repaired = decode(tags, scheme, "repair")
        for span in decode(tags, scheme):
            assert list(tags[span.start : span.end]) == rules.segment(len(span), span.label)
            assert span in repaired


def test_overlapping_spans_and_spans_past_the_end_are_refused_by_name():
    with pytest.raises(OverlapError, match="span Y 1-3 overlaps"):
        encode([Span(0, 2, "X"), Span(1, 3, "Y")], 3)
    with pytest.raises(ValueError, match="X 0-4 ends after the 3 tokens"):
        encode([Span(0, 4, "X")], 3)


def test_labels_may_hold_hyphens():
    assert decode(encode([Span(0, 2, "B-to-B")], 2), malformed="discard") == [Span(0, 2, "B-to-B")]


def test_the_tags_of_a_scheme_are_named_once_each():
    assert SCHEMES["BIO"].tags(["X"]) == ("O", "B-X", "I-X")
    assert SCHEMES["BMES"].tags(["X", "Y"])[:5] == ("O", "B-X", "M-X", "E-X", "S-X")

"""Annotated regions: read strictly, joined, cut, and what a score counts beside them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text import Document, OffsetError, Span
from core.text.annotated_regions import (
    annotated_regions,
    cut_regions,
    is_annotated,
    joined,
    judged,
    labelled_characters,
    sentences_with,
    without,
)
from core.text.scoring import score_documents

TEXT = "甲到了乙。丙来自丁。戊在己。"
regions = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=6)


def document(annotated=None, *spans):
    return Document("d", TEXT, spans, {} if annotated is None else {"annotated_regions": annotated})


def covered(pairs):
    return {point for start, end in pairs for point in range(start, end)}


def test_a_document_that_does_not_say_has_been_looked_at_from_end_to_end():
    assert annotated_regions(document()) is None
    assert labelled_characters(document()) is None
    assert annotated_regions(document([[0, 5], [5, len(TEXT)]])) is None
    assert annotated_regions(document([])) == ()


@given(regions)
def test_joined_regions_hold_the_same_characters_in_order_and_apart(pairs):
    found = joined(pairs)
    assert covered(found) == covered(pairs)
    assert all(start < end for start, end in found)
    assert all(one[1] < two[0] for one, two in pairwise(found))


@given(regions, st.integers(0, 20), st.integers(0, 20))
def test_taking_a_stretch_out_takes_out_its_characters_alone(pairs, start, end):
    left = without(joined(pairs), start, max(start, end))
    assert covered(left) == covered(pairs) - set(range(start, max(start, end)))


@given(regions, st.integers(0, 14), st.integers(0, 14))
def test_a_piece_keeps_its_share_of_the_regions(pairs, start, end):
    start, end = min(start, end), max(start, end)
    inside = [[min(a, len(TEXT)), min(b, len(TEXT))] for a, b in pairs if a <= b]
    meta = cut_regions(document(inside), start, end)
    expected = {point - start for point in covered(inside) if start <= point < end}
    found = covered(meta["annotated_regions"]) if "annotated_regions" in meta else set(range(end - start))
    assert found == expected


@pytest.mark.parametrize(
    "value",
    [
        "all",
        {"a": 1},
        7,
        [[0]],
        [[0, 1, 2]],
        [[3, 1]],
        [[-1, 2]],
        [[0, 99]],
        [[0, "2"]],
        [[False, True]],
        [None],
    ],
)
def test_what_is_no_list_of_stretches_is_refused_with_the_documents_name(value):
    with pytest.raises(OffsetError, match=r"'d'.*annotated_regions"):
        annotated_regions(document(value))


def test_a_span_outside_makes_its_own_characters_known_and_no_others():
    known = labelled_characters(document([[0, 5]], Span(10, 11, "PER")))
    assert [index for index, yes in enumerate(known) if yes] == [0, 1, 2, 3, 4, 10]


def test_sentences_are_those_that_a_span_touches():
    sentences = [(0, 5), (5, 10), (10, 14)]
    assert sentences_with(sentences, [(4, 6)]) == ((0, 10),)
    assert sentences_with(sentences, [(0, 1), (12, 13)]) == ((0, 5), (10, 14))
    assert sentences_with(sentences, []) == ()


def test_a_stretch_is_looked_at_where_all_of_it_is():
    assert is_annotated(None, 0, 99)
    assert is_annotated(((0, 5),), 0, 5)
    assert not is_annotated(((0, 5), (7, 9)), 4, 8)


def test_a_score_counts_no_prediction_where_nobody_has_annotated():
    gold = document([[0, 5]], Span(0, 1, "PER"))
    said = [Span(0, 1, "PER"), Span(3, 4, "LOC"), Span(4, 6, "LOC"), Span(8, 9, "LOC")]
    assert judged(gold, said) == said[:3], "4-6 touches what was looked at, and there is no such span"
    scores = score_documents([gold], [gold.with_spans(said)]).micro
    assert (scores.gold, scores.predicted, scores.correct) == (1, 3, 1)
    whole = score_documents([document(None, Span(0, 1, "PER"))], [document(None, *said)]).micro
    assert (whole.gold, whole.predicted, whole.correct) == (1, 4, 1)


def test_a_span_outside_the_regions_is_still_to_be_found():
    gold = document([], Span(0, 1, "PER"))
    scores = score_documents([gold], [gold.with_spans([Span(0, 1, "LOC"), Span(7, 8, "LOC")])]).micro
    assert (scores.gold, scores.predicted, scores.correct) == (1, 1, 0)

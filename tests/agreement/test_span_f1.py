"""Span F1 between people, exact and relaxed."""

from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agreement.span_f1 import SpanMatches, overlapping, span_f1
from core.text import Document, Span
from core.text.scoring import score_documents
from tests.agreement.annotations import corpora, one_document


def most_pairs(left, right):
    """The largest matching, by trying every assignment."""
    if len(left) > len(right):
        left, right = right, left
    best = 0
    for chosen in permutations(right, len(left)):
        hits = sum(a[0] < b[1] and b[0] < a[1] for a, b in zip(left, chosen, strict=True))
        best = max(best, hits)
    return best


extents = st.lists(
    st.tuples(st.integers(0, 9), st.integers(1, 5)).map(lambda pair: (pair[0], sum(pair))),
    max_size=5,
    unique=True,
)


@given(extents, extents)
def test_overlapping_pairs_are_as_many_as_can_be(left, right):
    assert overlapping(left, right) == most_pairs(left, right)


def test_one_long_span_matches_one_short_one_only():
    data = one_document(9, {"a": [(0, 9, "X")], "b": [(0, 3, "X"), (3, 6, "X"), (6, 9, "X")]})
    found = SpanMatches.of(data)
    assert span_f1(found, [0]).result().value == 0.0
    assert span_f1(found, [0], relaxed=True).result().value == pytest.approx(2 * 1 / 4)


@given(corpora())
def test_it_is_the_scorers_f1_of_the_one_against_the_other(data):
    found = SpanMatches.of(data)
    for place, (first, second) in enumerate(data.pairs):
        names = data.annotators[first], data.annotators[second]
        both = [one for one in data.shared if all(name in one.versions for name in names)]
        gold, answer = (
            [Document(one.id, "字" * one.length, one.versions[name]) for one in both] for name in names
        )
        scores = score_documents(gold, answer)
        for label in (None, "ORG"):
            score = scores.micro if label is None else scores.per_label.get(label)
            result = span_f1(found, [place], label).result()
            if score is None or not score.gold + score.predicted:
                assert result.reason.code == ("no_units" if both else "nothing_shared")
            else:
                assert result.value == pytest.approx(score.f1)


def test_over_several_pairs_the_sums_are_divided():
    people = {"a": [(0, 2, "X")], "b": [(0, 2, "X")], "c": [(0, 3, "X"), (5, 6, "X")]}
    found = SpanMatches.of(one_document(9, people))
    by_pair = [span_f1(found, [place]).result().value for place in range(3)]
    assert by_pair == [1.0, 0.0, 0.0]
    assert span_f1(found, range(3)).result().value == pytest.approx(2 * 1 / (2 + 3 + 3))
    assert len(list(combinations(people, 2))) == 3


def test_labels_are_never_mixed():
    data = one_document(4, {"a": [(0, 2, "X")], "b": [(0, 2, "Y")]})
    assert span_f1(SpanMatches.of(data), [0], relaxed=True).result().value == 0.0
    assert Span(0, 2, "X").overlaps(Span(0, 2, "Y"))

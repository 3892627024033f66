"""Decoding of spans against every subset of a few of them."""

import random
from itertools import combinations

import pytest

from core.taggers.span.decoding import (
    CROSSING,
    INSIDE,
    SAME,
    Candidate,
    as_seen,
    flat,
    flat_greedy,
    nested,
    overlaps_in,
    without_crossing,
)
from core.taggers.span.decoding import overlap as overlap_of
from core.text import Span


def overlap(one, other):
    return one.start < other.end and other.start < one.end


def cross(one, other):
    inside = lambda a, b: b.start <= a.start and a.end <= b.end  # noqa: E731
    return overlap(one, other) and not inside(one, other) and not inside(other, one)


def subsets(candidates):
    for size in range(len(candidates) + 1):
        yield from combinations(candidates, size)


def total(candidates):
    return sum(each.weight for each in candidates)


def some(seed, count=9, length=8):
    chance = random.Random(seed)
    spans = [(i, j, k) for i in range(length) for j in range(i + 1, length + 1) for k in range(2)]
    return [Candidate(*span, round(chance.uniform(0.01, 5), 3)) for span in chance.sample(spans, count)]


@pytest.mark.parametrize("seed", range(40))
def test_the_best_spans_side_by_side_are_those_of_the_best_subset(seed):
    candidates = some(seed)
    chosen = flat(candidates)
    assert set(chosen) <= set(candidates)
    assert not any(overlap(one, other) for one, other in combinations(chosen, 2))
    allowed = [s for s in subsets(candidates) if not any(overlap(a, b) for a, b in combinations(s, 2))]
    assert total(chosen) == pytest.approx(max(map(total, allowed)))
    assert chosen == sorted(chosen, key=lambda each: each.start)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize(("decide", "clash"), [(flat_greedy, overlap), (without_crossing, cross)])
def test_a_greedy_choice_refuses_a_span_only_for_a_better_one(decide, clash, seed):
    candidates = some(seed)
    chosen = decide(candidates)
    assert not any(clash(one, other) for one, other in combinations(chosen, 2))
    for each in set(candidates) - set(chosen):
        assert any(clash(each, other) and other.weight >= each.weight for other in chosen)


def test_one_good_span_in_the_middle_loses_to_two_that_are_better_together():
    left, middle, right = Candidate(0, 3, 0, 2.0), Candidate(2, 5, 0, 3.0), Candidate(4, 7, 0, 2.0)
    assert flat([left, middle, right]) == [left, right]
    assert flat_greedy([left, middle, right]) == [middle]


def test_nested_spans_and_two_labels_for_one_span_stay_unless_they_cross():
    outer, inner, again = Candidate(0, 6, 0, 1.0), Candidate(2, 4, 0, 2.0), Candidate(2, 4, 1, 1.5)
    crossing = Candidate(3, 8, 1, 0.5)
    everything = [outer, inner, again, crossing]
    assert nested(everything) == everything
    assert set(without_crossing(everything)) == {outer, inner, again}
    assert flat([]) == flat_greedy([]) == without_crossing([]) == []


def test_thousands_of_spans_are_decoded_at_once():
    chance = random.Random(0)
    many = [Candidate(i, i + 1 + chance.randrange(9), 0, chance.random()) for i in range(4000)]
    chosen = flat(many)
    assert total(chosen) >= total(flat_greedy(many))


@pytest.mark.parametrize("seed", range(20))
def test_spans_overlap_only_as_their_labels_do_in_training(seed):
    chance = random.Random(seed)
    training = [Span(start, start + length, label) for start, length, label in chance.sample(
        [(i, n, label) for i in range(6) for n in (1, 2, 3) for label in "AB"], 5)]  # fmt: skip
    learned = overlaps_in(training)
    names = "AB"
    seen = lambda how, one, other: (how, names[one], names[other]) in learned  # noqa: E731
    clash = lambda one, other: any(  # noqa: E731
        overlap_of(a, b) is not None and not seen(overlap_of(a, b), a.label, b.label)
        for a, b in ((one, other), (other, one))
    )
    candidates = some(seed)
    chosen = as_seen(candidates, seen)
    assert not any(clash(one, other) for one, other in combinations(chosen, 2))
    for each in set(candidates) - set(chosen):
        assert any(clash(each, other) and other.weight >= each.weight for other in chosen)


def test_how_two_spans_overlap():
    outer, inner, right, same = (
        Candidate(0, 4, 0, 1.0), Candidate(1, 3, 0, 1.0), Candidate(2, 6, 0, 1.0), Candidate(0, 4, 1, 1.0),
    )  # fmt: skip
    assert overlap_of(outer, inner) == INSIDE
    assert overlap_of(inner, outer) is None
    assert overlap_of(outer, right) == CROSSING
    assert overlap_of(right, outer) is None
    assert overlap_of(outer, same) == overlap_of(same, outer) == SAME
    assert overlap_of(outer, Candidate(4, 6, 0, 1.0)) is None
    pair = [Span(0, 4, "ORG"), Span(0, 2, "LOC")]
    assert overlaps_in(pair) == {(INSIDE, "ORG", "LOC")}
    assert overlaps_in([Span(0, 2, "LOC"), Span(0, 2, "ORG")]) == {(SAME, "LOC", "ORG"), (SAME, "ORG", "LOC")}

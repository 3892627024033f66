"""Versions merged: strategies against counting by hand, groups against their definition by brute force."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agreement.merging import Version, candidates, differences, merge, unseen, votes_needed
from core.text import Span
from core.text.annotated_regions import joined

LABELS = ("PER", "ORG")
span = st.builds(
    lambda start, length, label: Span(start, start + length, label),
    st.integers(0, 12), st.integers(1, 5), st.sampled_from(LABELS),
)  # fmt: skip
some_spans = st.lists(span, max_size=5, unique_by=lambda one: one.key).map(tuple)
some_versions = st.lists(some_spans, min_size=1, max_size=5).map(
    lambda made: [Version(f"p{at}", spans) for at, spans in enumerate(made)]
)


def keys(spans):
    return {one.key for one in spans}


def version(voter, *spans):
    return Version(voter, tuple(Span(*one) for one in spans))


def test_unanimous_majority_and_threshold_on_three_people():
    versions = [
        version("ana", (0, 3, "PER"), (4, 6, "ORG"), (8, 9, "ORG")),
        version("bo", (0, 3, "PER"), (4, 6, "ORG")),
        version("cy", (0, 3, "PER")),
    ]
    assert keys(merge(versions, "unanimous")) == {(0, 3, "PER")}
    assert keys(merge(versions, "majority")) == {(0, 3, "PER"), (4, 6, "ORG")}
    assert keys(merge(versions, "threshold", 1)) == {(0, 3, "PER"), (4, 6, "ORG"), (8, 9, "ORG")}


@pytest.mark.exhaustive
def test_of_two_people_half_is_no_majority():
    assert merge([version("ana", (0, 3, "PER")), version("bo")], "majority") == ()
    assert [votes_needed("majority", count) for count in (1, 2, 3, 4, 5)] == [1, 2, 2, 3, 3]


def test_other_boundary_other_label_missing_and_agreed_are_told_apart():
    versions = [
        version("ana", (0, 3, "PER"), (4, 6, "ORG"), (8, 9, "ORG"), (10, 12, "PER")),
        version("bo", (0, 2, "PER"), (4, 6, "PER"), (10, 12, "PER")),
    ]
    found = [(one.kind, [c.span.key for c in one.candidates]) for one in differences(versions)]
    assert found == [
        ("boundary", [(0, 3, "PER"), (0, 2, "PER")]),
        ("label", [(4, 6, "ORG"), (4, 6, "PER")]),
        ("missing", [(8, 9, "ORG")]),
        ("unanimous", [(10, 12, "PER")]),
    ]


def test_spans_one_person_nested_on_purpose_are_two_questions():
    versions = [version("ana", (0, 6, "ORG"), (0, 2, "PER")), version("bo")]
    assert [one.kind for one in differences(versions)] == ["missing", "missing"]


def test_a_span_the_reviewer_made_joins_the_question_it_answers():
    versions = [version("ana", (0, 3, "PER")), version("bo", (0, 2, "PER"))]
    (only,) = differences(versions, [Span(0, 4, "PER")])
    assert [(c.span.key, c.voters) for c in only.candidates] == [
        ((0, 4, "PER"), ()), ((0, 3, "PER"), ("ana",)), ((0, 2, "PER"), ("bo",)),
    ]  # fmt: skip


@pytest.mark.parametrize("threshold", [0, 3, None, True, 1.0, "2"])
def test_a_threshold_that_no_vote_can_meet_is_refused(threshold):
    with pytest.raises(ValueError, match="from 1 to 2"):
        votes_needed("threshold", 2, threshold)


def test_nobody_and_one_person_twice_are_refused():
    with pytest.raises(ValueError, match="no versions"):
        merge([], "majority")
    with pytest.raises(ValueError, match="one voter"):
        merge([version("ana"), version("ana")], "majority")
    with pytest.raises(ValueError, match="unanimous, majority, threshold"):
        merge([version("ana")], "loudest")  # type: ignore[arg-type]


@given(some_versions)
def test_every_strategy_is_counting(versions):
    count = len(versions)
    for threshold in range(1, count + 1):
        by_hand = {
            key
            for key in {s.key for v in versions for s in v.spans}
            if sum(key in keys(v.spans) for v in versions) >= threshold
        }
        assert keys(merge(versions, "threshold", threshold)) == by_hand
    assert merge(versions, "unanimous") == merge(versions, "threshold", count)
    assert keys(merge(versions, "unanimous")) <= keys(merge(versions, "majority"))


@given(some_versions, st.randoms())
def test_who_comes_first_does_not_matter(versions, chance):
    shuffled = list(versions)
    chance.shuffle(shuffled)
    for strategy in ("unanimous", "majority"):
        assert merge(shuffled, strategy) == merge(versions, strategy)

    def groups(made):
        return {(one.kind, frozenset(c.span.key for c in one.candidates)) for one in differences(made)}

    assert groups(shuffled) == groups(versions)


@given(some_versions, some_spans)
def test_every_span_is_asked_about_exactly_once(versions, extra):
    asked = [c.span.key for one in differences(versions, extra) for c in one.candidates]
    assert sorted(asked) == sorted(c.span.key for c in candidates(versions, extra))
    assert len(set(asked)) == len(asked)


@given(some_versions, some_spans)
def test_a_group_is_what_alternatives_connect(versions, extra):
    found = {c.span.key: c for c in candidates(versions, extra)}
    group_of = {c.span.key: at for at, one in enumerate(differences(versions, extra)) for c in one.candidates}
    together = {key: {key} for key in found}  # by brute force: join until nothing joins any more
    changed = True
    while changed:
        changed = False
        for (a, one), (b, other) in combinations(found.items(), 2):
            differs = len(one.voters) < len(versions) and len(other.voters) < len(versions)
            alternatives = one.span.overlaps(other.span) and not set(one.voters) & set(other.voters)
            if differs and alternatives and together[a] is not together[b]:
                together[a] |= together[b]
                for key in together[a]:
                    together[key] = together[a]
                changed = True
    for a, b in combinations(found, 2):
        assert (group_of[a] == group_of[b]) == (together[a] is together[b])


def test_outside_an_annotators_regions_silence_is_no_vote():
    half = Version("bo", (Span(0, 2, "PER"),), ((0, 4),))
    ana = version("ana", (0, 2, "PER"), (2, 4, "ORG"), (6, 8, "LOC"))
    assert keys(merge([ana, half], "unanimous")) == {(0, 2, "PER"), (6, 8, "LOC")}
    found = {one.candidates[0].span.key: one for one in differences([ana, half])}
    assert {key: one.kind for key, one in found.items()} == {
        (0, 2, "PER"): "unanimous", (2, 4, "ORG"): "missing", (6, 8, "LOC"): "unseen",
    }  # fmt: skip
    assert found[6, 8, "LOC"].candidates[0].silent == ("bo",)
    assert keys(merge([ana, half], "threshold", 2)) == {(0, 2, "PER"), (6, 8, "LOC")}


def test_a_label_counts_wherever_it_was_given_and_a_stretch_seen_in_part_does_not():
    ana, half = version("ana", (2, 6, "ORG")), Version("bo", (Span(7, 9, "LOC"),), ((0, 4),))
    by_span = {one.span.key: one for one in candidates([ana, half])}
    assert (by_span[7, 9, "LOC"].voters, by_span[7, 9, "LOC"].silent) == (("bo",), ())
    assert by_span[2, 6, "ORG"].silent == ("bo",)


SEEN = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4)), max_size=3).map(
    lambda found: joined((start, min(10, start + length)) for start, length in found)
)


@given(
    st.lists(
        st.tuples(st.sets(st.sampled_from([(0, 2), (2, 5), (4, 9)])), st.none() | SEEN),
        min_size=1,
        max_size=4,
    )
)
def test_merging_in_part_is_counting_among_those_who_answered(people):
    versions = [
        Version(str(at), tuple(Span(*place, "A") for place in sorted(places)), seen)
        for at, (places, seen) in enumerate(people)
    ]
    for strategy, threshold in (
        ("unanimous", None),
        ("majority", None),
        ("threshold", 1),
        ("threshold", len(people)),
    ):
        expected = set()
        for start, end in {place for places, _ in people for place in places}:
            yes = sum((start, end) in places for places, _ in people)
            no = sum(
                (start, end) not in places
                and (seen is None or set(range(start, end)) <= {at for a, b in seen for at in range(a, b)})
                for places, seen in people
            )
            enough = {
                "unanimous": no == 0,
                "majority": yes > no,
                "threshold": yes >= min(threshold or 1, yes + no),
            }
            if enough[strategy]:
                expected.add((start, end, "A"))
        assert keys(merge(versions, strategy, threshold)) == expected
    dark = set(range(10)) - {
        at for _, seen in people for a, b in (((0, 10),) if seen is None else seen) for at in range(a, b)
    }
    assert {at for a, b in unseen(versions, 10) for at in range(a, b)} == dark

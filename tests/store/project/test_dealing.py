"""Documents dealt: exactly as many people each, even loads, nobody loses work; in steps as in life."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.store.db.errors import PeopleError
from core.store.project.dealing import deal

NAMES = ["ana", "bo", "cy", "dee", "eli", "fay"]
people = st.integers(1, 6).map(lambda count: NAMES[:count])


def loads(hands, among):
    return [sum(who in have for have in hands.values()) for who in among]


@given(st.integers(0, 60), people, st.data(), st.integers(0, 9))
def test_each_document_gets_exactly_so_many_people_and_loads_differ_by_at_most_one(count, who, data, seed):
    overlap = data.draw(st.integers(1, len(who)))
    hands = deal(range(count), who, overlap, seed=seed)
    assert set(hands) == set(range(count))
    assert all(len(have) == overlap and have <= set(who) for have in hands.values())
    assert max(loads(hands, who)) - min(loads(hands, who)) <= 1


@given(st.integers(0, 30), st.integers(0, 30), people, st.data())
def test_new_documents_are_dealt_and_the_old_stay_where_they_are(first, more, who, data):
    overlap = data.draw(st.integers(1, len(who)))
    before = deal(range(first), who, overlap)
    after = deal(range(first + more), who, overlap, held=before)
    assert {document: after[document] for document in before} == before
    assert all(len(have) == overlap for have in after.values())
    assert max(loads(after, who)) - min(loads(after, who)) <= 1


@given(st.integers(0, 40), st.data())
def test_who_leaves_hands_on_what_they_have_not_begun(count, data):
    before = deal(range(count), NAMES[:4], 2)
    gone, stay = NAMES[0], NAMES[1:4]
    begun = [(d, gone) for d, have in before.items() if gone in have and data.draw(st.booleans())]
    after = deal(range(count), stay, 2, held=before, begun=begun)
    assert all(len(have) == 2 for have in after.values())
    assert {(d, gone) for d, have in after.items() if gone in have} == set(begun)
    for document, have in before.items():
        assert have - {gone} <= after[document]


@given(st.integers(0, 40), st.data())
def test_dealing_again_gives_joiners_their_share_and_takes_nothing_begun(count, data):
    before = deal(range(count), NAMES[:3], 2)
    begun = [(d, who) for d, have in before.items() for who in sorted(have) if data.draw(st.booleans())]
    after = deal(range(count), NAMES[:4], 2, held=before, begun=begun, again=True)
    assert all(len(have) == 2 for have in after.values())
    assert all(who in after[document] for document, who in begun)
    if not begun:
        assert max(loads(after, NAMES[:4])) - min(loads(after, NAMES[:4])) <= 1


def test_a_smaller_overlap_takes_back_only_what_nobody_began():
    before = deal(range(9), NAMES[:3], 3)
    begun = [(0, who) for who in NAMES[:3]]
    after = deal(range(9), NAMES[:3], 1, held=before, begun=begun)
    assert len(after[0]) == 3
    assert all(len(after[document]) == 1 for document in range(1, 9))


def test_the_same_seed_deals_the_same_and_another_one_does_not():
    first = deal(range(50), NAMES, 2, seed=1)
    assert deal(range(50), NAMES, 2, seed=1) == first
    assert deal(range(50), NAMES, 2, seed=2) != first


def test_every_pair_of_people_meets():
    hands = deal(range(200), NAMES, 2, seed=3)
    assert len({frozenset(have) for have in hands.values()}) == 15


def test_more_people_a_document_than_there_are_is_refused_with_a_sentence():
    with pytest.raises(PeopleError, match="3 people cannot annotate each document: only 2 take part"):
        deal(range(5), ["ana", "bo"], 3)
    with pytest.raises(PeopleError, match="at least one person"):
        deal(range(5), [], 1)

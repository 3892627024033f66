"""Pairing people's spans with the tagger's, against brute force; counts against the definitions."""

import time
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.inspection.corpus.errors import (
    BOUNDARIES,
    Case,
    cases_of,
    confusion,
    edges_of,
    pair_spans,
    score_cases,
)
from core.text import Document, Span
from core.text.scoring import score_documents

TEXT = "天地玄黄宇宙洪荒"
spans = st.builds(
    lambda start, length, label: Span(start, min(start + length, len(TEXT)), label),
    st.integers(0, len(TEXT) - 1),
    st.integers(1, 5),
    st.sampled_from("AB"),
)
few = st.lists(spans, max_size=4)


def rank(gold, said):
    """The preference of a pair, as the module's text says it: lower goes first."""
    shared = len({*range(gold.start, gold.end)} & {*range(said.start, said.end)})
    outside = len({*range(gold.start, gold.end)} ^ {*range(said.start, said.end)})
    return (outside != 0, -shared, gold.label != said.label, outside, gold.key, said.key)


def brute_force(gold, predicted):
    """Of all one-to-one pairings of overlapping spans, the one whose best pairs are best."""
    gold, predicted = list({s.key: s for s in gold}.values()), list({s.key: s for s in predicted}.values())
    longer, shorter = (gold, predicted) if len(gold) >= len(predicted) else (predicted, gold)
    worst = (2,)
    best = None
    for order in permutations(longer, len(shorter)):
        pairs = [(a, b) if longer is gold else (b, a) for a, b in zip(order, shorter, strict=True)]
        kept = sorted(rank(*pair) for pair in pairs if pair[0].overlaps(pair[1]))
        found = [*kept, *[worst] * (len(shorter) - len(kept))]
        best = found if best is None or found < best else best
    return {(one[-2], one[-1]) for one in best or [] if one != worst}


@given(few, few)
def test_pairs_are_the_best_of_all_one_to_one_pairings(gold, predicted):
    pairs = pair_spans(gold, predicted)
    assert {(g.key, p.key) for g, p in pairs if g and p} == brute_force(gold, predicted)


def pairs_one_by_one(gold, predicted):
    """The module's rules with every span of people's held against every one of the tagger's."""
    people, tagger = {s.key: s for s in gold}, {s.key: s for s in predicted}
    met = [rank(one, other) for one in people.values() for other in tagger.values() if one.overlaps(other)]
    same = people.keys() & tagger.keys()
    pairs = [(people.pop(key), tagger.pop(key)) for key in same]
    for *_, one, other in sorted(met):
        if one in people and other in tagger:
            pairs.append((people.pop(one), tagger.pop(other)))
    pairs += [(span, None) for span in people.values()] + [(None, span) for span in tagger.values()]
    return pairs


def spans_in(length):
    return st.lists(
        st.builds(
            lambda start, wide, label: Span(start, min(start + wide, length), label),
            st.integers(0, length - 1),
            st.integers(1, length),
            st.sampled_from("ABC"),
        ),
        max_size=40,
    )


@pytest.mark.parametrize("length", [6, 60, 600])
@given(data=st.data())
def test_the_sweep_finds_the_pairs_that_holding_all_against_all_finds(length, data):
    gold, said = data.draw(spans_in(length)), data.draw(spans_in(length))
    found = pair_spans(gold, said)
    expected = pairs_one_by_one(gold, said)
    assert len(found) == len(expected)
    assert set(found) == set(expected)
    starts = [(gold or said).start for gold, said in found]
    assert starts == sorted(starts)


def test_ten_times_the_wrong_spans_take_about_ten_times_the_time():
    """All against all would be a hundred times, 2 minutes for 20,000."""

    def seconds(count):
        gold = [Span(4 * at, 4 * at + 3, "A") for at in range(count)]
        said = [Span(4 * at + 1, 4 * at + 4, "A") for at in range(count)]
        began = time.process_time()
        pairs = pair_spans(gold, said)
        took = time.process_time() - began
        assert all(one and other for one, other in pairs)
        return took

    few = min(seconds(2_000) for _ in range(3))
    assert min(seconds(20_000) for _ in range(2)) < 40 * few


@given(few, few)
def test_every_span_stands_in_exactly_one_case(gold, predicted):
    pairs = pair_spans(gold, predicted)
    assert sorted(g.key for g, _ in pairs if g) == sorted({span.key for span in gold})
    assert sorted(p.key for _, p in pairs if p) == sorted({span.key for span in predicted})


@given(st.lists(st.tuples(few, few), max_size=3))
def test_the_score_is_the_one_of_the_scorer(corpus):
    documents = [Document(str(at), TEXT, tuple(gold)) for at, (gold, _) in enumerate(corpus)]
    answers = [tuple(said) for _, said in corpus]
    scored = score_documents(
        documents, [d.with_spans(said) for d, said in zip(documents, answers, strict=True)]
    )
    assert score_cases(cases_of(documents, answers)) == scored.micro


def kinds(gold, predicted):
    return [
        Case(0, *pair).kind for pair in pair_spans([Span(*s) for s in gold], [Span(*s) for s in predicted])
    ]


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ([(0, 2, "A")], [(0, 2, "A")], ["correct"]),
        ([(0, 2, "A")], [(0, 2, "B")], ["label"]),
        ([(0, 2, "A")], [(0, 3, "A")], ["boundary"]),
        ([(0, 2, "A")], [(1, 3, "B")], ["both"]),
        ([(0, 2, "A")], [(2, 4, "A")], ["missed", "spurious"]),
        # The same extent goes before a larger overlap of the same label.
        ([(0, 4, "A"), (0, 3, "B")], [(0, 4, "B")], ["label", "missed"]),
        # Of two spans inside people's, the longer one is its partner.
        ([(0, 5, "A")], [(0, 2, "A"), (2, 5, "A")], ["spurious", "boundary"]),
        # Equal overlap: the one with the same label.
        ([(0, 4, "A")], [(0, 2, "B"), (2, 4, "A")], ["spurious", "boundary"]),
        # Equal overlap and label: the one that reaches less far beyond.
        ([(2, 4, "A")], [(1, 3, "A"), (3, 6, "A")], ["boundary", "spurious"]),
        # Both labels of one extent, one of them found.
        ([(0, 2, "A"), (0, 2, "B")], [(0, 2, "B")], ["missed", "correct"]),
    ],
)
def test_kinds_of_cases(gold, predicted, expected):
    assert sorted(kinds(gold, predicted)) == sorted(expected)


def test_rows_of_the_confusion_are_peoples_and_columns_the_taggers():
    gold = [Span(0, 2, "A"), Span(2, 4, "A"), Span(4, 6, "B")]
    said = [Span(0, 2, "B"), Span(4, 6, "B"), Span(6, 8, "A")]
    counts = confusion(cases_of([Document("1", TEXT, tuple(gold))], [said]), ["A", "B", "C"])
    #       said A  B  C  nothing
    assert counts.tolist() == [
        [0, 1, 0, 1],  # people said A
        [0, 1, 0, 0],  # B
        [0, 0, 0, 0],  # C
        [1, 0, 0, 0],  # nothing
    ]


@given(few, few)
def test_the_confusion_counts_every_case_once(gold, predicted):
    cases = cases_of([Document("1", TEXT, tuple(gold))], [predicted])
    counts = confusion(cases, "AB")
    assert counts.sum() == len(cases)
    assert counts[:-1].sum() == len({span.key for span in gold})
    assert counts[:, :-1].sum() == len({span.key for span in predicted})
    assert counts[-1, -1] == 0


def test_a_label_without_a_place_is_refused():
    with pytest.raises(KeyError, match="A"):
        confusion([Case(0, Span(0, 1, "A"), None)], ["B"])


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ((3, 5), ("short", "right")),
        ((1, 5), ("long", "right")),
        ((2, 4), ("right", "short")),
        ((2, 6), ("right", "long")),
        ((3, 4), ("short", "short")),
        ((1, 6), ("long", "long")),
        ((1, 4), ("long", "short")),
        ((3, 6), ("short", "long")),
        ((2, 5), None),
    ],
)
def test_each_side_of_a_boundary_error(said, expected):
    assert edges_of(Case(0, Span(2, 5, "A"), Span(*said, "B"))) == expected
    assert expected is None or BOUNDARIES.count(expected) == 1


def test_a_span_without_a_partner_has_no_boundary_error():
    assert edges_of(Case(0, Span(2, 5, "A"), None)) is None
    assert edges_of(Case(0, None, Span(2, 5, "A"))) is None


def test_documents_and_answers_must_be_as_many():
    with pytest.raises(ValueError, match="1 documents but 0 answers"):
        cases_of([Document("1", TEXT)], [])


def test_the_order_of_the_spans_does_not_matter():
    generator = np.random.default_rng(3)
    gold = [
        Span(int(s), int(s) + 3, label)
        for s, label in zip(generator.integers(0, 5, 6), "ABABAB", strict=True)
    ]
    said = [
        Span(int(s), int(s) + 2, label)
        for s, label in zip(generator.integers(0, 6, 6), "AABBAB", strict=True)
    ]
    assert pair_spans(gold, said) == pair_spans(gold[::-1], said[::-1])

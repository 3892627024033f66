"""Entropy, distance and attention to a word, for every head, against the definitions."""

from dataclasses import replace
from math import log2

import numpy as np
import pytest

from core.inspection.sentence.attention_heads import (
    MEASURES,
    HeadValue,
    Target,
    attention_to,
    default_target,
    entropy,
    heads_view,
    largest_entropy,
    mean_distance,
    strongest,
    targets,
    uniform_share,
)
from core.taggers.base.trace import Trace
from core.text import Span
from tests.inspection.attention_traces import bert_trace, flat_trace, soft_lexicon_trace


def test_entropy_is_in_bits_and_a_mean_over_queries():
    trace = flat_trace()
    found = entropy(trace)
    assert found.shape == (2, 3)
    for layer in range(2):
        for head in range(3):
            rows = trace.attention[layer][head][: len(trace.text)]
            expected = np.mean([-sum(p * log2(p) for p in row if p > 0) for row in rows])
            assert found[layer, head] == pytest.approx(expected)


def test_a_head_that_looks_everywhere_alike_has_the_largest_entropy_and_one_that_looks_once_none():
    even, sharp = np.full((4, 4), 0.25), np.eye(4)
    trace = Trace("湖边的船", tuple("湖边的船"), (), "cnn", (np.stack([even, sharp]),))
    assert entropy(trace).tolist() == [[2.0, 0.0]]
    assert largest_entropy(trace) == 2.0


def test_words_that_nobody_can_attend_to_do_not_count_in_the_largest_entropy():
    assert largest_entropy(soft_lexicon_trace()) == pytest.approx(log2(6))
    assert largest_entropy(flat_trace()) == pytest.approx(log2(8))


def test_distance_is_in_characters_from_the_nearest_edge_of_a_word():
    trace = flat_trace()
    extents = [*((c, c) for c in range(6)), (3, 4), (3, 5)]
    found = mean_distance(trace)
    for head in range(3):
        total = 0.0
        for query in range(6):
            for key, (first, last) in enumerate(extents):
                gap = first - query if query < first else max(0, query - last)
                total += trace.attention[1][head, query, key] * gap
        assert found[1, head] == pytest.approx(total / 6)


def test_special_pieces_stand_nowhere():
    trace = bert_trace()
    covered = {1: (0, 0), 2: (1, 1), 3: (3, 6), 4: (7, 10), 5: (11, 11)}
    found = mean_distance(trace)
    for head in range(2):
        means = []
        for query, (first, last) in covered.items():
            paid = {key: trace.attention[0][head, query, key] for key in covered}
            gaps = {key: max(0, start - last, first - end) for key, (start, end) in covered.items()}
            means.append(sum(paid[key] * gaps[key] for key in covered) / sum(paid.values()))
        assert found[0, head] == pytest.approx(np.mean(means))


def test_a_head_that_sees_special_pieces_alone_has_no_distance():
    only = np.zeros((1, 7, 7))
    only[..., 0] = 1.0
    assert np.isnan(mean_distance(replace(bert_trace(), attention=(only,)))).all()


def test_attention_to_a_word_is_what_its_own_characters_pay_to_its_node():
    trace = flat_trace()
    found = attention_to(trace, Target(3, 6, node=7))
    for layer in range(2):
        for head in range(3):
            expected = np.mean([trace.attention[layer][head, character, 7] for character in (3, 4, 5)])
            assert found[layer, head] == pytest.approx(expected)


def test_attention_to_an_entity_is_all_that_stays_inside_it():
    trace = flat_trace()
    found = attention_to(trace, Target(3, 5, label="LOC"))
    raw = trace.attention[1][2]
    # Two characters, the word 白石, and two thirds of 白石湖, which reaches over the edge.
    rows = [raw[row, 3] + raw[row, 4] + raw[row, 6] + raw[row, 7] * 2 / 3 for row in (3, 4)]
    assert found[1, 2] == pytest.approx(np.mean(rows))


def test_an_entity_that_no_piece_stands_for_has_no_attention():
    assert np.isnan(attention_to(bert_trace(), Target(2, 3, label="X"))).all()


def test_targets_are_words_that_can_be_looked_at_and_entities():
    assert [(t.start, t.end, t.node, t.label) for t in targets(flat_trace())] == [
        (0, 2, None, "PER"),
        (3, 5, 6, None),
        (3, 6, 7, None),
        (3, 6, None, "LOC"),
    ]
    assert [t.label for t in targets(soft_lexicon_trace())] == ["LOC"]
    assert targets(replace(bert_trace(), spans=(Span(0, 2, "LOC"),))) == (Target(0, 2, label="LOC"),)


def test_the_strongest_heads_come_first_and_unknown_ones_not_at_all():
    shares = np.array([[0.1, 0.5], [np.nan, 0.3]])
    assert strongest(shares, 2) == [HeadValue(0, 1, 0.5), HeadValue(1, 1, 0.3)]
    assert len(strongest(shares, 9)) == 3


def test_layers_of_unequal_heads_leave_holes():
    trace = flat_trace()
    uneven = replace(trace, attention=(trace.attention[0][:1], trace.attention[1]))
    assert np.isnan(entropy(uneven)).tolist() == [[False, True, True], [False, False, False]]


@pytest.mark.parametrize("target", [Target(3, 6, node=7), Target(3, 5, label="LOC")])
def test_an_even_head_pays_the_even_share(target):
    trace = flat_trace()
    even = replace(trace, attention=(np.full((1, 6, 8), 1 / 8),))
    assert uniform_share(trace, target) == pytest.approx(attention_to(even, target)[0, 0])


def test_the_default_target_is_the_longest_word_in_focus_then_the_entity_then_the_longest_of_all():
    found = targets(flat_trace())  # 林青, 白石 and 白石湖 as words, 白石湖 as an entity
    assert found[default_target(found, Span(3, 6, "LOC"))].node == 7
    assert default_target(found, Span(0, 2, "PER")) == 0
    assert found[default_target(found, None)] == Target(3, 6, node=7)


def test_a_view_holds_the_measure_and_the_heads_that_stand_out():
    trace = flat_trace()
    view = heads_view(trace, "entropy")
    bits = entropy(trace)
    np.testing.assert_array_equal(view.values, bits)
    for shown, pick in ((view.lowest, np.argmin), (view.highest, np.argmax)):
        place = np.unravel_index(pick(bits), bits.shape)
        assert (shown.layer, shown.head) == place
        assert shown.value == pytest.approx(bits[place])
    assert (view.strongest, view.uniform, view.largest_entropy) == ((), 0.0, 3.0)
    relative = heads_view(trace, "relative")
    np.testing.assert_allclose(relative.values, bits / 3)
    assert relative.lowest.value == pytest.approx(bits.min()), "told in bits"
    np.testing.assert_array_equal(heads_view(trace, "distance").values, mean_distance(trace))


def test_a_view_of_a_target_names_those_who_pay_it_most():
    trace = flat_trace()
    view = heads_view(trace, "target", 1)
    paid = attention_to(trace, view.targets[1])
    np.testing.assert_array_equal(view.values, paid)
    assert [head.value for head in view.strongest] == sorted(paid.ravel(), reverse=True)[:4]
    assert view.uniform == uniform_share(trace, view.targets[1])


@pytest.mark.parametrize("target", [None, -1, 99, "0", []])
def test_a_target_there_is_not_is_the_default_one(target):
    view = heads_view(flat_trace(), "target", target, Span(0, 2, "PER"))
    assert (view.measure, view.target) == ("target", 0)


@pytest.mark.parametrize("measure", ["target", None, "nothing"])
def test_without_words_and_entities_the_entropy_is_shown(measure):
    view = heads_view(replace(bert_trace(), spans=()), measure)
    assert (view.measures, view.measure, view.target) == (MEASURES[1:], "entropy", None)


def test_where_no_head_has_a_value_none_stands_out():
    view = heads_view(replace(bert_trace(), spans=(Span(2, 3, "X"),)), "target")
    assert (view.lowest, view.highest, view.strongest) == (None, None, ())

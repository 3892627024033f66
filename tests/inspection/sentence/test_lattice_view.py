"""The nodes of a lattice, whom they touch and attend to, and the links of words where nothing attends."""

from dataclasses import replace

import numpy as np
import pytest

from core.inspection.sentence.attention_view import MEAN
from core.inspection.sentence.lattice_view import (
    lattice_view,
    node_attention,
    nodes_attend,
    touched,
    word_links,
)
from core.taggers.base.trace import LatticeTrace, Trace, WordSetsTrace
from core.text import Document, Span
from tests.app.inspect.figures.sample_trace import TOKENS, sample_trace
from tests.taggers.small_taggers import small_tagger

TEXT = "林晚晴在清河大学教书"


def traced(name, **options):
    tagger = small_tagger(name, **options).eval()
    return tagger.trace(tagger.collate([Document("1", TEXT)]))[0]


@pytest.mark.parametrize(("layer", "head"), [(1, 0), (-1, 0), (0, 2), (0, -2)])
def test_a_layer_or_head_that_does_not_exist_is_refused(layer, head):
    with pytest.raises(IndexError):
        node_attention(sample_trace(), layer, head)


def test_words_look_too_below_the_last_layer_of_flat():
    trace = traced("flat")
    nodes = len(trace.lattice.nodes)
    assert nodes_attend(trace)
    assert node_attention(trace, 0, MEAN).shape == (nodes, nodes)
    assert node_attention(trace, 1, 0).shape == (len(TEXT), nodes)


def test_attention_among_other_things_than_nodes_is_not_drawn_on_the_lattice():
    trace = sample_trace()
    assert not nodes_attend(replace(trace, attention=(np.full((1, 9, 9), 1 / 9),)))
    assert not nodes_attend(replace(trace, attention=()))


def test_a_word_of_lattice_lstm_goes_into_its_last_character_and_backward_into_its_first():
    trace = traced("lattice_lstm")
    kind, links = word_links(trace)
    first = len(TEXT)
    found = {(word, character, direction): weight for word, character, weight, direction in links}
    expected = {}
    for order, (forward, backward) in enumerate(trace.word_shares.tolist()):
        word = first + order
        expected[word, int(trace.lattice.tail[word]), "forward"] = forward
        expected[word, int(trace.lattice.head[word]), "backward"] = backward
    assert kind == "shares"
    assert found == expected
    assert len(found) == len(links) > 0


@pytest.mark.parametrize(("both_sides", "kinds"), [(True, {"begin", "end"}), (False, {"begin"})])
def test_a_word_of_lr_cnn_goes_into_the_character_where_it_begins_and_where_it_ends(both_sides, kinds):
    trace = traced("lr_cnn", both_sides=both_sides)
    _, links = word_links(trace)
    assert {kind for *_, kind in links} == kinds
    for word, character, weight, kind in links:
        assert character == (trace.lattice.head if kind == "begin" else trace.lattice.tail)[word]
        assert 0.0 <= weight <= 1.0


def test_every_place_of_a_word_in_the_sets_of_soft_lexicon_is_a_tie():
    trace = traced("soft_lexicon")
    kind, links = word_links(trace)
    lattice = trace.lattice
    places = {(int(lattice.head[n]), int(lattice.tail[n])): n for n in range(len(lattice.nodes))}
    expected = set()
    for (head, tail), node in places.items():
        for character in range(head, tail + 1):
            if node >= lattice.characters:
                expected.add(
                    (node, character, "B" if character == head else "E" if character == tail else "M")
                )
    assert kind == "sets"
    assert {(word, character, name) for word, character, _, name in links if name != "S"} == expected
    weights = trace.word_sets.weights.tolist()
    assert sorted(weight for *_, weight, _ in links) == sorted(weight / 4 for weight in weights)


def test_a_word_that_repeats_across_itself_keeps_its_occurrences_apart():
    nodes = (*"哈哈哈哈", "哈哈哈", "哈哈哈")
    lattice = LatticeTrace(nodes, np.array([0, 1, 2, 3, 0, 1]), np.array([0, 1, 2, 3, 2, 3]), 4)
    sets = WordSetsTrace(
        ("哈哈哈",) * 6, np.array([0, 1, 2, 1, 2, 3]), np.array([0, 1, 2, 0, 1, 2]), np.arange(6.0)
    )
    trace = Trace("哈" * 4, tuple("哈" * 4), (), "soft_lexicon", lattice=lattice, word_sets=sets)
    assert word_links(trace)[1] == [
        (4, 0, 0.0, "B"), (4, 1, 0.25, "M"), (4, 2, 0.5, "E"),
        (5, 1, 0.75, "B"), (5, 2, 1.0, "M"), (5, 3, 1.25, "E"),
    ]  # fmt: skip


def test_words_nobody_looks_at_are_no_keys():
    trace = traced("soft_lexicon", sequence_layer="transformer", heads=2, hidden=8)
    assert nodes_attend(trace)
    assert node_attention(trace, 0, 0).shape == (len(TEXT), len(TEXT))
    np.testing.assert_allclose(node_attention(trace, 0, 0).sum(1), 1.0, atol=1e-4)


def test_a_tagger_without_either_has_no_ties():
    assert word_links(replace(sample_trace(), attention=())) == ("", [])


def test_a_view_holds_the_nodes_and_the_spans_they_touch():
    trace = sample_trace()
    view = lattice_view(trace)
    assert view.lattice.nodes == (*TOKENS, "岭南", "岭南市")
    assert view.touches == ((), (), (), (0,), (0,), (0,), (0,), (0,))
    assert (view.spans, view.text, view.tagger) == (trace.spans, trace.text, "flat")
    assert view.heads == (2,)
    np.testing.assert_array_equal(view.attention, trace.attention[0].mean(0))


def test_a_word_beside_an_entity_does_not_touch_it():
    lattice = sample_trace().lattice
    assert touched(lattice, 6, [Span(5, 6, "LOC")]) == ()
    assert touched(lattice, 6, [Span(0, 1, "PER"), Span(4, 6, "LOC")]) == (1,)


def test_a_trace_without_lattice_has_no_view():
    with pytest.raises(ValueError, match="no lattice"):
        lattice_view(replace(sample_trace(), lattice=None))


def test_a_trace_without_attention_has_no_heads_to_choose():
    view = lattice_view(replace(sample_trace(), attention=()))
    assert (view.attention, view.heads, view.links, view.link_kind) == (None, (), (), "")


def test_the_links_of_a_view_are_those_of_its_words():
    trace = traced("soft_lexicon")
    assert (lattice_view(trace).link_kind, list(lattice_view(trace).links)) == word_links(trace)

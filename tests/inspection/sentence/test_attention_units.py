"""Attention among pieces and nodes as attention among characters, words and entities."""

from dataclasses import replace

import numpy as np
import pytest

from core.inspection.sentence.attention_units import KINDS, kinds, units
from core.taggers.base.trace import PieceTrace, Trace
from tests.inspection.attention_traces import bert_trace, flat_trace, random_weights, soft_lexicon_trace


def whole(trace: Trace, kind, special=True):
    made = units(trace, kind, special)
    return made, made.weights(trace.attention[-1][:, : len(trace.queries)])


@pytest.mark.parametrize("make", [flat_trace, soft_lexicon_trace, bert_trace])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_still_sum_to_one_when_nothing_is_left_out(make, kind):
    trace = make()
    made, weights = whole(trace, kind)
    assert weights.shape[1:] == (len(made.rows), len(made.columns))
    np.testing.assert_allclose(weights.sum(-1), 1.0, atol=1e-12)


def test_to_a_unit_is_the_sum_and_from_a_unit_the_mean_over_its_pieces():
    trace = bert_trace()
    made, weights = whole(trace, "words")
    # The two Han characters and the blank stand alone; the blank has no piece and is left out.
    assert made.rows == made.columns == ("[CLS]", "湖", "边", "Lakeside", "好", "[SEP]")
    pieces = [[0], [1], [2], [3, 4], [5], [6]]
    for head in range(2):
        for row, asking in enumerate(pieces):
            for column, given in enumerate(pieces):
                expected = np.mean([sum(trace.attention[-1][head, q, k] for k in given) for q in asking])
                assert weights[head, row, column] == pytest.approx(expected)


def test_a_piece_over_several_characters_shares_its_attention_out_among_them():
    trace = bert_trace()
    made, weights = whole(trace, "characters")
    assert made.rows == ("[CLS]", *"湖边Lakeside好", "[SEP]")
    assert weights[0, 1, 3] == pytest.approx(trace.attention[-1][0, 1, 3] / 4)  # L of "lake"
    assert weights[0, 1, 7] == pytest.approx(trace.attention[-1][0, 1, 4] / 4)  # s of "##side"
    np.testing.assert_allclose(weights[0, 3], weights[0, 6])  # "L" and "e" asked as one piece


def test_several_pieces_of_one_character_are_one():
    pieces = PieceTrace(("æ", "¹", "ĸ", "好"), np.array([0, 0, 0, 1]), np.array([1, 1, 1, 2]))
    attention = (random_weights(1, 4, 4, 7),)
    trace = Trace("湖好", ("湖", "好"), (), "bert", attention, pieces=pieces)
    made, weights = whole(trace, "characters")
    assert made.rows == ("湖", "好")
    assert weights[0, 0, 1] == pytest.approx(attention[0][0, :3, 3].mean())
    assert weights[0, 1, 0] == pytest.approx(attention[0][0, 3, :3].sum())


@pytest.mark.parametrize("kind", KINDS)
def test_special_pieces_can_be_left_out_and_take_their_share_along(kind):
    trace = bert_trace()
    made, weights = whole(trace, kind, special=False)
    assert not {"[CLS]", "[SEP]"} & {*made.rows, *made.columns}
    kept, everything = whole(trace, kind)
    inside = [kept.rows.index(name) for name in made.rows if kept.rows.count(name) == 1]
    paid = everything[..., kept.columns.index("[CLS]")] + everything[..., kept.columns.index("[SEP]")]
    expected = 1 - paid[:, inside]
    own = [made.rows.index(kept.rows[row]) for row in inside]
    np.testing.assert_allclose(weights.sum(-1)[:, own], expected, atol=1e-12)


def test_the_outermost_entities_are_units_and_what_lies_beside_them_stays_characters():
    made, _ = whole(bert_trace(), "spans")
    assert made.rows == ("[CLS]", "湖边 Lakeside", "好", "[SEP]")
    made, _ = whole(flat_trace(), "spans")
    assert made.rows == ("林青", "在", "白石湖")


def test_in_a_lattice_a_word_counts_as_its_characters():
    trace = flat_trace()
    made, weights = whole(trace, "characters")
    raw = trace.attention[-1]
    assert made.columns == tuple(trace.text)
    # 白 is itself, half of 白石 and a third of 白石湖.
    expected = raw[0, 1, 3] + raw[0, 1, 6] / 2 + raw[0, 1, 7] / 3
    assert weights[0, 1, 3] == pytest.approx(expected)


def test_words_are_the_longest_of_the_lattice():
    made, weights = whole(flat_trace(), "words")
    raw = flat_trace().attention[-1]
    assert made.rows == ("林", "青", "在", "白石湖")
    assert weights[1, 3, 3] == pytest.approx(raw[1, 3:, 3:].sum(-1).mean())


def test_nodes_are_what_the_tagger_reads():
    made, weights = whole(flat_trace(), "nodes")
    assert made.rows == tuple(flat_trace().text)
    assert made.columns == flat_trace().lattice.nodes
    np.testing.assert_array_equal(weights, flat_trace().attention[-1])


def test_only_units_that_differ_are_offered():
    assert kinds(flat_trace()) == ("nodes", "characters", "words", "spans")
    # Nobody attends to the words of SoftLexicon, so its nodes are its characters.
    assert kinds(soft_lexicon_trace()) == ("characters", "words", "spans")
    assert kinds(bert_trace()) == ("nodes", "characters", "words", "spans")
    assert kinds(replace(flat_trace(), spans=())) == ("nodes", "characters", "words")
    with pytest.raises(ValueError, match="no attention"):
        kinds(replace(flat_trace(), attention=()))


def test_scripts_without_blanks_make_no_words_of_their_own():
    text = "湖𠮷𠮷かな"
    attention = (random_weights(1, 5, 5, 8),)
    trace = Trace(text, tuple(text), (), "cnn", attention)
    assert kinds(trace) == ("characters",)


def test_a_text_without_pieces_has_no_units():
    pieces = PieceTrace(("[CLS]", "[SEP]"), np.array([0, 0]), np.array([0, 0]))
    trace = Trace(" ", (" ",), (), "bert", (random_weights(1, 2, 2, 9),), pieces=pieces)
    assert units(trace, "characters").rows == ("[CLS]", "[SEP]")
    assert units(trace, "characters", special=False).rows == ()

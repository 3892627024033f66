"""What the attention panel shows of a trace, against the trace's own weights."""

from dataclasses import replace

import numpy as np
import pytest

from core.inspection.sentence.attention_rollout import rollout
from core.inspection.sentence.attention_units import KINDS, units
from core.inspection.sentence.attention_view import (
    MEAN,
    MOST_CELLS,
    ROLLOUT,
    attention_map,
    attention_view,
    existing_head,
    shrunk,
)
from core.taggers.base.trace import MrcTrace, Trace
from tests.inspection.attention_traces import bert_trace, flat_trace, random_weights, soft_lexicon_trace


@pytest.mark.parametrize("make", [flat_trace, soft_lexicon_trace, bert_trace])
@pytest.mark.parametrize("head", [0, 1, MEAN, ROLLOUT])
def test_a_map_among_nodes_holds_the_weights_of_its_head(make, head):
    trace = make()
    for layer, weights in enumerate(trace.attention):
        shown = attention_map(trace, layer, head)
        expected = (
            rollout(trace, layer) if head == ROLLOUT else weights.mean(0) if head == MEAN else weights[head]
        )
        np.testing.assert_allclose(shown.weights, expected[: len(trace.queries)])
        assert (shown.rows, shown.columns) == (trace.queries, trace.keys)
        assert (shown.layer, shown.head) == (layer, head)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("special", [True, False])
def test_the_chosen_head_and_all_thumbnails_are_in_the_same_units(kind, special):
    trace = bert_trace()
    shown = units(trace, kind, special)
    view = attention_view(trace, kind, special, 1, 0)
    np.testing.assert_allclose(view.chosen.weights, shown.weights(trace.attention[1][0]))
    assert (view.chosen.rows, view.chosen.columns) == (shown.rows, shown.columns)
    for layer, maps in enumerate(view.thumbnails):
        for head, thumbnail in enumerate(maps):
            weights = shown.weights(trace.attention[layer][head])
            np.testing.assert_allclose(thumbnail, weights / weights.max())


@pytest.mark.parametrize(("layer", "head"), [(2, 0), (-1, 0), (0, 3), (0, -3), (2, ROLLOUT)])
def test_a_layer_or_head_that_does_not_exist_is_refused(layer, head):
    with pytest.raises(IndexError):
        attention_map(flat_trace(), layer, head)


@pytest.mark.parametrize(
    ("asked", "default", "expected"),
    [
        ((1, 2), 0, (1, 2)),
        ((0, ROLLOUT), 0, (0, ROLLOUT)),
        ((0, 2), 0, (0, MEAN)),  # the first layer has two heads
        ((7, 9), 0, (0, MEAN)),
        ((None, "0"), -1, (1, MEAN)),
        (([], {}), 0, (0, MEAN)),
    ],
)
def test_a_head_there_is_not_is_the_mean_of_its_layer(asked, default, expected):
    assert existing_head((2, 3), *asked, default) == expected


@pytest.mark.parametrize(
    ("make", "kind"), [(flat_trace, "nodes"), (soft_lexicon_trace, "characters"), (bert_trace, "characters")]
)
def test_choices_that_the_trace_has_not_fall_back_to_what_it_reads(make, kind):
    view = attention_view(make(), "nothing", False, 7, 9)
    assert (view.kind, view.chosen.layer, view.chosen.head) == (kind, 0, MEAN)
    assert view.special == (not view.has_special)
    assert view.heads == tuple(len(weights) for weights in make().attention)


def test_only_pieces_that_cover_no_character_are_special():
    assert attention_view(bert_trace()).has_special
    assert not attention_view(flat_trace()).has_special


def test_the_query_before_the_text_is_named():
    nothing = np.zeros((2, 12))
    queries = MrcTrace(("LOC", "PER"), ("a", "b"), nothing, nothing, np.zeros((0, 3)), np.zeros(0), True, 1)
    assert attention_map(replace(bert_trace(), mrc=queries), 0, 0).query_label == "PER"
    assert attention_map(bert_trace(), 0, 0).query_label is None


def test_without_attention_there_is_no_view():
    with pytest.raises(ValueError, match="no attention"):
        attention_view(replace(flat_trace(), attention=()))


def test_a_thin_line_stays_when_a_map_is_reduced():
    line = np.zeros((1, 100, 60))
    line[0, 77] = 1.0
    small = shrunk(line, 8)
    assert small.shape == (1, 8, 8)
    assert small[0, 77 * 8 // 100].tolist() == [1.0] * 8
    assert small.sum() == 8


def test_the_thumbnails_of_many_heads_stay_small():
    count = 120
    trace = Trace("湖" * count, ("湖",) * count, (), "cnn", (random_weights(12, count, count, 2),) * 12)
    assert sum(maps.size for maps in attention_view(trace).thumbnails) < MOST_CELLS * 1.3


def test_a_head_that_pays_nothing_has_an_empty_thumbnail():
    trace = Trace("湖边", ("湖", "边"), (), "cnn", (np.zeros((1, 2, 2)),))
    assert not attention_view(trace).thumbnails[0].any()

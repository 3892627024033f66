"""Figures are tested on the data they carry, not on pixels."""

from dataclasses import replace

import numpy as np

from app.ui.figures.attention import attention_heatmap
from app.ui.figures.axes import MOST_TICKS, node_axis
from app.ui.figures.crf import emission_heatmap, marginal_heatmap, transition_heatmap
from core.inspection.sentence.attention_view import MEAN, attention_map
from core.inspection.sentence.crf_scores import crf_scores
from core.taggers.base.trace import PieceTrace
from tests.app.inspect.figures.sample_trace import TOKENS, sample_trace


def test_attention_heatmap_shows_the_chosen_head_with_queries_down_and_keys_across() -> None:
    trace = sample_trace()
    figure = attention_heatmap(attention_map(trace, 0, 1))
    np.testing.assert_allclose(np.asarray(figure.data[0].z), trace.attention[0][1])
    assert figure.layout.yaxis.autorange == "reversed"
    assert list(figure.layout.xaxis.ticktext) == [*TOKENS, "岭<br>南", "岭<br>南<br>市"]
    assert list(figure.layout.yaxis.ticktext) == list(TOKENS)


def test_attention_heatmap_of_the_mean_averages_the_heads() -> None:
    trace = sample_trace()
    figure = attention_heatmap(attention_map(trace, 0, MEAN))
    np.testing.assert_allclose(
        np.asarray(figure.data[0].z), (trace.attention[0][0] + trace.attention[0][1]) / 2
    )


def test_transitions_name_both_axes_and_hold_start_and_end() -> None:
    figure = transition_heatmap(crf_scores(sample_trace()))
    scores = np.asarray(figure.data[0].z, dtype=float)
    assert list(figure.layout.yaxis.ticktext) == ["START", "O", "B-LOC", "E-LOC"]
    assert list(figure.layout.xaxis.ticktext) == ["O", "B-LOC", "E-LOC", "END"]
    assert figure.layout.yaxis.title.text == "from tag"
    assert figure.layout.xaxis.title.text == "to tag"
    assert scores[0, :3].tolist() == [-1, -2, -3]
    assert scores[1:, 3].tolist() == [-4, -5, -6]
    assert scores[2, 2] == 6  # from B-LOC to E-LOC
    assert np.isnan(scores[0, 3])


def test_emissions_and_marginals_run_along_the_sentence_with_the_path_on_top() -> None:
    trace = sample_trace()
    for figure, values in (
        (emission_heatmap(crf_scores(trace)), trace.crf.emissions),
        (marginal_heatmap(crf_scores(trace)), trace.crf.marginals),
    ):
        np.testing.assert_allclose(np.asarray(figure.data[0].z), values.T)
        assert np.asarray(figure.data[1].y).tolist() == [0, 0, 0, 1, 1, 2]


def test_equal_characters_keep_their_own_ticks_and_markup_is_inert() -> None:
    axis = node_axis(["好", "好", "<b>", " ", "\n"], "t")
    assert axis["tickvals"] == [0, 1, 2, 3, 4]
    assert axis["ticktext"] == ["好", "好", "&lt;b&gt;", "␣", "↵"]


def test_a_long_axis_names_only_as_many_nodes_as_can_be_read() -> None:
    axis = node_axis(["字"] * 1000, "t")
    assert len(axis["tickvals"]) <= MOST_TICKS
    assert node_axis([], "t")["tickvals"] == []


def test_figures_speak_chinese_too() -> None:
    assert transition_heatmap(crf_scores(sample_trace()), "zh").layout.xaxis.title.text == "到标签"


def test_attention_among_word_pieces_is_drawn_on_pieces_not_on_characters() -> None:
    pieces = PieceTrace(("[CLS]", "陈禾", "在", "[SEP]"), np.array([0, 0, 2, 3]), np.array([0, 2, 3, 3]))
    attention = np.full((2, 4, 4), 0.25)
    trace = replace(sample_trace(), lattice=None, pieces=pieces, attention=(attention,))
    figure = attention_heatmap(attention_map(trace, 0, 0))
    assert list(figure.layout.xaxis.ticktext) == ["C<br>L<br>S", "陈<br>禾", "在", "S<br>E<br>P"]
    assert list(figure.layout.yaxis.ticktext) == list(pieces.pieces)
    assert np.asarray(figure.data[0].z).shape == (4, 4)

"""The figures of mixed layers, tested on the data they carry."""

import numpy as np
import pytest

from app.inspect.figures.mix_path import mix_path
from app.ui.figures.layer_mix import layer_mix
from core.inspection.sentence.mix_view import MixView
from core.taggers.base.trace import MixTrace
from core.training.run.mix_path import MixPath

TOKENS = ("青", "禾", "大", "学")


def view_of(*mixes, gradients=None):
    return MixView(TOKENS, mixes, gradients or (None,) * len(mixes))


def bars_of(figure):
    return [trace for trace in figure.data if trace.type == "bar"]


def titles(figure):
    return [annotation.text for annotation in figure.layout.annotations]


def test_shares_are_bars_with_gamma_above_and_equal_shares_dashed():
    figure = layer_mix(view_of(MixTrace(np.array([0.2, 0.5, 0.3]), 1.25, layers=(9, 10, 11))))
    (bars,) = bars_of(figure)
    np.testing.assert_allclose(np.asarray(bars.y), [0.2, 0.5, 0.3])
    assert titles(figure) == ["layers of the encoder<br>γ = 1.250"]
    assert list(figure.layout.xaxis.ticktext) == ["9", "10", "11"]
    dashed = next(trace for trace in figure.data if trace.type == "scatter")
    assert list(dashed.y) == pytest.approx([1 / 3, 1 / 3])


def test_two_mixes_stand_side_by_side_under_their_names_with_the_gradients_of_their_penalty_below():
    scalars = np.array([1.0, 0.0])
    mixes = [MixTrace(np.array([0.7, 0.3]), 1.0, name, scalars=scalars) for name in ("input", "output")]
    gradients = [np.array([-0.02, 0.02]), np.array([0.01, -0.01])]
    figure = layer_mix(view_of(*mixes, gradients=gradients))
    assert titles(figure) == ["LSTM input<br>γ = 1.000", "LSTM output<br>γ = 1.000"]
    drawn = [np.asarray(bars.y).tolist() for bars in bars_of(figure)]
    assert drawn == [[0.7, 0.3], [-0.02, 0.02], [0.7, 0.3], [0.01, -0.01]]
    assert "w = 1.0000" in bars_of(figure)[0].customdata[0]


def test_a_gradient_of_nothing_is_not_blown_up():
    mix = MixTrace(np.array([0.5, 0.5]), scalars=np.zeros(2), strength=0.1)
    figure = layer_mix(view_of(mix, gradients=[np.array([1e-18, -1e-18])]))
    low, high = figure.layout.yaxis2.range
    assert (low, high) == (-1e-4, 1e-4)


@pytest.mark.parametrize(("least", "scale"), [(0.0, "Viridis"), (-0.5, "RdBu")])
def test_weights_of_every_token_are_a_heatmap_whose_colours_know_signs(least, scale):
    each = np.linspace(least, 1.0, 8).reshape(4, 2)
    figure = layer_mix(view_of(MixTrace(each, layers=(3, 4))))
    (drawn,) = figure.data
    np.testing.assert_allclose(np.asarray(drawn.z), each.T)
    assert drawn.zmin == (-1.0 if least < 0 else 0.0)
    expected = layer_mix(view_of(MixTrace(np.abs(each)))).data[0].colorscale
    assert (drawn.colorscale == expected) == (scale == "Viridis")
    assert list(figure.layout.xaxis.ticktext) == list(TOKENS)
    assert list(figure.layout.yaxis.ticktext) == ["3", "4"]


def test_a_name_without_words_stands_for_itself_and_is_no_markup():
    figure = layer_mix(view_of(MixTrace(np.array([1.0]), 1.0, "<b>x")))
    assert titles(figure)[0].startswith("&lt;b&gt;x")


def path(name="encoder", layers=(0, 1), penalty=()):
    return MixPath(name, layers, (1, 5, 9), ((0.5, 0.5), (0.6, 0.4), (0.8, 0.2)), (1.0, 1.1, 1.3), penalty)


def lines(figure):
    return {(trace.name, trace.xaxis): list(trace.y) for trace in figure.data}


def test_a_path_has_a_line_for_every_layer_and_one_for_gamma_over_the_steps():
    figure = mix_path([path(layers=(3, 4))])
    assert lines(figure)["layer 3", "x"] == [0.5, 0.6, 0.8]
    assert lines(figure)["layer 4", "x"] == [0.5, 0.4, 0.2]
    assert [1.0, 1.1, 1.3] in lines(figure).values()
    assert all(list(trace.x) in ([1, 5, 9], [1, 9]) for trace in figure.data)
    assert "penalty λ‖w‖²" not in {trace.name for trace in figure.data}


def test_penalties_are_drawn_where_there_are_any_and_a_layer_is_named_once():
    figure = mix_path([path("input", penalty=(0.0, 0.1, 0.2)), path("output", penalty=(0.0, 0.3, 0.4))])
    penalties = [list(trace.y) for trace in figure.data if trace.name == "penalty λ‖w‖²"]
    assert penalties == [[0.0, 0.1, 0.2], [0.0, 0.3, 0.4]]
    assert [trace.name for trace in figure.data if trace.showlegend] == ["layer 0", "layer 1"]
    assert titles(figure) == ["LSTM input", "LSTM output"]


def test_the_figures_speak_chinese():
    assert mix_path([path()], "zh").data[0].name == "第 0 层"
    assert layer_mix(view_of(MixTrace(np.array([1.0]))), "zh").layout.yaxis.title.text == "份额 s"

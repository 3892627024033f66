"""The scatter of vectors: every point in its group, at its place, and hostile text made inert."""

import numpy as np

from app.inspect.figures.embeddings import SYMBOLS, Group, vector_scatter
from app.inspect.figures.layer_titles import layer_title

POINTS = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
GROUPS = {"a": Group("PER", "#111111"), "empty": Group("ORG", "#222222"), "b": Group("<b>LOC", "#333333")}


def test_every_point_stands_in_its_group_with_its_number():
    figure = vector_scatter(POINTS, ["b", "a", "b"], GROUPS, ["x", "y", "<i>z</i>"], (0.5, 0.25))
    first, second = figure.data
    assert (first.name, list(first.x), list(first.y)) == ("PER (1)", [2.0], [3.0])
    assert list(second.customdata) == [0, 2]
    assert second.name == "&lt;b&gt;LOC (2)"
    assert list(second.text) == ["x", "&lt;i&gt;z&lt;/i&gt;"]
    assert [trace.marker.symbol for trace in figure.data] == [SYMBOLS[0], SYMBOLS[2]], "no colour alone"
    assert "50%" in figure.layout.xaxis.title.text
    assert "25%" in figure.layout.yaxis.title.text


def test_axes_that_mean_nothing_have_no_numbers():
    figure = vector_scatter(POINTS, ["a"] * 3, GROUPS, ["x"] * 3, None, "zh", "<b>flat")
    assert figure.layout.xaxis.title.text == "无单位"
    assert figure.layout.xaxis.showticklabels is False
    assert figure.layout.title.text == "&lt;b&gt;flat"


def test_layers_are_called_what_a_reader_calls_them():
    assert layer_title("encoder 0") == "encoder embeddings"
    assert layer_title("encoder 12") == "encoder layer 12"
    assert layer_title("layer 2", "zh") == "第 2 层"
    assert layer_title("context") == "context"
    assert layer_title("context 2") == "second context"
    assert layer_title("something else") == "something else"

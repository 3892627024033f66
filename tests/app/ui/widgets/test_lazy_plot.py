"""Figures that wait in the browser as text until they come into view."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from app.ui.figures.axes import pairs
from app.ui.widgets.lazy_plot import HEIGHT, LazyPlot, figure_json, lazy_plot


def test_a_figure_travels_as_text_with_the_height_to_keep_free():
    sent = lazy_plot("some-plot").postprocess(go.Figure(go.Bar(y=[1, 2]), layout={"height": 222}))
    assert sent["height"] == 222
    assert json.loads(sent["figure"])["data"][0]["y"] == [1, 2]


def sent_trace(**given):
    figure = go.Figure(go.Heatmap(z=np.arange(6.0, dtype=np.float32).reshape(2, 3), **given))
    return json.loads(figure_json(figure))["data"][0]


def test_the_names_of_a_heatmaps_cells_travel_as_those_of_its_rows_and_columns():
    trace = sent_trace(customdata=pairs(["岭", "南"], ["岭", "南", "岭南"]))
    assert trace["crossed"] == {"rows": ["岭", "南"], "columns": ["岭", "南", "岭南"]}
    assert "customdata" not in trace
    assert trace["z"]["dtype"] == "f4"


def test_cells_with_names_of_their_own_keep_them():
    own = pairs(["a", "b"], ["c", "d", "e"])
    own[1, 2, 0] = "other"
    trace = sent_trace(customdata=own)
    assert "crossed" not in trace
    assert trace["customdata"][1][2] == ["other", "e"]
    assert trace["customdata"][0][0] == ["a", "c"]


@pytest.mark.parametrize(
    "names", [None, [[1, 2, 3], [4, 5, 6]], np.zeros((2, 3, 2)), np.empty((0, 0, 2), object)]
)
def test_other_data_of_cells_is_left_as_it_is(names):
    trace = sent_trace(customdata=names)
    assert "crossed" not in trace
    assert ("customdata" in trace) == (names is not None)


def test_the_figure_itself_is_not_changed():
    figure = go.Figure(go.Heatmap(z=[[1.0]], customdata=pairs(["a"], ["b"])))
    figure_json(figure)
    assert figure.data[0].customdata.tolist() == [[["a", "b"]]]


def test_a_figure_without_a_height_gets_one_and_none_stays_none():
    assert lazy_plot("some-plot").postprocess(go.Figure())["height"] == HEIGHT
    assert lazy_plot("some-plot").postprocess(None) is None


def test_a_copy_that_gradio_makes_of_it_sends_figures_the_same_way():
    made = lazy_plot("some-plot")
    copy = LazyPlot(**{key: value for key, value in made.constructor_args.items() if key != "self"})
    assert copy.postprocess(go.Figure(layout={"height": 90})) == made.postprocess(
        go.Figure(layout={"height": 90})
    )


def test_no_text_of_a_figure_gets_into_the_template():
    made = lazy_plot("some-plot")
    assert "${" not in made.html_template
    assert "{{" not in made.html_template

"""Figures that wait in the browser as text until they come into view."""

from __future__ import annotations

import json

import gradio as gr
import plotly.graph_objects as go

from app.widgets.lazy_plot import HEIGHT, LazyPlot, lazy_plot, plotly_loader


def test_a_figure_travels_as_text_with_the_height_to_keep_free():
    sent = lazy_plot("some-plot").postprocess(go.Figure(go.Bar(y=[1, 2]), layout={"height": 222}))
    assert sent["height"] == 222
    assert json.loads(sent["figure"])["data"][0]["y"] == [1, 2]


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


def test_a_page_with_lazy_plots_has_a_plot_of_gradios_that_loads_the_library():
    assert isinstance(plotly_loader(), gr.Plot)

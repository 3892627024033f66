"""A plotly figure that is drawn when near the viewport, or when the browser is idle.

Gradio draws ten figures at once and blocks the page for seconds; here the browser keeps each as text until it
is drawn. Plotly itself, which blocks a page for a quarter of a second too, is run once the page has its
contents (assets/scripts/widgets/plotly.js). A page with figures has one `plotly_loader`.
"""

from __future__ import annotations

from typing import Any

import gradio as gr
import numpy as np
import plotly.graph_objects as go
from plotly.io.json import to_json_plotly

from app.ui.widgets.page_code import page_script, page_widget

HEIGHT = 360  # default height in pixels


class LazyPlot(gr.HTML):
    """Give it a `plotly.graph_objects.Figure`; None empties it."""

    is_template = True

    def postprocess(self, value: Any) -> Any:
        """The figure as JSON text, with its height."""
        if not isinstance(value, go.Figure):
            return value
        return {"figure": figure_json(value), "height": int(value.layout.height or HEIGHT)}


def figure_json(figure: go.Figure) -> str:
    """The figure as JSON, with the names of a heatmap's rows and columns instead of those of every cell.

    Names of every cell would be two thirds of the text of an attention heatmap. lazy_plot.js expands
    ``crossed`` into ``customdata``.
    """
    plain = figure.to_dict()
    for trace in plain["data"]:
        names = trace.get("customdata")
        if _are_crossed(names):
            trace["crossed"] = {"rows": names[:, 0, 0], "columns": names[0, :, 1]}
            del trace["customdata"]
    return str(to_json_plotly(plain))


def _are_crossed(names: Any) -> bool:
    """Whether every cell of ``[R, C, 2]`` holds the name of its row and the name of its column."""
    if not isinstance(names, np.ndarray) or names.dtype != object:
        return False
    if names.ndim != 3 or names.shape[2] != 2 or not names.size:
        return False
    down, across = names[:, :1, 0], names[:1, :, 1]
    return bool((names[:, :, 0] == down).all() and (names[:, :, 1] == across).all())


def lazy_plot(elem_id: str, visible: bool = True) -> LazyPlot:
    """An empty plot."""
    return LazyPlot(
        value=None,
        html_template='<div class="ll-lazy-plot"></div>',
        js_on_load=page_script("widgets/lazy_plot.js"),
        elem_id=elem_id,
        visible=visible,
    )


def plotly_loader() -> gr.HTML:
    """An empty element that has Plotly fetched with the page, before there is a figure."""
    return page_widget("widgets/plotly.js", "", classes=["ll-plotly-loader"])

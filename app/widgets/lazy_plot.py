"""A plotly figure that is drawn once it comes near the window.

A page of ten figures that gradio draws all at once stands still for seconds; here the browser holds each as
text until somebody scrolls to it. Plotly itself comes with gradio, which loads it for its own plots only: a
page with lazy plots has one `plotly_loader`.
"""

from __future__ import annotations

from typing import Any

import gradio as gr
import plotly.graph_objects as go

from app.widgets.page_code import page_script, read

HEIGHT = 360  # pixels of a figure that does not say


class LazyPlot(gr.HTML):
    """Give it a `plotly.graph_objects.Figure`; None empties it."""

    is_template = True

    def postprocess(self, value: Any) -> Any:
        """The figure as text, with the height to keep free for it."""
        if not isinstance(value, go.Figure):
            return value
        return {"figure": value.to_json(), "height": int(value.layout.height or HEIGHT)}


def lazy_plot(elem_id: str) -> LazyPlot:
    """An empty one."""
    return LazyPlot(
        value=None,
        html_template='<div class="ll-lazy-plot"></div>',
        js_on_load=page_script("lazy_plot", read("lazy_plot.js")),
        elem_id=elem_id,
        container=False,
        padding=False,
    )


def plotly_loader() -> gr.Plot:
    """An invisible plot of gradio's, so that Plotly is loaded when the page is."""
    return gr.Plot(go.Figure(), show_label=False, container=False, elem_classes="ll-plotly-loader")

"""A plotly figure with its downloads under it: PNG, SVG, and the numbers as CSV or JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass

import gradio as gr

from app.ui.widgets.lazy_plot import LazyPlot, lazy_plot
from app.ui.widgets.page_code import page_widget


@dataclass(frozen=True, slots=True)
class FigureView:
    """The two parts of a figure on a page.

    Args:
        plot: give it a `plotly.graph_objects.Figure`; None empties it.
        bar: the downloads. Its event ``pick`` fires when a point of the figure is clicked, with ``data``:
            ``x``, ``y``, ``trace`` (its number) and ``customdata`` of the point, untrusted.
    """

    plot: LazyPlot
    bar: gr.HTML


def figure_view(elem_id: str) -> FigureView:
    """An empty figure that can be saved; ``elem_id`` also names the files (letters, digits, ``-``).

    Raises:
        ValueError: the name has other characters.
    """
    if not re.fullmatch(r"[a-z][a-z0-9-]*", elem_id):
        raise ValueError(f"{elem_id!r} cannot name a figure: small letters, digits and '-' only")
    plot = lazy_plot(elem_id)
    bar = page_widget(
        "widgets/figure.js",
        '<div class="ll-figure-bar" role="group"></div>',
        events=("pick",),
        classes=("ll-figure-downloads",),
        elem_id=f"{elem_id}-bar",
        figure=elem_id,
    )
    return FigureView(plot, bar)

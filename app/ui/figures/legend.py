"""Placement of a figure's legend."""

from __future__ import annotations

import plotly.graph_objects as go


def legend_above(figure: go.Figure, entries: int) -> go.Figure:
    """A legend above the drawing, one name a line, so that it fits on a phone.

    At a fixed distance; a share of the height would grow with the drawing.
    """
    figure.update_layout(
        showlegend=entries > 0,
        margin={"t": 16 + 20 * entries, "l": 16},
        legend={
            "orientation": "v",
            "x": 0,
            "y": 1,
            "yanchor": "bottom",
            "yref": "paper",
            "traceorder": "normal",
        },
    )
    return figure

"""Where a figure's legend stands."""

from __future__ import annotations

import plotly.graph_objects as go


def legend_above(figure: go.Figure, entries: int) -> go.Figure:
    """The legend one name a line above the drawing: on a phone a row of names would run out of the figure.

    A fixed way above it: a share of the height would grow with the drawing.
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

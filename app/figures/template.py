"""One look for every figure: font, margins, and colours that stand on a light and on a dark page."""

from __future__ import annotations

import plotly.graph_objects as go

FONT = 'system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", "Noto Sans", sans-serif'
# A figure cannot see whether it lies on a light or a dark page. In the app, assets/app.css gives its text the
# page's own colour; this grey is for figures saved as files, readable on both (4.3 : 1 on either).
INK = "#737b8a"
GRID = "rgba(128, 136, 150, 0.25)"
ACCENT = "#0072B2"
SECOND = "#D55E00"


def styled(figure: go.Figure, height: int = 360) -> go.Figure:
    """The figure with the project's font, margins and transparent background; ``height`` in pixels."""
    axis = {"gridcolor": GRID, "linecolor": GRID, "zerolinecolor": GRID, "automargin": True}
    figure.update_layout(
        height=height,
        font={"family": FONT, "size": 12, "color": INK},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        margin={"l": 48, "r": 16, "t": 32, "b": 48},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        hoverlabel={"font": {"family": FONT}},
        colorway=[ACCENT, SECOND, "#009E73", "#CC79A7", "#E69F00", "#56B4E9"],
        modebar={"bgcolor": "rgba(0,0,0,0)"},
    )
    figure.update_xaxes(**axis)
    figure.update_yaxes(**axis)
    return figure

"""The template of all figures: font, margins, and colours for light and dark pages."""

from __future__ import annotations

import plotly.graph_objects as go
import plotly.io as pio

FONT = 'system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", "Noto Sans", sans-serif'
# A figure cannot see whether it lies on a light or a dark page. In the app, assets/app.css gives its text the
# page's own colour; this grey is for figures saved as files, readable on both (4.3 : 1 on either).
INK = "#737b8a"
GRID = "rgba(128, 136, 150, 0.25)"
ACCENT = "#0072B2"
SECOND = "#D55E00"
NAME = "latticelens"

_AXIS = {
    "gridcolor": GRID,
    "linecolor": GRID,
    "zerolinecolor": GRID,
    "zerolinewidth": 2,
    "automargin": True,
    "ticks": "",
    "title": {"standoff": 15},
    # Else plotly measures every tick's text to hide those that leave the figure, which is most of the time
    # that a sentence's heatmap takes to draw; margins make room for them all.
    "ticklabeloverflow": "allow",
}
# Its title runs along it: above it, it would take half a phone's width from the figure, or lie on numbers.
_COLORBAR = {"outlinewidth": 0, "ticks": "", "thickness": 12, "title": {"side": "right"}}

# Plotly's own template is eight times as large, and every figure contains a copy.
TEMPLATE = go.layout.Template(
    layout={
        "font": {"family": FONT, "size": 12, "color": INK},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 48, "r": 16, "t": 32, "b": 48},
        "title": {"x": 0.05},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "hovermode": "closest",
        "hoverlabel": {"align": "left", "font": {"family": FONT}},
        "colorway": [ACCENT, SECOND, "#009E73", "#CC79A7", "#E69F00", "#56B4E9"],
        "modebar": {"bgcolor": "rgba(0,0,0,0)"},
        "autotypenumbers": "strict",
        "xaxis": _AXIS,
        "yaxis": _AXIS,
        "coloraxis": {"colorbar": _COLORBAR},
    },
    data={
        "heatmap": [{"colorbar": _COLORBAR}],
        "bar": [{"marker": {"line": {"color": "#E5ECF6", "width": 0.5}}}],
    },
)
pio.templates[NAME] = TEMPLATE
pio.templates.default = NAME


def styled(figure: go.Figure, height: int = 360) -> go.Figure:
    """Apply the project's template; ``height`` in pixels. Settings of the figure take precedence."""
    if figure.layout.template != TEMPLATE:
        figure.layout.template = TEMPLATE
    figure.layout.height = height
    return figure

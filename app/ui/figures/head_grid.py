"""Figures with a cell for every head: layers from top to bottom, heads from left to right."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from app.i18n import Language, _, text
from app.ui.figures.template import SECOND, styled

SCALE = 60  # pixels above a figure with a scale
WIDTH = 460  # typical width in pixels, to make cells about square


def head_grid(figure: go.Figure, layers: int, heads: int, language: Language) -> go.Figure:
    """The figure with axes that name layers and heads, each head one unit wide and high around its number."""
    cell = min(88, max(24, WIDTH // max(heads, 1)))
    every = range(0, heads, 1 + heads // 17)
    numbers = {
        "tickmode": "array",
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "automargin": False,  # the template's margins have room for two digits
    }
    figure.update_xaxes(
        **numbers,
        title={"text": text(_("head"), language), "standoff": 8},
        tickvals=list(every),
        ticktext=[str(head) for head in every],
        range=[-0.5, heads - 0.5],
    )
    figure.update_yaxes(
        **numbers,
        title={"text": text(_("layer"), language), "standoff": 8},
        tickvals=list(range(layers)),
        ticktext=[str(layer) for layer in range(layers)],
        range=[layers - 0.5, -0.5],
    )
    return styled(figure, height=104 + layers * cell)


def flat_scale() -> dict[str, Any]:
    """A horizontal colour scale above the figure on the right: a phone has no room beside it."""
    return {
        "orientation": "h",
        "thickness": 8,
        "len": 0.4,
        "x": 1.0,
        "xanchor": "right",
        "xpad": 0,
        "yanchor": "bottom",
        "nticks": 4,
    }


def titled(figure: go.Figure, title: str) -> go.Figure:
    """A heatmap with its ``flat_scale`` and the scale's title above it."""
    height = figure.layout.height + SCALE - 32
    place = {"x": 0.0, "xref": "paper", "y": 1.0, "yref": "container", "yanchor": "top", "pad": {"t": 6}}
    figure.update_layout(
        title={"text": title, "font": {"size": 13}, **place}, margin={"t": SCALE}, height=height
    )
    # Relative to the whole figure: relative to the plot, plotly drops the axis titles.
    figure.update_traces(colorbar={"yref": "container", "y": 1 - (SCALE - 4) / height})
    return figure


def outline(figure: go.Figure, layer: int, head: int, heads: int) -> go.Figure:
    """A frame around one head, or around the whole layer if ``head`` is out of range."""
    single = 0 <= head < heads
    figure.add_shape(
        type="rect",
        x0=head - 0.5 if single else -0.5,
        x1=head + 0.5 if single else heads - 0.5,
        y0=layer - 0.5,
        y1=layer + 0.5,
        line={"color": SECOND, "width": 3},
    )
    return figure

"""One number for every head, as a layer x head heatmap."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from app.i18n import Language, _, text
from app.ui.figures.head_grid import flat_scale, head_grid, outline, titled
from core.taggers.base.trace import Array

MOST_WRITTEN = 9  # heads of a layer up to which the number fits into its cell


def head_heatmap(
    values: Array, title: str, layer: int, head: int, language: Language = "en", most: float | None = None
) -> go.Figure:
    """``[layers, heads]`` as colours, the chosen head framed.

    Args:
        title: of the numbers, with unit. most: maximum of the colour scale; None: the largest number.
    """
    layers, heads = values.shape
    number = text(_("head {head}"), language, head="%{x}")
    place = text(_("layer {layer}, {head}"), language, layer="%{y}", head=number)
    figure = go.Figure(
        go.Heatmap(
            z=np.asarray(values, dtype=np.float64),
            x=list(range(heads)),
            y=list(range(layers)),
            colorscale="Viridis",
            zmin=0.0,
            zmax=most,
            xgap=2,
            ygap=2,
            colorbar=flat_scale(),
            texttemplate="%{z:.2f}" if heads < MOST_WRITTEN else None,
            hoverongaps=False,
            hovertemplate=f"{place}<br>%{{z:.3f}}<extra></extra>",
        )
    )
    return titled(outline(head_grid(figure, layers, heads, language), layer, head, heads), title)

"""Every head of every layer as a thumbnail, all in one figure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from app.i18n import Language, text
from app.ui.figures.head_grid import head_grid, outline
from core.taggers.base.trace import Array


def attention_thumbnails(
    thumbnails: Sequence[Array], layer: int, head: int, language: Language = "en"
) -> go.Figure:
    """A grid of heatmaps, row = layer, column = head; the chosen one is framed.

    A point of head ``h`` in layer ``l`` lies within half a unit of ``(h, l)``: round to know which was
    clicked.

    Args:
        thumbnails: of each layer ``[heads, r, c]``, values from 0 to 1, as many rows and columns in every
            layer. layer, head: the chosen ones; where ``head`` is no head's number, the layer is framed.
    """
    layers, heads = len(thumbnails), max(map(len, thumbnails))
    rows, columns = thumbnails[0].shape[1:]
    canvas = np.full((layers * (rows + 1), heads * (columns + 1)), np.nan, dtype=np.float32)
    for number, maps in enumerate(thumbnails):
        for place, picture in enumerate(maps):
            top, left = number * (rows + 1), place * (columns + 1)
            canvas[top : top + rows, left : left + columns] = picture
    figure = go.Figure(
        go.Heatmap(
            z=canvas,
            x=_places(heads, columns),
            y=_places(layers, rows),
            colorscale="Viridis",
            zmin=0.0,
            zmax=1.0,
            showscale=False,
            hoverongaps=False,
            hovertemplate=_hover(language),
        )
    )
    return outline(head_grid(figure, layers, heads, language), layer, head, heads)


def _places(count: int, cells: int) -> Array:
    """Centres of the cells of pictures that stand around 0, 1, …, with one empty cell between two."""
    places: Array = (np.arange(count * (cells + 1)) + 1) / (cells + 1) - 0.5
    return places


def _hover(language: Language) -> str:
    head = text("inspect_attention.head_number", language, head="%{x:.0f}")
    return text("inspect_attention.chosen", language, layer="%{y:.0f}", head=head) + "<extra></extra>"

"""Every head of every layer as a small picture, all in one figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from app.i18n import Language, _, text
from app.ui.figures.head_grid import head_grid, outline
from core.taggers.base.trace import Array, Trace

if TYPE_CHECKING:
    from core.inspection.sentence.attention_units import Units

# Numbers in the figure: more would be sent and drawn slowly and could not be told apart.
MOST_CELLS = 40_000


def attention_thumbnails(
    trace: Trace, units: Units, layer: int, head: int, language: Language = "en"
) -> go.Figure:
    """A grid of heatmaps, row = layer, column = head; the chosen one is framed.

    A point of head ``h`` in layer ``l`` lies within half a unit of ``(h, l)``: round to know which was
    clicked. Each picture is made smaller by taking the largest weight of a block, so that a thin line stays
    one, and is scaled to its own largest weight.

    Args:
        trace: with attention. units: what rows and columns stand for. layer, head: the chosen ones; where
            ``head`` is no head's number, the layer is framed.
    """
    layers = len(trace.attention)
    heads = max(len(weights) for weights in trace.attention)
    side = int(np.clip(np.sqrt(MOST_CELLS / (layers * heads)), 8, 48))
    rows, columns = min(side, len(units.rows)), min(side, len(units.columns))
    canvas = np.full((layers * (rows + 1), heads * (columns + 1)), np.nan, dtype=np.float32)
    for number, weights in enumerate(trace.attention):
        maps = shrunk(units.weights(weights[:, : len(trace.queries)]), side)
        largest = maps.max(axis=(1, 2), keepdims=True, initial=0.0)
        maps = np.divide(maps, largest, out=np.zeros_like(maps), where=largest > 0)
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


def shrunk(maps: Array, side: int) -> Array:
    """``[heads, R, C]`` to at most ``side`` rows and columns, each the largest of its block."""
    for axis in (1, 2):
        length = maps.shape[axis]
        if length > side:
            maps = np.maximum.reduceat(maps, np.arange(side) * length // side, axis=axis)
    return maps


def _places(count: int, cells: int) -> Array:
    """Centres of the cells of pictures that stand around 0, 1, …, with one empty cell between two."""
    places: Array = (np.arange(count * (cells + 1)) + 1) / (cells + 1) - 0.5
    return places


def _hover(language: Language) -> str:
    head = text(_("head {head}"), language, head="%{x:.0f}")
    return text(_("layer {layer}, {head}"), language, layer="%{y:.0f}", head=head) + "<extra></extra>"

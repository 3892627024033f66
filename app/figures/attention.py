"""Attention of one layer as a heatmap: who looks at whom."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from app.figures.axes import node_axis
from app.figures.template import styled
from app.i18n import Language, text
from core.taggers.trace import Array, Trace

MEAN = -1


def attention_heatmap(trace: Trace, layer: int, head: int, language: Language = "en") -> go.Figure:
    """Heatmap of attention weights, rows = queries (characters or word pieces), columns = keys.

    Args:
        trace: with attention. layer: index into ``trace.attention``. head: index, or ``MEAN`` for the mean.

    Raises:
        IndexError: the trace has no such layer or head.
    """
    weights = attention_weights(trace, layer, head)
    queries, keys = trace.queries, trace.keys
    figure = go.Figure(
        go.Heatmap(
            z=weights,
            colorscale="Viridis",
            zmin=0.0,
            colorbar={"title": {"text": text("inspect.weight", language)}, "thickness": 12},
            customdata=_pairs(queries, keys),
            hovertemplate="%{customdata[0]} → %{customdata[1]}<br>%{z:.4f}<extra></extra>",
        )
    )
    figure.update_xaxes(**node_axis(keys, text("inspect.key", language)))
    figure.update_yaxes(**node_axis(queries, text("inspect.query", language)), autorange="reversed")
    return styled(figure, height=_height(len(queries)))


def attention_weights(trace: Trace, layer: int, head: int) -> Array:
    """``[query, key]`` weights of a layer, for the trace's queries only.

    Raises:
        IndexError: the trace has no such layer or head.
    """
    if not 0 <= layer < len(trace.attention):
        raise IndexError(f"layer {layer} of {len(trace.attention)}")
    weights = trace.attention[layer][:, : len(trace.queries)]
    if head == MEAN:
        return weights.mean(axis=0)
    if not 0 <= head < len(weights):
        raise IndexError(f"head {head} of {len(weights)}")
    return weights[head]


def _pairs(queries: tuple[str, ...], keys: tuple[str, ...]) -> np.ndarray:
    """Names of both nodes for the hover text, ``[query, key, 2]``."""
    rows = np.array(queries, dtype=object)[:, None]
    columns = np.array(keys, dtype=object)[None, :]
    return np.stack(np.broadcast_arrays(rows, columns), axis=-1)


def _height(rows: int) -> int:
    return int(np.clip(140 + 16 * rows, 320, 760))

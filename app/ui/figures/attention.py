"""Attention of one layer as a heatmap: who looks at whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from app.i18n import Language, _, text
from app.ui.figures.axes import node_axis, pairs, snug, upright_axis, visible
from app.ui.figures.head_grid import flat_scale, titled
from app.ui.figures.template import styled
from core.taggers.base.trace import Array, Trace

if TYPE_CHECKING:
    from core.inspection.sentence.attention_units import Units

# What a person may choose instead of a head.
MEAN = -1
ROLLOUT = -2
LONGEST_NAME = 12


def attention_heatmap(
    trace: Trace, layer: int, head: int, language: Language = "en", units: Units | None = None
) -> go.Figure:
    """Heatmap of attention weights, rows = queries, columns = keys.

    Args:
        trace: with attention. layer: index into ``trace.attention``. head: index, ``MEAN`` for the mean, or
            ``ROLLOUT`` for the attention from this layer down to the input.
        units: what rows and columns stand for; the trace's own queries and keys where there are none.

    Raises:
        IndexError: the trace has no such layer or head.
    """
    weights = attention_weights(trace, layer, head)
    queries, keys = trace.queries, trace.keys
    if units is not None:
        weights, queries, keys = units.weights(weights), units.rows, units.columns
    figure = go.Figure(
        go.Heatmap(
            z=weights,
            colorscale="Viridis",
            zmin=0.0,
            colorbar=flat_scale(),
            customdata=pairs(queries, keys),
            hovertemplate="%{customdata[0]} → %{customdata[1]}<br>%{z:.4f}<extra></extra>",
        )
    )
    figure.update_xaxes(**upright_axis(_short(keys), text(_("to (key)"), language)))
    figure.update_yaxes(**node_axis(_short(queries), text(_("from (query)"), language)), autorange="reversed")
    return titled(snug(styled(figure, height=_height(len(queries)))), _title(trace, layer, head, language))


def attention_weights(trace: Trace, layer: int, head: int) -> Array:
    """``[query, key]`` weights of a layer, for the trace's queries only.

    Raises:
        IndexError: the trace has no such layer or head.
    """
    if not 0 <= layer < len(trace.attention):
        raise IndexError(f"layer {layer} of {len(trace.attention)}")
    if head == ROLLOUT:
        from core.inspection.sentence.attention_rollout import rollout

        return rollout(trace, layer)
    weights = trace.attention[layer][:, : len(trace.queries)]
    if head == MEAN:
        return weights.mean(axis=0)
    if not 0 <= head < len(weights):
        raise IndexError(f"head {head} of {len(weights)}")
    return weights[head]


def _title(trace: Trace, layer: int, head: int, language: Language) -> str:
    named = {MEAN: _("mean of heads"), ROLLOUT: _("rollout")}.get(head)
    said = text(named, language) if named else text(_("head {head}"), language, head=head)
    picture = text(_("weights of layer {layer}, {head}"), language, layer=layer, head=said)
    if trace.mrc is None:
        return picture
    asked = visible(trace.mrc.labels[trace.mrc.attended])
    return text(_("{picture}; query: {label}"), language, picture=picture, label=asked)


def _short(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…" for name in names)


def _height(rows: int) -> int:
    return int(np.clip(160 + 16 * rows, 340, 780))

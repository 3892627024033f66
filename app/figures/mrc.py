"""What a tagger that reads queries answered: where spans start and end, and which belong together."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from app.figures.axes import node_axis, visible
from app.figures.template import styled
from app.i18n import Language, text
from core.taggers.trace import MrcTrace


def start_and_end(mrc: MrcTrace, tokens: tuple[str, ...], language: Language = "en") -> go.Figure:
    """Two heatmaps label by character: the probability that a span starts there, and that one ends there."""
    figure = make_subplots(
        rows=2,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.12,
        subplot_titles=[text("inspect.starts", language), text("inspect.ends", language)],
    )
    for row, values in enumerate((mrc.start, mrc.end), start=1):
        figure.add_trace(_heatmap(values, mrc.labels, language, shown=row == 1), row=row, col=1)
        figure.update_yaxes(**node_axis(mrc.labels, ""), autorange="reversed", row=row, col=1)
    figure.update_xaxes(**node_axis(tokens, ""), row=1, col=1)
    figure.update_xaxes(**node_axis(tokens, text("inspect.character", language)), row=2, col=1)
    return styled(figure, height=int(np.clip(200 + 44 * len(mrc.labels), 360, 900)))


def match_matrix(mrc: MrcTrace, query: int, tokens: tuple[str, ...], language: Language = "en") -> go.Figure:
    """Heatmap of one query's match scores: rows = first character of a span, columns = its last.

    Raises:
        IndexError: there is no such query.
    """
    if not 0 <= query < len(mrc.queries):
        raise IndexError(f"query {query} of {len(mrc.queries)}")
    figure = go.Figure(
        go.Heatmap(
            z=mrc.matrix(query),
            colorscale="Viridis",
            zmin=0.0,
            zmax=1.0,
            colorbar={"title": {"text": text("inspect.probability", language)}, "thickness": 12},
            hovertemplate="%{y} … %{x}<br>%{z:.3f}<extra></extra>",
        )
    )
    figure.update_xaxes(**node_axis(tokens, text("inspect.last_character", language)))
    figure.update_yaxes(**node_axis(tokens, text("inspect.first_character", language)), autorange="reversed")
    title = f"{mrc.labels[query]}: {mrc.queries[query]}"
    figure.update_layout(title={"text": visible(title), "font": {"size": 13}})
    return styled(figure, height=int(np.clip(180 + 16 * len(tokens), 360, 760)))


def _heatmap(values: np.ndarray, labels: tuple[str, ...], language: Language, shown: bool) -> go.Heatmap:
    return go.Heatmap(
        z=values,
        colorscale="Viridis",
        zmin=0.0,
        zmax=1.0,
        showscale=shown,
        colorbar={"title": {"text": text("inspect.probability", language)}, "thickness": 12},
        customdata=np.repeat(np.array(labels, dtype=object)[:, None], values.shape[1], axis=1),
        hovertemplate="%{customdata}, %{x}<br>%{z:.3f}<extra></extra>",
    )

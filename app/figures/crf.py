"""What the CRF weighed: emissions, marginals, and transitions with both axes named."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from app.figures.axes import node_axis
from app.figures.template import styled
from app.i18n import Language, text
from core.taggers.trace import CrfTrace

START, END = "START", "END"


def emission_heatmap(crf: CrfTrace, tokens: tuple[str, ...], language: Language = "en") -> go.Figure:
    """Score of every tag at every character, before transitions; the chosen path is ringed."""
    return _token_by_tag(
        crf, crf.emissions, tokens, text("inspect.score", language), "RdBu", language, middle=0.0
    )


def marginal_heatmap(crf: CrfTrace, tokens: tuple[str, ...], language: Language = "en") -> go.Figure:
    """Probability of every tag at every character given the whole sentence; columns sum to 1."""
    return _token_by_tag(
        crf,
        crf.marginals,
        tokens,
        text("inspect.probability", language),
        "Viridis",
        language,
        limits=(0.0, 1.0),
    )


def transition_heatmap(crf: CrfTrace, language: Language = "en") -> go.Figure:
    """Learned score of every tag after every other: rows = from (with START), columns = to (with END)."""
    scores = transition_scores(crf)
    reach = float(np.nanmax(np.abs(scores))) or 1.0
    figure = go.Figure(
        go.Heatmap(
            z=scores,
            colorscale="RdBu",
            zmin=-reach,
            zmax=reach,
            colorbar={"title": {"text": text("inspect.score", language)}, "thickness": 12},
            hovertemplate="%{y} → %{x}<br>%{z:.3f}<extra></extra>",
        )
    )
    figure.update_xaxes(**node_axis([*crf.tags, END], text("inspect.to_tag", language)))
    figure.update_yaxes(
        **node_axis([START, *crf.tags], text("inspect.from_tag", language)), autorange="reversed"
    )
    return styled(figure, height=int(np.clip(160 + 18 * len(crf.tags), 360, 800)))


def transition_scores(crf: CrfTrace) -> np.ndarray:
    """``[1 + K, K + 1]``: START and the tags as rows, the tags and END as columns; START to END is nan."""
    count = len(crf.tags)
    scores = np.full((count + 1, count + 1), np.nan)
    scores[0, :count] = crf.start
    scores[1:, :count] = crf.transitions
    scores[1:, count] = crf.end
    return scores


def _token_by_tag(
    crf: CrfTrace,
    values: np.ndarray,
    tokens: tuple[str, ...],
    unit: str,
    scale: str,
    language: Language,
    limits: tuple[float, float] | None = None,
    middle: float | None = None,
) -> go.Figure:
    """Tags as rows, characters as columns, so that the sentence reads along the figure."""
    low, high = limits or (None, None)
    figure = go.Figure(
        go.Heatmap(
            z=values.T,
            colorscale=scale,
            zmin=low,
            zmax=high,
            zmid=middle,
            colorbar={"title": {"text": unit}, "thickness": 12},
            hovertemplate="%{x}, %{y}<br>%{z:.3f}<extra></extra>",
        )
    )
    figure.add_trace(
        go.Scatter(
            x=np.arange(len(tokens)),
            y=crf.path,
            mode="markers",
            marker={"symbol": "circle-open", "size": 9, "line": {"width": 2}, "color": "#E69F00"},
            name=text("inspect.path", language),
            hoverinfo="skip",
        )
    )
    # The ring markers would otherwise widen the axes beyond the cells.
    figure.update_xaxes(
        **node_axis(tokens, text("inspect.character", language)), range=[-0.5, len(tokens) - 0.5]
    )
    figure.update_yaxes(
        **node_axis(crf.tags, text("inspect.tag", language)), range=[len(crf.tags) - 0.5, -0.5]
    )
    return styled(figure, height=int(np.clip(160 + 16 * len(crf.tags), 360, 760)))

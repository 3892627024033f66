"""CRF figures: emissions, marginals and transitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from app.i18n import Language, Message, _, text
from app.ui.figures.axes import node_axis, pairs, reading_range, snug
from app.ui.figures.template import styled
from core.inspection.sentence.crf_scores import END, START, CrfScores
from core.text.units import UnitName

PATH = "#E69F00"
UNITS: dict[UnitName, Message] = {"character": _("character"), "word": _("word")}
CROSS = "#9099a5"  # visible on the dark ends of the scale and on its white middle


def emission_heatmap(scores: CrfScores, language: Language = "en") -> go.Figure:
    """Emission of every tag at every unit; the best path is ringed."""
    colours = {"colorscale": "RdBu", "zmid": 0.0, "colorbar": {"title": {"text": text(_("score"), language)}}}
    return _tag_by_token(scores, scores.emissions, colours, language)


def marginal_heatmap(scores: CrfScores, language: Language = "en") -> go.Figure:
    """Marginal probability of every tag at every unit."""
    bar = {"title": {"text": text(_("probability"), language)}}
    colours = {"colorscale": "Viridis", "zmin": 0.0, "zmax": 1.0, "colorbar": bar}
    return _tag_by_token(scores, scores.marginals, colours, language)


def transition_heatmap(scores: CrfScores, language: Language = "en") -> go.Figure:
    """Transition scores: rows = from (with START), columns = to (with END).

    Crosses mark transitions forbidden in decoding, rings those of the best path.
    """
    across, down = [*scores.tags, END], [START, *scores.tags]
    reach = float(np.nanmax(np.abs(scores.steps))) or 1.0
    figure = go.Figure(
        go.Heatmap(
            z=scores.steps,
            name=text(_("transitions"), language),
            colorscale="RdBu",
            zmin=-reach,
            zmax=reach,
            colorbar={"title": {"text": text(_("score"), language)}},
            customdata=pairs(down, across),
            hovertemplate="%{customdata[0]} → %{customdata[1]}<br>%{z:.3f}<extra></extra>",
        )
    )
    if np.any(scores.forbidden):
        marker = {"symbol": "x-thin", "size": 7, "line": {"width": 1.5, "color": CROSS}}
        figure.add_trace(_marks(scores.forbidden, text(_("forbidden when decoding"), language), marker))
    marker = {"symbol": "circle-open", "size": 11, "line": {"width": 2}, "color": PATH}
    figure.add_trace(_marks(scores.taken, text(_("taken by the chosen path"), language), marker))
    edge = len(scores.tags) + 0.5
    figure.update_xaxes(**node_axis(across, text(_("to tag"), language)), range=[-0.5, edge])
    figure.update_yaxes(**node_axis(down, text(_("from tag"), language)), range=[edge, -0.5])
    return snug(styled(figure, height=int(np.clip(200 + 20 * len(scores.tags), 360, 860))))


def _marks(cells: np.ndarray, name: str, marker: dict[str, object]) -> go.Scatter:
    """A mark on every true cell; the legend toggles them."""
    down, across = np.nonzero(cells)
    return go.Scatter(x=across, y=down, mode="markers", marker=marker, name=name, hoverinfo="skip")


def _tag_by_token(
    scores: CrfScores, values: np.ndarray, colours: dict[str, Any], language: Language
) -> go.Figure:
    """Tags as rows, units as columns, so that the sentence reads along the figure."""
    tokens, tags = scores.tokens, scores.tags
    hover = "%{customdata[1]}, %{customdata[0]}<br>%{z:.3f}<extra></extra>"
    figure = go.Figure(go.Heatmap(z=values, customdata=pairs(tags, tokens), hovertemplate=hover, **colours))
    figure.add_scatter(
        x=np.arange(len(tokens)),
        y=[row if row >= 0 else None for row in scores.path.tolist()],
        mode="markers",
        marker={"symbol": "circle-open", "size": 9, "line": {"width": 2}, "color": PATH},
        name=text(_("chosen path"), language),
        showlegend=True,
        hoverinfo="skip",
    )
    # The ring markers would otherwise widen the axes beyond the cells.
    figure.update_xaxes(**node_axis(tokens, text(UNITS[scores.unit], language)), range=reading_range(tokens))
    figure.update_yaxes(**node_axis(tags, text(_("tag"), language)), range=[len(tags) - 0.5, -0.5])
    return snug(styled(figure, height=int(np.clip(180 + 18 * len(tags), 300, 860))))

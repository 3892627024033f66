"""The probabilities of one binary classifier for each entity type, side by side."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from app.i18n import Language, _, text
from app.inspect.figures.scales import probability_scale
from app.ui.figures.axes import node_axis, pairs, snug, upright_axis
from app.ui.figures.template import styled
from core.inspection.sentence.pu_view import PuView

RING, EDGE = "#1b1e25", "rgba(255, 255, 255, 0.6)"  # rings lie on light cells, edges mostly on dark ones


def type_heatmap(view: PuView, language: Language = "en") -> go.Figure:
    """Heatmap type by character of probabilities; a ring where a type was chosen, lines between words."""
    heatmap = go.Heatmap(
        z=view.probabilities,
        customdata=pairs(view.labels, view.tokens),
        hovertemplate="%{customdata[0]}, %{customdata[1]}<br>%{z:.3f}<extra></extra>",
        **probability_scale(language),
    )
    at = np.flatnonzero(view.chosen >= 0)
    rings = go.Scatter(
        x=at,
        y=view.chosen[at],
        mode="markers",
        marker={"symbol": "circle-open", "size": 9, "color": RING, "line": {"width": 2, "color": RING}},
        name=text(_("chosen"), language),
        hoverinfo="skip",
        showlegend=False,
    )
    figure = go.Figure([heatmap, rings])
    for edge in view.edges + 0.5:
        figure.add_shape(
            type="line",
            x0=edge,
            x1=edge,
            y0=-0.5,
            y1=len(view.labels) - 0.5,
            line={"width": 1, "color": EDGE},
        )
    figure.update_xaxes(**upright_axis(view.tokens, text(_("character"), language)))
    figure.update_yaxes(**node_axis(view.labels, ""), autorange="reversed")
    return snug(styled(figure, height=int(np.clip(150 + 30 * len(view.labels), 220, 700))))

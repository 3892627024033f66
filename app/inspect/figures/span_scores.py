"""The probabilities of all spans of a sentence for one label: first character by last character."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from app.i18n import Language, _, text
from app.inspect.figures.scales import probability_scale
from app.ui.figures.axes import node_axis, snug, visible
from app.ui.figures.template import styled
from core.inspection.sentence.span_scores_view import SpanScoresView

RING, BEATEN = "#d7263d", "#9aa3b2"


def span_heatmap(view: SpanScoresView, language: Language = "en") -> go.Figure:
    """Heatmap of a label: rows = first character, columns = last; rings at predicted spans, crosses at spans
    that another one displaced."""
    names = np.array([[visible(name) if name else "" for name in row] for row in view.texts], dtype=object)
    figure = go.Figure(
        go.Heatmap(
            z=view.probabilities,
            customdata=names.reshape(view.texts.shape),
            hovertemplate="%{customdata}<br>%{z:.3f}<extra></extra>",
            hoverongaps=False,
            **probability_scale(language),
        )
    )
    marks = (
        (view.predicted, "circle-open", RING, _("predicted span")),
        (view.beaten, "x-thin-open", BEATEN, _("displaced by a better span")),
    )
    for places, symbol, colour, name in marks:
        if len(places):
            marker = {"symbol": symbol, "size": 12, "color": colour, "line": {"width": 2, "color": colour}}
            figure.add_scatter(
                x=places[:, 1],
                y=places[:, 0],
                mode="markers",
                marker=marker,
                name=text(name, language),
                hoverinfo="skip",
            )
    tokens = view.tokens
    figure.update_xaxes(
        **node_axis(tokens, text(_("last character"), language)), range=[-0.5, len(tokens) - 0.5]
    )
    figure.update_yaxes(
        **node_axis(tokens, text(_("first character"), language)), range=[len(tokens) - 0.5, -0.5]
    )
    figure.update_layout(
        showlegend=len(figure.data) > 1,
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "xanchor": "left", "x": 0.0},
    )
    return snug(styled(figure, height=int(np.clip(180 + 16 * len(tokens), 360, 760))))

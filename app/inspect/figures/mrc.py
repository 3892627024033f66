"""The predictions under MRC queries: where spans start and end, which belong together, and what changes."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from app.i18n import Language, _, text
from app.inspect.figures.scales import change_scale, probability_scale
from app.ui.figures.axes import node_axis, pairs, snug, visible
from app.ui.figures.template import styled
from core.inspection.sentence.mrc_view import BoundariesView, MatchView

LONGEST_TITLE = 60


def boundary_heatmaps(view: BoundariesView, language: Language = "en") -> go.Figure:
    """Two heatmaps label by character: where spans start, and where they end."""
    colours = change_scale(language) if view.is_change else probability_scale(language)
    figure = make_subplots(
        rows=2,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.12,
        subplot_titles=[text(_("starts here"), language), text(_("ends here"), language)],
    )
    hover = f"%{{customdata[0]}}, %{{customdata[1]}}<br>{_number(view.is_change)}<extra></extra>"
    names = pairs(view.labels, view.tokens)
    for row, values in enumerate((view.starts, view.ends), start=1):
        heatmap = go.Heatmap(z=values, showscale=row == 1, customdata=names, hovertemplate=hover, **colours)
        figure.add_trace(heatmap, row=row, col=1)
        figure.update_yaxes(**node_axis(view.labels, ""), autorange="reversed", row=row, col=1)
    figure.update_xaxes(**node_axis(view.tokens, ""), row=1, col=1)
    figure.update_xaxes(**node_axis(view.tokens, text(_("character"), language)), row=2, col=1)
    return snug(styled(figure, height=int(np.clip(200 + 44 * len(view.labels), 360, 900))))


def match_heatmap(view: MatchView, language: Language = "en") -> go.Figure:
    """Heatmap of one query's match scores: rows = first character of a span, columns = its last."""
    colours = change_scale(language) if view.is_change else probability_scale(language)
    hover = f"%{{customdata[0]}} … %{{customdata[1]}}<br>{_number(view.is_change)}<extra></extra>"
    tokens = view.tokens
    figure = go.Figure(
        go.Heatmap(z=view.match, customdata=pairs(tokens, tokens), hovertemplate=hover, **colours)
    )
    figure.update_xaxes(**node_axis(tokens, text(_("last character"), language)))
    figure.update_yaxes(**node_axis(tokens, text(_("first character"), language)), autorange="reversed")
    title = visible(_shortened(f"{view.label}: {view.query}"))
    figure.update_layout(title={"text": title, "font": {"size": 13}})
    return snug(styled(figure, height=int(np.clip(180 + 16 * len(tokens), 360, 760))))


def _number(is_change: bool) -> str:
    """How the hover writes a value."""
    return "%{z:+.3f}" if is_change else "%{z:.3f}"


def _shortened(title: str) -> str:
    """A query may be as long as a guideline; a title has one line."""
    return title if len(title) <= LONGEST_TITLE else title[:LONGEST_TITLE] + "…"

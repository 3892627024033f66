"""What a tagger that reads queries answered: where spans start and end, and which belong together; and what
changes in it when a query does."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from app.i18n import Language, _, text
from app.ui.figures.axes import node_axis, pairs, snug, visible
from app.ui.figures.template import ACCENT, SECOND, styled
from core.taggers.base.trace import MrcTrace

LONGEST_TITLE = 60


def start_and_end(mrc: MrcTrace, tokens: tuple[str, ...], language: Language = "en") -> go.Figure:
    """Two heatmaps label by character: the probability that a span starts there, and that one ends there."""
    return _two_heatmaps(mrc.start, mrc.end, mrc.labels, tokens, _probabilities(language), language)


def start_and_end_change(
    before: MrcTrace, after: MrcTrace, tokens: tuple[str, ...], language: Language = "en"
) -> go.Figure:
    """As `start_and_end`, of the probabilities to ``after`` minus those to ``before``."""
    starts, ends = after.start - before.start, after.end - before.end
    return _two_heatmaps(starts, ends, before.labels, tokens, _changes(language), language)


def match_matrix(mrc: MrcTrace, query: int, tokens: tuple[str, ...], language: Language = "en") -> go.Figure:
    """Heatmap of one query's match scores: rows = first character of a span, columns = its last.

    Raises:
        IndexError: there is no such query.
    """
    if not 0 <= query < len(mrc.queries):
        raise IndexError(f"query {query} of {len(mrc.queries)}")
    return _square(mrc.matrix(query), _titled(mrc, query), tokens, _probabilities(language), language)


def match_change(
    before: MrcTrace, after: MrcTrace, query: int, tokens: tuple[str, ...], language: Language = "en"
) -> go.Figure:
    """As `match_matrix`, of ``after`` minus ``before``; empty where either scored no such pair.

    Raises:
        IndexError: there is no such query.
    """
    if not 0 <= query < len(before.queries):
        raise IndexError(f"query {query} of {len(before.queries)}")
    change = after.matrix(query) - before.matrix(query)
    return _square(change, _titled(after, query), tokens, _changes(language), language)


def _probabilities(language: Language) -> dict[str, Any]:
    """How a heatmap of probabilities is drawn."""
    bar = _colour_bar(text(_("probability"), language))
    return {"colorscale": "Viridis", "zmin": 0.0, "zmax": 1.0, "colorbar": bar}


def _changes(language: Language) -> dict[str, Any]:
    """How a heatmap of differences is drawn: blue rose, orange fell, the page shows where nothing changed."""
    scale = [[0.0, SECOND], [0.5, "rgba(128, 136, 150, 0.12)"], [1.0, ACCENT]]
    bar = _colour_bar(text(_("change of probability"), language))
    return {"colorscale": scale, "zmin": -1.0, "zmax": 1.0, "colorbar": bar}


def _colour_bar(title: str) -> dict[str, Any]:
    """Its title runs along it: above it, it would take half a phone's width from the figure."""
    return {"title": {"text": title, "side": "right"}, "thickness": 12}


def _number_format(drawn: dict[str, Any]) -> str:
    """How the hover writes a value of such a heatmap."""
    return "%{z:+.3f}" if drawn["zmin"] < 0 else "%{z:.3f}"


def _titled(mrc: MrcTrace, query: int) -> str:
    return f"{mrc.labels[query]}: {mrc.queries[query]}"


def _two_heatmaps(
    starts: np.ndarray,
    ends: np.ndarray,
    labels: tuple[str, ...],
    tokens: tuple[str, ...],
    drawn: dict[str, Any],
    language: Language,
) -> go.Figure:
    figure = make_subplots(
        rows=2,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.12,
        subplot_titles=[text(_("starts here"), language), text(_("ends here"), language)],
    )
    for row, values in enumerate((starts, ends), start=1):
        heatmap = go.Heatmap(
            z=values,
            showscale=row == 1,
            customdata=pairs(labels, tokens),
            hovertemplate=f"%{{customdata[0]}}, %{{customdata[1]}}<br>{_number_format(drawn)}<extra></extra>",
            **drawn,
        )
        figure.add_trace(heatmap, row=row, col=1)
        figure.update_yaxes(**node_axis(labels, ""), autorange="reversed", row=row, col=1)
    figure.update_xaxes(**node_axis(tokens, ""), row=1, col=1)
    figure.update_xaxes(**node_axis(tokens, text(_("character"), language)), row=2, col=1)
    return snug(styled(figure, height=int(np.clip(200 + 44 * len(labels), 360, 900))))


def _square(
    values: np.ndarray, title: str, tokens: tuple[str, ...], drawn: dict[str, Any], language: Language
) -> go.Figure:
    hover = f"%{{customdata[0]}} … %{{customdata[1]}}<br>{_number_format(drawn)}<extra></extra>"
    figure = go.Figure(go.Heatmap(z=values, customdata=pairs(tokens, tokens), hovertemplate=hover, **drawn))
    figure.update_xaxes(**node_axis(tokens, text(_("last character"), language)))
    figure.update_yaxes(**node_axis(tokens, text(_("first character"), language)), autorange="reversed")
    figure.update_layout(title={"text": visible(_shortened(title)), "font": {"size": 13}})
    return snug(styled(figure, height=int(np.clip(180 + 16 * len(tokens), 360, 760))))


def _shortened(title: str) -> str:
    """A query may be as long as a guideline; a title has one line."""
    return title if len(title) <= LONGEST_TITLE else title[:LONGEST_TITLE] + "…"

"""The contributions of characters or words, and of dictionary words, to one span, along the sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from app.i18n import Language, Message, _, text
from app.ui.figures.axes import node_axis, reading_range, visible
from app.ui.figures.template import ACCENT, GRID, SECOND, styled
from core.inspection.sentence.evidence import Evidence, WordContribution
from core.text.units import UnitName

HEIGHT = 260
UNITS: dict[UnitName, Message] = {"character": _("characters"), "word": _("words")}
UNIT_WIDTH, BESIDE = 15, 120  # pixels of a unit with its bar, and of what stands beside all bars
LEAST = 0.05  # contributions below this are drawn small, even where none is greater
DRAWN = 0.02  # of the greatest contribution: a word of less is left out


def attribution_bars(evidence: Evidence, unit: str, language: Language = "en") -> go.Figure:
    """Bars for units, lines for dictionary words over the characters they cover; up speaks for the span.

    The span stands on a shaded ground. Every unit is written under its bar; a long sentence is wider
    than the page and scrolls.

    Args:
        unit: title of the value axis.
    """
    tokens, words = evidence.places.surfaces(evidence.text), evidence.words
    span = evidence.places.touched(evidence.span) or evidence.span
    name = text(UNITS[evidence.places.name], language)
    worth = None if evidence.worth is None else np.asarray(evidence.worth, dtype=float)
    figure = go.Figure()
    if worth is not None:
        figure.add_trace(_bars(tokens, worth, name))
    shares = [] if worth is None else np.abs(worth).tolist()
    most = max([*shares, *(abs(word.value) for word in words)], default=0.0)
    for supports in (True, False):
        drawn = [w for w in words if (w.value >= 0) == supports and abs(w.value) >= DRAWN * most]
        if drawn:
            figure.add_trace(_lines(drawn, supports, language))
    figure.add_vrect(x0=span.start - 0.5, x1=span.end - 0.5, fillcolor=GRID, line_width=0, layer="below")
    axis_range = reading_range(tokens)
    middle = (span.start + span.end) / 2 / max(len(tokens), 1)
    figure.update_xaxes(**node_axis(tokens, name, most=len(tokens)), range=axis_range)
    figure.update_layout(
        meta={
            "least_width": BESIDE + UNIT_WIDTH * len(tokens),
            "focus": middle if axis_range[0] < axis_range[1] else 1 - middle,
        }
    )
    figure.update_yaxes(title={"text": unit}, zeroline=True, zerolinewidth=1)
    if most < LEAST:
        figure.update_yaxes(range=[-2 * LEAST, 2 * LEAST])
    return styled(figure, height=HEIGHT)


def _bars(tokens: Sequence[str], worth: NDArray[np.floating], name: str) -> go.Bar:
    return go.Bar(
        x=np.arange(len(tokens)),
        y=worth,
        marker={"color": [_colour(value >= 0) for value in worth], "line": {"width": 0}},
        customdata=[visible(token) for token in tokens],
        hovertemplate="%{customdata}<br>%{y:+.3f}<extra></extra>",
        name=name,
        showlegend=False,
    )


def _lines(words: Sequence[WordContribution], supports: bool, language: Language) -> go.Scatter:
    """All words of one sign as one trace; a gap parts one from the next."""
    x: list[float | None] = []
    y: list[float | None] = []
    names: list[str] = []
    for word in words:
        x += [word.head - 0.35, word.tail + 0.35, None]
        y += [word.value, word.value, None]
        names += [visible(word.word)] * 3
    sign = text(_("for it") if supports else _("against it"), language)
    return go.Scatter(
        x=x,
        y=y,
        mode="lines+markers",
        line={"color": _colour(supports), "width": 3},
        marker={"size": 7, "symbol": "triangle-up" if supports else "triangle-down"},
        customdata=names,
        hovertemplate="%{customdata}<br>%{y:+.3f}<extra></extra>",
        name=f"{text(_('Dictionary words'), language)}: {sign}",
    )


def _colour(supports: bool) -> str:
    return ACCENT if supports else SECOND

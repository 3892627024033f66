"""Figures comparing runs: F1 with intervals, and changed spans by label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from app.i18n import Language, _, pgettext, text
from app.ui.figures.axes import node_axis, visible
from app.ui.figures.legend import legend_above
from app.ui.figures.template import GRID, styled
from app.ui.figures.training_curves import COLOURS
from app.ui.numbers import percent
from core.inspection.corpus.significance import Array, Measurement

SIDES = {
    "right_to_wrong": _("right → wrong"),
    "wrong_to_right": _("wrong → right"),
    "wrong_to_wrong": _("wrong → other wrong"),
}

F1 = 2  # place of F1 beside precision and recall
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "star")
SIDE_COLOURS = {"right_to_wrong": "#D55E00", "wrong_to_right": "#009E73", "wrong_to_wrong": "#8b93a1"}
SIDE_PATTERNS = {"right_to_wrong": "", "wrong_to_right": "/", "wrong_to_wrong": "."}


def score_intervals(
    measured: Mapping[str, Measurement], runs: Sequence[str], language: Language = "en"
) -> go.Figure:
    """F1 of every run as a dot with its 95% interval, one line per label.

    Args:
        measured: by name, all labels together first. runs: their names, in the order measured.
    """
    figure = go.Figure()
    for run, name in enumerate(runs):
        values = [scores.scores[run, F1] for scores in measured.values()]
        intervals = [scores.intervals[run, F1] for scores in measured.values()]
        _dots(figure, name, run, _offset(run, len(runs)), values, intervals)
    return _lines(figure, list(measured), len(runs), text(_("F1, % (95% interval)"), language))


def difference_intervals(
    measured: Mapping[str, Measurement], runs: Sequence[str], language: Language = "en"
) -> go.Figure:
    """F1 of every other run minus that of the first, with paired 95% intervals; the line marks 0.

    Args:
        measured: by name, all labels together first. runs: their names, the base first.
    """
    figure = go.Figure()
    for run, name in list(enumerate(runs))[1:]:
        values = [scores.differences[run, F1] for scores in measured.values()]
        intervals = [scores.difference_intervals[run, F1] for scores in measured.values()]
        _dots(figure, name, run, _offset(run - 1, len(runs) - 1), values, intervals)
    figure.add_vline(x=0, line={"color": "#8b93a1", "width": 1.5, "dash": "dash"})
    title = text(_("F1 minus that of {base}, points (95% paired interval)"), language, base=visible(runs[0]))
    return _lines(figure, list(measured), len(runs) - 1, title)


def side_bars(counts: Mapping[str, Mapping[str, int]], language: Language = "en") -> go.Figure:
    """Changed spans by label, stacked by outcome.

    Args:
        counts: by label, then by side; ``customdata`` of a bar is its label's place and its side.
    """
    names = list(counts)
    figure = go.Figure()
    for side, colour in SIDE_COLOURS.items():
        figure.add_bar(
            name=text(SIDES[side], language),
            y=list(range(len(names))),
            x=[counts[name].get(side, 0) for name in names],
            customdata=[[place, side] for place in range(len(names))],
            orientation="h",
            marker={"color": colour, "pattern": {"shape": SIDE_PATTERNS[side]}},
            hovertemplate="%{x}<extra>%{fullData.name}</extra>",
        )
    figure.update_layout(barmode="stack", bargap=0.35)
    figure.update_yaxes(**node_axis(names, ""), range=[len(names) - 0.5, -0.5])
    most = max((sum(by_side.values()) for by_side in counts.values()), default=0)
    figure.update_xaxes(
        title_text=text(pgettext("axis", "spans"), language),
        rangemode="tozero",
        tickformat=",d",
        dtick=1 if most < 6 else None,  # whole numbers only
    )
    styled(figure, height=150 + 30 * len(names))
    return legend_above(figure, len(SIDE_COLOURS))


def _dots(
    figure: go.Figure, name: str, run: int, offset: float, values: Sequence[float], intervals: Sequence[Array]
) -> None:
    """One run: a dot per line with its interval, in percent."""
    low = np.array([interval[0] for interval in intervals])
    high = np.array([interval[1] for interval in intervals])
    middle = np.array(values)
    colour = COLOURS[run % len(COLOURS)]
    figure.add_scatter(
        name=visible(name),
        x=100 * middle,
        y=np.arange(len(middle)) + offset,
        mode="markers",
        marker={"color": colour, "size": 9, "symbol": SYMBOLS[run % len(SYMBOLS)]},
        error_x={
            "type": "data",
            "array": 100 * np.maximum(high - middle, 0),
            "arrayminus": 100 * np.maximum(middle - low, 0),
            "color": colour,
            "thickness": 1.5,
            "width": 4,
        },
        text=[f"{percent(a)} – {percent(b)}" for a, b in intervals],
        hovertemplate="%{x:.1f} (%{text})<extra>%{fullData.name}</extra>",
    )


def _offset(place: int, count: int) -> float:
    """Vertical offset of a run, so that dots do not overlap."""
    return (place - (count - 1) / 2) * min(0.24, 0.7 / max(1, count))


def _lines(figure: go.Figure, names: list[str], runs: int, title: str) -> go.Figure:
    figure.update_yaxes(**node_axis(names, ""), range=[len(names) - 0.5, -0.5])
    figure.update_xaxes(title_text=title)
    styled(figure, height=130 + len(names) * max(28, 16 * runs))
    for edge in range(1, len(names)):
        figure.add_hline(y=edge - 0.5, line={"color": GRID, "width": 1})
    return legend_above(figure, runs)

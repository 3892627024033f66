"""How a search goes: every trial, and the best dev F1 so far."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from app.i18n import Language, _, text
from app.ui.figures.sentence_alone import sentence_alone
from app.ui.figures.template import styled
from app.ui.figures.training_curves import COLOURS
from core.learning.search.trials import ENSEMBLE, TAGGERS, Trial, best_so_far

MARKERS = ("circle", "square", "diamond", "triangle-up", "cross", "star")


def search_curve(trials: Sequence[Trial], seconds: float, language: Language = "en") -> go.Figure:
    """Dev F1 in percent over the minutes of the search: a mark for each finished trial, a line for the best.

    Args:
        seconds: of the search so far, where the line ends.

    Before a trial has finished it is a sentence.
    """
    points = best_so_far(trials)
    if not points:
        return sentence_alone(text(_("No trial has finished yet; each adds a point here."), language))
    ends = [*points, (max(seconds, points[-1][0]), points[-1][1])]
    figure = go.Figure(
        go.Scatter(
            x=[at / 60 for at, _f1 in ends],
            y=[100 * f1 for _at, f1 in ends],
            name=text(_("best so far"), language),
            mode="lines",
            line={"shape": "hv", "width": 2, "color": "#888888"},
            hovertemplate="%{x:.1f}: %{y:.1f}<extra>%{fullData.name}</extra>",
        )
    )
    for place, tagger in enumerate((*TAGGERS, ENSEMBLE)):
        own = [trial for trial in trials if trial.tagger == tagger and trial.state == "finished"]
        if own:
            figure.add_scatter(
                x=[(trial.ended or 0.0) / 60 for trial in own],
                y=[100 * (trial.f1 or 0.0) for trial in own],
                error_y={
                    "type": "data",
                    "symmetric": False,
                    "array": [100 * ((trial.high or 0.0) - (trial.f1 or 0.0)) for trial in own],
                    "arrayminus": [100 * ((trial.f1 or 0.0) - (trial.low or 0.0)) for trial in own],
                    "thickness": 1,
                    "width": 3,
                },
                name=tagger,
                mode="markers",
                marker={"size": 9, "symbol": MARKERS[place], "color": COLOURS[place]},
                customdata=[trial.number + 1 for trial in own],
                hovertemplate="%{customdata}: %{y:.1f}<extra>%{fullData.name}</extra>",
            )
    figure.update_xaxes(title_text=text(_("minutes"), language), rangemode="tozero")
    figure.update_yaxes(title_text=text(_("dev F1, %"), language), minallowed=0, maxallowed=100)
    figure.update_layout(showlegend=True)
    return styled(figure, height=320)

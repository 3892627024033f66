"""Scalar-mix weights, gamma and L2 penalty of a run over the steps of training."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go
from plotly.colors import sample_colorscale
from plotly.subplots import make_subplots

from app.i18n import Language, _, text
from app.ui.figures.layer_mix import place
from app.ui.figures.template import ACCENT, INK, SECOND, styled
from core.training.run.mix_path import MixPath


def mix_path(paths: Sequence[MixPath], language: Language = "en") -> go.Figure:
    """One column for each mix: a line of ``s_j`` for each layer, below it gamma, and the penalty if any."""
    penalised = any(path.penalty for path in paths)
    rows = 3 if penalised else 2
    figure = make_subplots(
        rows=rows,
        cols=len(paths),
        row_heights=[0.56, 0.22, 0.22] if penalised else [0.7, 0.3],
        vertical_spacing=0.08,
        shared_xaxes=True,
        shared_yaxes=True,
        subplot_titles=[place(path.name, language) for path in paths],
    )
    named: set[int] = set()
    for column, path in enumerate(paths, start=1):
        for line in _shares(path, language):
            # A layer of both mixes has one colour and one line of the legend.
            line.showlegend = line.customdata[0] not in named
            named.add(line.customdata[0])
            figure.add_trace(line, row=1, col=column)
        figure.add_trace(_equal(path, language), row=1, col=column)
        figure.add_trace(_line(path, path.gamma, "γ", ACCENT), row=2, col=column)
        if path.penalty:
            label = text(_("penalty λ‖w‖²"), language)
            figure.add_trace(_line(path, path.penalty, label, SECOND), row=3, col=column)
        figure.update_xaxes(title={"text": text(_("steps of the training"), language)}, row=rows, col=column)
    figure.update_yaxes(title={"text": text(_("weight s"), language)}, row=1, col=1)
    figure.update_yaxes(title={"text": "γ"}, nticks=4, row=2, col=1)
    if penalised:
        figure.update_yaxes(title={"text": "λ‖w‖²"}, rangemode="tozero", nticks=4, row=3, col=1)
    figure.update_layout(legend={"itemsizing": "constant"}).update_annotations(font_size=13)
    return styled(figure, height=460 if penalised else 400).update_layout(
        legend={"y": -0.16, "yanchor": "top"}, margin={"b": 90}
    )


def _shares(path: MixPath, language: Language) -> list[go.Scatter]:
    # Low layers dark, high ones light; the ends of the scale would be lost on a dark or on a white page.
    places = [0.3 + 0.55 * at / max(len(path.layers) - 1, 1) for at in range(len(path.layers))]
    shades = sample_colorscale("Viridis", places)
    return [
        go.Scatter(
            x=path.steps,
            y=[weights[at] for weights in path.weights],
            customdata=[layer] * len(path.steps),
            name=text(_("layer {number}"), language, number=layer),
            legendgroup=str(layer),
            mode="lines+markers" if len(path.steps) < 30 else "lines",
            line={"color": shades[at], "width": 2},
            marker={"size": 5},
            hovertemplate="%{x}: %{y:.4f}<extra>%{fullData.name}</extra>",
        )
        for at, layer in enumerate(path.layers)
    ]


def _equal(path: MixPath, language: Language) -> go.Scatter:
    share = 1 / len(path.layers)
    return go.Scatter(
        x=[path.steps[0], path.steps[-1]],
        y=[share, share],
        name=text(_("equal weights"), language),
        mode="lines",
        line={"color": INK, "dash": "dash", "width": 1},
        showlegend=False,
        hoverinfo="skip",
    )


def _line(path: MixPath, values: Sequence[float], name: str, colour: str) -> go.Scatter:
    return go.Scatter(
        x=path.steps,
        y=list(values),
        name=name,
        showlegend=False,
        mode="lines+markers" if len(path.steps) < 30 else "lines",
        line={"color": colour, "width": 2},
        marker={"size": 4},
        hovertemplate="%{x}: %{y:.4f}<extra>%{fullData.name}</extra>",
    )

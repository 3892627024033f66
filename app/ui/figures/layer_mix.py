"""Scalar-mix weights: one for each layer, or one for every token and layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from app.i18n import Language, Message, _, text
from app.ui.figures.axes import node_axis, pairs, visible
from app.ui.figures.template import ACCENT, INK, SECOND, styled
from core.inspection.sentence.mix_view import MixView
from core.taggers.base.trace import MixTrace

PLACES = {
    "encoder": _("layers of the encoder"),
    "input": _("LSTM input"),
    "output": _("LSTM output"),
    "n-grams": _("n-grams by length"),
}


def layer_mix(view: MixView, language: Language = "en") -> go.Figure:
    """One column for each mix: bars of ``s_j`` with the gradients of the penalty below, or token by layer.

    The lowest layer comes first; gamma is in the title.
    """
    mixes = view.mixes
    penalised = any(gradient is not None for gradient in view.gradients)
    figure = make_subplots(
        rows=2 if penalised else 1,
        cols=len(mixes),
        row_heights=[0.68, 0.32] if penalised else None,
        vertical_spacing=0.12,
        subplot_titles=[title(mix, language) for mix in mixes],
        shared_xaxes=True,
        shared_yaxes=not _by_token(mixes),
    )
    for column, (mix, gradient) in enumerate(zip(mixes, view.gradients, strict=True), start=1):
        if mix.weights.ndim == 2:
            _heatmap(figure, column, mix, view.tokens, language)
            continue
        _bars(figure, column, mix, language)
        if gradient is not None:
            _gradient(figure, column, gradient, language)
        names = [str(number) for number in mix.numbers]
        axis = node_axis(names, text(axis_title(mix), language))
        figure.update_xaxes(**axis | {"title": {"text": ""}}, row=1, col=column)
        figure.update_xaxes(**axis, showticklabels=True, row=2 if penalised else 1, col=column)
    if penalised:
        # A scale of rounding errors would make equal weights look different.
        steepest = max(float(np.abs(each).max()) for each in view.gradients if each is not None)
        reach = max(1.2 * steepest, 1e-4)
        figure.update_yaxes(range=[-reach, reach], exponentformat="e", row=2)
    layers = max(len(mix.numbers) for mix in mixes if mix.weights.ndim == 2) if _by_token(mixes) else 0
    figure.update_layout(showlegend=False).update_annotations(font_size=13)
    height = int(np.clip(200 + 22 * layers, 420 if penalised else 320, 700))
    # The titles have two lines.
    return styled(figure, height=height).update_layout(margin={"t": 52})


def title(mix: MixTrace, language: Language) -> str:
    """The name of the mix, and its gamma if learned."""
    named = place(mix.name, language)
    return named if mix.weights.ndim == 2 else f"{named}<br>γ = {mix.gamma:.3f}"


def place(name: str, language: Language) -> str:
    """The displayed name of a mix; by default its own."""
    return text(PLACES[name], language) if name in PLACES else visible(name)


def axis_title(mix: MixTrace) -> Message:
    """What the layers' numbers count."""
    return _("characters in the n-gram") if mix.name == "n-grams" else _("layer")


def _by_token(mixes: Sequence[MixTrace]) -> bool:
    return any(mix.weights.ndim == 2 for mix in mixes)


def _bars(figure: go.Figure, column: int, mix: MixTrace, language: Language) -> None:
    share = text(_("weight s"), language)
    count = len(mix.weights)
    figure.add_bar(
        x=np.arange(count),
        y=mix.weights,
        name=share,
        text=[f"{weight:.3f}" for weight in mix.weights],
        textposition="auto",
        insidetextanchor="start",
        marker={"color": ACCENT},
        customdata=_before_softmax(mix),
        hovertemplate="%{x}: s = %{y:.4f}%{customdata}<extra></extra>",
        row=1,
        col=column,
    )
    figure.add_scatter(
        x=[-0.5, count - 0.5],
        y=[1 / count, 1 / count],
        name=text(_("equal weights"), language),
        mode="lines",
        line={"color": INK, "dash": "dash", "width": 1},
        hovertemplate=f"{text(_('equal weights'), language)}: %{{y:.3f}}<extra></extra>",
        row=1,
        col=column,
    )
    figure.update_yaxes(title={"text": share if column == 1 else ""}, rangemode="tozero", row=1, col=column)


def _before_softmax(mix: MixTrace) -> list[str]:
    if mix.scalars is None:
        return [""] * len(mix.weights)
    return [f", w = {scalar:.4f}" for scalar in mix.scalars]


def _gradient(figure: go.Figure, column: int, gradient: np.ndarray, language: Language) -> None:
    named = text(_("L2 gradient"), language)
    figure.add_bar(
        x=np.arange(len(gradient)),
        y=gradient,
        name=named,
        marker={"color": SECOND},
        hovertemplate="%{x}: %{y:.5f}<extra></extra>",
        row=2,
        col=column,
    )
    figure.update_yaxes(title={"text": named if column == 1 else ""}, nticks=3, row=2, col=column)


def _heatmap(
    figure: go.Figure, column: int, mix: MixTrace, tokens: tuple[str, ...], language: Language
) -> None:
    # A dynamic mix may have negative weights: then zero is the middle of the scale.
    low, high = float(mix.weights.min(initial=0.0)), float(mix.weights.max(initial=1e-9))
    reach = max(-low, high)
    names = [str(number) for number in mix.numbers]
    figure.add_heatmap(
        z=mix.weights.T,
        customdata=pairs(names, tokens),
        colorscale="RdBu" if low < 0 else "Viridis",
        zmin=-reach if low < 0 else 0.0,
        zmax=reach,
        colorbar={"title": {"text": text(_("weight"), language)}},
        name=place(mix.name, language),
        hovertemplate="%{customdata[1]}, %{customdata[0]}<br>%{z:.3f}<extra></extra>",
        row=1,
        col=column,
    )
    figure.update_xaxes(**node_axis(tokens, text(_("character"), language)), row=1, col=column)
    figure.update_yaxes(**node_axis(names, text(axis_title(mix), language)), row=1, col=column)

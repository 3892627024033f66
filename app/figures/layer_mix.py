"""How the layers of an encoder were mixed: one weight a layer, or one for every token and layer."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from app.figures.axes import node_axis
from app.figures.template import styled
from app.i18n import Language, text
from core.taggers.trace import MixTrace


def layer_mix(mix: MixTrace, tokens: tuple[str, ...], language: Language = "en") -> go.Figure:
    """Bars of ``s_j`` with gamma in the title, or a heatmap token by layer where every token has its own.

    The lowest layer is drawn first; layer 0 of a mix is the lowest that takes part.
    """
    if mix.weights.ndim == 1:
        return _bars(mix, language)
    layers = [str(layer) for layer in range(mix.weights.shape[1])]
    figure = go.Figure(
        go.Heatmap(
            z=mix.weights.T,
            colorscale="Viridis",
            zmin=0.0,
            colorbar={"title": {"text": text("inspect.weight", language)}, "thickness": 12},
            hovertemplate="%{x}, %{y}<br>%{z:.3f}<extra></extra>",
        )
    )
    figure.update_xaxes(**node_axis(tokens, text("inspect.character", language)))
    figure.update_yaxes(**node_axis(layers, text("inspect.mixed_layer", language)))
    return styled(figure, height=int(np.clip(160 + 22 * len(layers), 300, 700)))


def _bars(mix: MixTrace, language: Language) -> go.Figure:
    layers = [str(layer) for layer in range(len(mix.weights))]
    figure = go.Figure(
        go.Bar(
            x=np.arange(len(layers)),
            y=mix.weights,
            text=[f"{weight:.3f}" for weight in mix.weights],
            hovertemplate="%{x}: %{y:.4f}<extra></extra>",
        )
    )
    figure.update_xaxes(**node_axis(layers, text("inspect.mixed_layer", language)))
    figure.update_yaxes(title={"text": text("inspect.weight", language)}, rangemode="tozero")
    figure.update_layout(title={"text": f"gamma = {mix.gamma:.3f}", "font": {"size": 13}})
    return styled(figure, height=320)

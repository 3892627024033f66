"""The attention of one head as a heatmap."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from app.i18n import Language, text
from app.ui.figures.axes import node_axis, pairs, snug, upright_axis, visible
from app.ui.figures.head_grid import flat_scale, titled
from app.ui.figures.template import styled
from core.inspection.sentence.attention_view import MEAN, ROLLOUT

if TYPE_CHECKING:
    from core.inspection.sentence.attention_view import AttentionMap

LONGEST_NAME = 12


def attention_heatmap(shown: AttentionMap, language: Language = "en") -> go.Figure:
    """Rows = queries, columns = keys."""
    figure = go.Figure(
        go.Heatmap(
            z=shown.weights,
            colorscale="Viridis",
            zmin=0.0,
            colorbar=flat_scale(),
            customdata=pairs(shown.rows, shown.columns),
            hovertemplate="%{customdata[0]} → %{customdata[1]}<br>%{z:.4f}<extra></extra>",
        )
    )
    figure.update_xaxes(**upright_axis(_short(shown.columns), text("inspect.key", language)))
    figure.update_yaxes(
        **node_axis(_short(shown.rows), text("inspect.query", language)), autorange="reversed"
    )
    height = int(np.clip(160 + 16 * len(shown.rows), 340, 780))
    return titled(snug(styled(figure, height=height)), _title(shown, language))


def _title(shown: AttentionMap, language: Language) -> str:
    named = {MEAN: "inspect.mean", ROLLOUT: "inspect_attention.rollout"}.get(shown.head)
    head = (
        text(named, language) if named else text("inspect_attention.head_number", language, head=shown.head)
    )
    picture = text("inspect_attention.chosen_weight", language, layer=shown.layer, head=head)
    if shown.query_label is None:
        return picture
    return text("inspect_attention.behind", language, picture=picture, label=visible(shown.query_label))


def _short(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…" for name in names)

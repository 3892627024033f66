"""F1 by label, one group of bars per label and one bar per run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go

from app.i18n import Language, _, text
from app.ui.figures.axes import visible
from app.ui.figures.template import styled
from app.ui.figures.training_curves import COLOURS

PATTERNS = ("", "/", ".", "x", "-", "+")


def label_scores(runs: Mapping[str, Mapping[str, Any]], language: Language = "en") -> go.Figure:
    """F1 in percent by label.

    Args:
        runs: ``Scores.to_json`` of each run, the current run first; no bar for labels a run lacks.
    """
    labels = sorted({label for scores in runs.values() for label in scores.get("per_label", {})})
    figure = go.Figure()
    for index, (name, scores) in enumerate(runs.items()):
        by_label = scores.get("per_label", {})
        figure.add_bar(
            name=visible(name),
            x=[visible(label) for label in labels],
            y=[100 * by_label[label]["f1"] if label in by_label else None for label in labels],
            customdata=[by_label.get(label, {}).get("gold", 0) for label in labels],
            marker={
                "color": COLOURS[index % len(COLOURS)],
                "pattern": {"shape": PATTERNS[index % len(PATTERNS)]},
            },
            hovertemplate="%{x}: %{y:.1f} (%{customdata})<extra>%{fullData.name}</extra>",
        )
    figure.update_layout(barmode="group", showlegend=len(runs) > 1)
    figure.update_xaxes(type="category")
    figure.update_yaxes(title_text=text(_("F1, %"), language), range=[0, 100])
    return styled(figure, height=300)

"""The errors of the training recipe, one heat map for each batch size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from app.i18n import Language, _, ngettext, text
from app.ui.figures.template import styled

ROW = 30  # pixels of a line of cells
WORST, BEST = 0.0, -4.0  # ends of the colour scale, as powers of ten
Row = Mapping[str, Any]


def recipe_errors(rows: Sequence[Row], language: Language = "en") -> go.Figure:
    """Error of every recipe: learning rate and warm-up across, depth and initialisation down.

    Args:
        rows: as ``core.learning.recipe.row`` makes them, in any order; recipes not yet trained stay blank.
    """
    batches = sorted({row["batch"] for row in rows}) or [0]
    across = sorted({(row["learning_rate"], row["warm_up"]) for row in rows})
    down = sorted({(row["depth"], row["initialisation"]) for row in rows})
    titles = [text(_("batch {batch}"), language, batch=batch) for batch in batches]
    figure = make_subplots(
        rows=1, cols=len(batches), shared_yaxes=True, horizontal_spacing=0.03, subplot_titles=titles
    )
    for column, batch in enumerate(batches, start=1):
        by_cell = {_cell(row): row["error"] for row in rows if row["batch"] == batch}
        cells = [[by_cell.get((*place, *way), "") for way in across] for place in down]
        figure.add_heatmap(
            x=[
                text(_("{rate}<br>warm-up {steps}"), language, rate=f"{rate:g}", steps=steps)
                for rate, steps in across
            ],
            y=[
                text(
                    ngettext("{count} layer, {name}", "{count} layers, {name}"),
                    language,
                    count=depth,
                    name=name,
                )
                for depth, name in down
            ],
            z=[[_power(error) for error in line] for line in cells],
            text=[[_shown(error) for error in line] for line in cells],
            texttemplate="%{text}",
            hovertemplate="%{y}<br>%{x}<br>%{text}<extra></extra>",
            coloraxis="coloraxis",
            xgap=2,
            ygap=2,
            row=1,
            col=column,
        )
    figure.update_xaxes(type="category", showgrid=False)
    figure.update_yaxes(type="category", showgrid=False, autorange="reversed")
    bar = {"title": {"text": text(_("error"), language)}, "tickvals": [-4, -3, -2, -1, 0]}
    bar["ticktext"] = ["0.0001", "0.001", "0.01", "0.1", "1"]
    figure.update_layout(coloraxis={"colorscale": "Blues", "cmin": BEST, "cmax": WORST, "colorbar": bar})
    return styled(figure, height=150 + ROW * max(len(down), 3))


def _cell(row: Row) -> tuple[int, str, float, int]:
    return row["depth"], row["initialisation"], row["learning_rate"], row["warm_up"]


def _power(error: float | str | None) -> float | None:
    """Where a cell lies on the colour scale; what diverged is as bad as the worst."""
    if error == "":
        return None
    if error is None:
        return WORST
    return math.log10(max(float(error), 1e-12))


def _shown(error: float | str | None) -> str:
    if error == "":
        return ""
    return "∞" if error is None else f"{float(error):.2g}"

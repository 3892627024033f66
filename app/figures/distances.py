"""The four relative distances of FLAT between all nodes of a lattice."""

from __future__ import annotations

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from app.figures.axes import node_axis
from app.figures.template import styled
from app.i18n import Language, text
from core.taggers.trace import LatticeTrace

# FLAT's own names for them (Li et al. 2020, equations 4 to 7), in the order of ``LatticeTrace.distances``.
SYMBOLS = {
    "head-head": "d<sup>(hh)</sup>",
    "head-tail": "d<sup>(ht)</sup>",
    "tail-head": "d<sup>(th)</sup>",
    "tail-tail": "d<sup>(tt)</sup>",
}
MOST_TICKS = 24  # four small figures share the place of one


def distance_heatmaps(lattice: LatticeTrace, language: Language = "en") -> go.Figure:
    """Four heatmaps with one colour scale, white at distance 0; rows = from, columns = to, in characters."""
    distances = lattice.distances()
    names = [f"{SYMBOLS[kind]} {text(f'inspect.distance.{kind}', language)}" for kind in distances]
    figure = make_subplots(
        rows=2, cols=2, subplot_titles=names, horizontal_spacing=0.1, vertical_spacing=0.14
    )
    reach = max(1, *(int(abs(matrix).max(initial=0)) for matrix in distances.values()))
    for order, matrix in enumerate(distances.values()):
        row, column = divmod(order, 2)
        figure.add_trace(
            go.Heatmap(
                z=matrix,
                coloraxis="coloraxis",
                hovertemplate="%{y} → %{x}: %{z}<extra></extra>",
            ),
            row=row + 1,
            col=column + 1,
        )
    figure.update_xaxes(**node_axis(lattice.nodes, "", MOST_TICKS))
    figure.update_yaxes(**node_axis(lattice.nodes, "", MOST_TICKS), autorange="reversed")
    figure.update_xaxes(title_text=text("inspect.to", language), row=2)
    figure.update_yaxes(title_text=text("inspect.from", language), col=1)
    figure.update_layout(
        coloraxis={
            "colorscale": "RdBu",
            "cmin": -reach,
            "cmax": reach,
            "colorbar": {"title": {"text": text("inspect.characters", language)}, "thickness": 12},
        }
    )
    return styled(figure, height=760)

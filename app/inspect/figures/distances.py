"""FLAT's relative distances between the nodes of a lattice, and the encodings made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from app.i18n import Language, _, text
from app.ui.figures.axes import node_axis, pairs, snug, upright_axis
from app.ui.figures.template import GRID, styled
from core.inspection.sentence.distances_view import DistancesView

DISTANCES = {
    "head-head": _("head to head"),
    "head-tail": _("head to tail"),
    "tail-head": _("tail to head"),
    "tail-tail": _("tail to tail"),
}

# FLAT's own names for them (Li et al. 2020, equations 4 to 7).
SYMBOLS = {
    "head-head": "d<sup>(hh)</sup>",
    "head-tail": "d<sup>(ht)</sup>",
    "tail-head": "d<sup>(th)</sup>",
    "tail-tail": "d<sup>(tt)</sup>",
}
# As many names as a phone has room for beside each other, alone and with two figures in a row.
MOST_TICKS, MOST_TICKS_IN_TWO = 22, 9
LONGEST_NAME = 4  # characters written downwards between two rows of figures
NAMED = 200  # nodes up to which every cell carries both names; beyond, its positions have to do


def distance_heatmaps(
    view: DistancesView, kinds: Sequence[str] = tuple(SYMBOLS), language: Language = "en"
) -> go.Figure:
    """One heatmap for each of these distances, white at distance 0; rows = from, columns = to, in characters.

    They share one colour scale, so that equal colours are equal distances.
    """
    columns = min(len(kinds), 2)
    rows = -(-len(kinds) // columns)
    # In two lines: two names in one line touch on a phone.
    names = [f"{SYMBOLS[kind]}<br>{text(DISTANCES[kind], language)}" for kind in kinds]
    # Names stand left of a row only: beside the second figure they would lie on the first on a phone.
    grid = {"shared_yaxes": True, "horizontal_spacing": 0.05, "vertical_spacing": 0.13}
    figure = make_subplots(rows=rows, cols=columns, subplot_titles=names, **grid)
    for order, kind in enumerate(kinds):
        named = view.nodes if len(kinds) == 1 else ()
        cells = _cells(view.distances[kind].astype(np.int16), named, "%{z}")
        row, column = divmod(order, columns)
        figure.add_heatmap(coloraxis="coloraxis", **cells, row=row + 1, col=column + 1)
    _name_nodes(figure, view.nodes, MOST_TICKS if len(kinds) == 1 else MOST_TICKS_IN_TWO)
    figure.update_xaxes(title_text=text(_("to node"), language), row=rows)
    figure.update_yaxes(title_text=text(_("from node"), language), col=1)
    # Room above for names of two lines.
    figure.update_layout(coloraxis=_scale(view.reach, text(_("characters"), language)), margin={"t": 56})
    return snug(styled(figure, height=_height(len(view.nodes)) if rows == 1 else 760))


def fused_norms(view: DistancesView, language: Language = "en") -> go.Figure:
    """Heatmap of the length of ``R_ij`` (equation 8); rows = from node i, columns = to node j."""
    cells = _cells(view.norms.astype(np.float32), view.nodes, "%{z:.3f}")
    figure = go.Figure(go.Heatmap(coloraxis="coloraxis", **cells))
    _name_nodes(figure, view.nodes, MOST_TICKS)
    figure.update_xaxes(title_text=text(_("to node"), language))
    figure.update_yaxes(title_text=text(_("from node"), language))
    figure.update_layout(
        coloraxis={"colorscale": "Viridis", "colorbar": {"title": {"text": "‖R<sub>ij</sub>‖"}}}
    )
    return snug(styled(figure, height=_height(len(view.nodes))))


def sinusoid_table(view: DistancesView, language: Language = "en") -> go.Figure:
    """Heatmap of ``p(d)``: a row for every distance d that can occur, a column for every dimension."""
    rows, width = view.sinusoids.shape
    reach = rows // 2
    figure = go.Figure(
        go.Heatmap(
            z=view.sinusoids.astype(np.float32),
            y=np.arange(-reach, reach + 1),
            coloraxis="coloraxis",
            hovertemplate="d = %{y}, k = %{x}: %{z:.3f}<extra></extra>",
        )
    )
    figure.add_vline(x=width // 2 - 0.5, line={"color": GRID, "width": 2})
    figure.update_xaxes(
        title_text=text(_("dimension k (left half sines, right half cosines)"), language), zeroline=False
    )
    figure.update_yaxes(
        title_text=text(_("distance d, characters"), language), zeroline=False, tickformat="d"
    )
    figure.update_layout(coloraxis=_scale(1, "p(d)"))
    return styled(figure, height=480)


def _cells(values: NDArray[Any], nodes: Sequence[str], shown: str) -> dict[str, Any]:
    """What a heatmap needs to show ``values`` and, where there are not too many, the names of both nodes."""
    if not nodes or len(nodes) > NAMED:
        return {"z": values, "hovertemplate": f"%{{y}} → %{{x}}: {shown}<extra></extra>"}
    template = f"%{{customdata[0]}} → %{{customdata[1]}}: {shown}<extra></extra>"
    return {"z": values, "customdata": pairs(nodes, nodes), "hovertemplate": template}


def _name_nodes(figure: go.Figure, nodes: Sequence[str], most: int) -> None:
    short = [name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…" for name in nodes]
    figure.update_xaxes(**upright_axis(short, "", most))
    figure.update_yaxes(**node_axis(nodes, "", most), autorange="reversed")


def _scale(reach: int, title: str) -> dict[str, Any]:
    return {"colorscale": "RdBu", "cmin": -reach, "cmax": reach, "colorbar": {"title": {"text": title}}}


def _height(nodes: int) -> int:
    return int(np.clip(160 + 14 * nodes, 380, 760))

"""Vectors of spans or characters as points in the plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from app.i18n import Language, _, text
from app.ui.figures.axes import visible
from app.ui.figures.template import GRID, styled
from app.ui.numbers import share

if TYPE_CHECKING:
    import numpy as np

AXES = (_("first component, {share} of the variance"), _("second component, {share} of the variance"))

HEIGHT = 480
# Groups differ by sign as well as colour, so that they can be told apart without colour.
SYMBOLS = ("circle", "square", "diamond", "cross", "triangle-up", "star", "x", "pentagon", "hexagram")


@dataclass(frozen=True, slots=True)
class Group:
    """Points that look alike: what the legend calls them, and their colour."""

    name: str
    colour: str


def vector_scatter(
    points: np.ndarray,
    members: Sequence[str],
    groups: Mapping[str, Group],
    hover: Sequence[str],
    explained: tuple[float, float] | None = None,
    language: Language = "en",
    title: str = "",
) -> go.Figure:
    """One sign for each point, one entry of the legend for each group that has points.

    Args:
        points: ``[N, 2]``. members: the key of each point's group. groups: in the legend's order.
        hover: what is said of each point, plain text. explained: share of the variance along each axis; None
            where axes mean nothing. title: above the figure; plain text.

    A point's ``customdata`` is its number.
    """
    figure = go.Figure()
    for place, (key, group) in enumerate(groups.items()):
        member_rows = [number for number, member in enumerate(members) if member == key]
        if not member_rows:
            continue
        figure.add_scatter(
            x=points[member_rows, 0],
            y=points[member_rows, 1],
            name=f"{visible(group.name)} ({len(member_rows)})",
            mode="markers",
            marker={
                "color": group.colour,
                "symbol": SYMBOLS[place % len(SYMBOLS)],
                "size": 7,
                "opacity": 0.75,
            },
            text=[visible(hover[number]) for number in member_rows],
            customdata=member_rows,
            hovertemplate="%{text}<extra>%{fullData.name}</extra>",
        )
    for number, axis in enumerate((figure.update_xaxes, figure.update_yaxes)):
        axis_title = text(_("no unit"), language)
        if explained is not None:
            axis_title = text(AXES[number], language, share=share(explained[number]))
        axis(title_text=axis_title, zeroline=False, showticklabels=explained is not None, gridcolor=GRID)
    figure.update_layout(showlegend=True, legend_itemsizing="constant")
    styled(figure, height=HEIGHT)
    # Below: where there is little room it takes several lines, which would lie over the title.
    figure.update_layout(legend={"orientation": "h", "y": -0.16, "yanchor": "top", "x": 0})
    if title:
        figure.update_layout(title={"text": visible(title), "x": 0, "font": {"size": 13}}, margin_t=48)
    return figure

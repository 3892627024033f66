"""What the CRF weighed: emissions, marginals, and transitions with both axes named."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from app.i18n import Language, _, text
from app.ui.figures.axes import node_axis, pairs, snug
from app.ui.figures.template import styled
from core.taggers.base.trace import CrfTrace

START, END = "START", "END"
PATH = "#E69F00"
CROSS = "#9099a5"  # to be seen on the dark ends of the scale and on its white middle


def emission_heatmap(
    crf: CrfTrace, tokens: tuple[str, ...], language: Language = "en", shown: Sequence[int] | None = None
) -> go.Figure:
    """Score of every tag at every character, before transitions; the chosen path is ringed.

    Args:
        shown: rows of the tags to draw; None draws all.
    """
    heatmap = go.Heatmap(
        z=crf.emissions.T,
        colorscale="RdBu",
        zmid=0.0,
        colorbar={"title": {"text": text(_("score"), language), "side": "right"}, "thickness": 12},
    )
    return _token_by_tag(crf, heatmap, tokens, language, shown)


def marginal_heatmap(
    crf: CrfTrace, tokens: tuple[str, ...], language: Language = "en", shown: Sequence[int] | None = None
) -> go.Figure:
    """Probability of every tag at every character given the whole sentence; columns sum to 1.

    Args:
        shown: rows of the tags to draw; None draws all.
    """
    heatmap = go.Heatmap(
        z=crf.marginals.T,
        colorscale="Viridis",
        zmin=0.0,
        zmax=1.0,
        colorbar={"title": {"text": text(_("probability"), language), "side": "right"}, "thickness": 12},
    )
    return _token_by_tag(crf, heatmap, tokens, language, shown)


def transition_heatmap(
    crf: CrfTrace, language: Language = "en", shown: Sequence[int] | None = None
) -> go.Figure:
    """Learned score of every tag after every other: rows = from (with START), columns = to (with END).

    Crosses mark the steps that decoding forbids, whatever their score; rings those the chosen path took.

    Args:
        shown: rows of the tags to draw; None draws all.
    """
    kept = list(range(len(crf.tags)) if shown is None else shown)
    rows, columns = [0, *(tag + 1 for tag in kept)], [*kept, len(crf.tags)]
    across, down = [*(crf.tags[tag] for tag in kept), END], [START, *(crf.tags[tag] for tag in kept)]
    scores = crf.steps()[np.ix_(rows, columns)]
    reach = float(np.nanmax(np.abs(scores))) or 1.0
    figure = go.Figure(
        go.Heatmap(
            z=scores,
            name=text(_("transitions"), language),
            colorscale="RdBu",
            zmin=-reach,
            zmax=reach,
            colorbar={"title": {"text": text(_("score"), language), "side": "right"}, "thickness": 12},
            customdata=pairs(down, across),
            hovertemplate="%{customdata[0]} → %{customdata[1]}<br>%{z:.3f}<extra></extra>",
        )
    )
    if crf.allowed is not None:
        forbidden = ~crf.allowed[np.ix_(rows, columns)] & ~np.isnan(scores)
        marker = {"symbol": "x-thin", "size": 7, "line": {"width": 1.5, "color": CROSS}}
        figure.add_trace(_marks(forbidden, text(_("forbidden when decoding"), language), marker))
    marker = {"symbol": "circle-open", "size": 11, "line": {"width": 2}, "color": PATH}
    figure.add_trace(
        _marks(_taken(crf)[np.ix_(rows, columns)], text(_("taken by the chosen path"), language), marker)
    )
    edge = len(kept) + 0.5
    figure.update_xaxes(**node_axis(across, text(_("to tag"), language)), range=[-0.5, edge])
    figure.update_yaxes(**node_axis(down, text(_("from tag"), language)), range=[edge, -0.5])
    return snug(styled(figure, height=int(np.clip(200 + 20 * len(kept), 360, 860))))


def _marks(cells: np.ndarray, name: str, marker: dict[str, object]) -> go.Scatter:
    """A mark on every true cell; the legend turns them on and off."""
    down, across = np.nonzero(cells)
    return go.Scatter(x=across, y=down, mode="markers", marker=marker, name=name, hoverinfo="skip")


def _taken(crf: CrfTrace) -> np.ndarray:
    """The steps of the chosen path, laid out as ``CrfTrace.steps``."""
    taken = np.zeros((len(crf.tags) + 1, len(crf.tags) + 1), dtype=bool)
    path = np.asarray(crf.path).tolist()
    if path:
        for origin, to in zip([0, *(tag + 1 for tag in path)], [*path, len(crf.tags)], strict=True):
            taken[origin, to] = True
    return taken


def _token_by_tag(
    crf: CrfTrace,
    heatmap: go.Heatmap,
    tokens: tuple[str, ...],
    language: Language,
    shown: Sequence[int] | None,
) -> go.Figure:
    """Tags as rows, characters as columns, so that the sentence reads along the figure."""
    kept = list(range(len(crf.tags)) if shown is None else shown)
    heatmap.z = np.asarray(heatmap.z)[kept]
    names = [crf.tags[tag] for tag in kept]
    heatmap.customdata = pairs(names, tokens)
    heatmap.hovertemplate = "%{customdata[1]}, %{customdata[0]}<br>%{z:.3f}<extra></extra>"
    place = {tag: row for row, tag in enumerate(kept)}
    figure = go.Figure(heatmap)
    figure.add_trace(
        go.Scatter(
            x=np.arange(len(tokens)),
            y=[place.get(tag) for tag in np.asarray(crf.path).tolist()],
            mode="markers",
            marker={"symbol": "circle-open", "size": 9, "line": {"width": 2}, "color": PATH},
            name=text(_("chosen path"), language),
            showlegend=True,
            hoverinfo="skip",
        )
    )
    # The ring markers would otherwise widen the axes beyond the cells.
    figure.update_xaxes(**node_axis(tokens, text(_("character"), language)), range=[-0.5, len(tokens) - 0.5])
    figure.update_yaxes(**node_axis(names, text(_("tag"), language)), range=[len(names) - 0.5, -0.5])
    return snug(styled(figure, height=int(np.clip(180 + 18 * len(names), 300, 860))))

"""A reliability diagram: accuracy over confidence."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from app.i18n import Language, _, pgettext, text
from app.ui.figures.template import ACCENT, INK, SECOND, styled
from core.inspection.corpus.calibration import Calibration


def reliability(calibration: Calibration, language: Language = "en") -> go.Figure:
    """Above, accuracy over mean confidence with the line of perfect calibration; below, the counts.

    A point's ``customdata`` is its bin; empty bins have none.
    """
    bins = np.flatnonzero(calibration.counts)
    middles = (calibration.edges[:-1] + calibration.edges[1:]) / 2
    wide = np.diff(calibration.edges)[bins]
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, row_heights=[0.72, 0.28], vertical_spacing=0.06)
    figure.add_scatter(
        name=text(_("perfect"), language),
        x=[0, 1],
        y=[0, 1],
        mode="lines",
        line={"color": INK, "dash": "dash", "width": 1},
        hoverinfo="skip",
        row=1,
        col=1,
    )
    figure.add_scatter(
        name=text(_("share right"), language),
        x=calibration.confidence[bins].tolist(),
        y=calibration.accuracy[bins].tolist(),
        customdata=bins.tolist(),
        mode="lines+markers",
        line={"color": ACCENT, "width": 2},
        marker={"size": 10},
        hovertemplate="%{x:.3f} → %{y:.3f}<extra></extra>",
        row=1,
        col=1,
    )
    figure.add_bar(
        name=text(pgettext("axis", "spans"), language),
        x=middles[bins].tolist(),
        y=calibration.counts[bins].tolist(),
        width=(0.9 * wide).tolist(),
        customdata=bins.tolist(),
        marker={"color": SECOND, "pattern": {"shape": "/"}},
        hovertemplate="%{y:,}<extra></extra>",
        row=2,
        col=1,
    )
    figure.update_xaxes(range=[-0.02, 1.02], dtick=0.2)
    figure.update_xaxes(title_text=text(_("mean confidence"), language), row=2, col=1)
    figure.update_yaxes(title_text=text(_("share right"), language), range=[-0.04, 1.04], row=1, col=1)
    figure.update_yaxes(
        title_text=text(pgettext("axis", "spans"), language), rangemode="tozero", row=2, col=1
    )
    figure.update_layout(showlegend=False)
    return styled(figure, height=360)

"""The segments of an HM-LSTM over the units of a sentence, beside the words of jieba and the dictionary."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from app.i18n import Language, Message, _, text
from app.ui.figures.axes import node_axis, reading_range, snug, upright_axis, visible
from app.ui.figures.template import styled
from core.inspection.sentence.segments_view import SegmentRow, SegmentsView

# Neighbouring segments differ in shade, so that a boundary is seen without a line.
NETWORK, WORDS = ("#2f6fd6", "#8fb4ee"), ("#6b7280", "#b3bac6")


def row_name(row: SegmentRow) -> Message:
    """What cut the sentence."""
    names = {
        "forwards": _("forwards, layer {layer}", layer=row.layer),
        "backwards": _("backwards, layer {layer}", layer=row.layer),
        "jieba": _("words of jieba"),
        "dictionary": _("words of the dictionary"),
    }
    return names[row.source]


def segment_strips(view: SegmentsView, language: Language = "en") -> go.Figure:
    """A strip for every row; each block is a segment, and pointing at it names its text."""
    figure = go.Figure()
    for number, row in enumerate(view.rows):
        shades = WORDS if row.layer == 0 else NETWORK
        surfaces = ["".join(view.tokens[start:end]) for start, end in row.segments]
        figure.add_bar(
            orientation="h",
            y=[number] * len(row.segments),
            base=[start - 0.5 for start, _end in row.segments],
            x=[end - start for start, end in row.segments],
            width=0.8,
            customdata=[visible(surface) for surface in surfaces],
            hovertemplate="%{customdata}<extra></extra>",
            marker={"color": [shades[at % 2] for at in range(len(surfaces))], "line": {"width": 0}},
            showlegend=False,
        )
    names = [text(row_name(row), language) for row in view.rows]
    figure.update_xaxes(**upright_axis(view.tokens, ""), range=reading_range(view.tokens))
    figure.update_yaxes(**node_axis(names, ""), autorange="reversed")
    figure.update_layout(barmode="overlay")
    return snug(styled(figure, height=int(np.clip(110 + 34 * len(names), 200, 600))))

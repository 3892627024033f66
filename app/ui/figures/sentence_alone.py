"""A sentence where a figure would have empty axes."""

from __future__ import annotations

import textwrap
from unicodedata import east_asian_width

import plotly.graph_objects as go

from app.ui.figures.template import styled

# Columns of a line that fits a phone; a Chinese character takes two. Plotly does not break lines itself.
COLUMNS = 46
LINE, AROUND = 18, 46  # pixels of a line, and of the room above and below all of them


def sentence_alone(sentence: str) -> go.Figure:
    """A figure with a sentence instead of data; the sentence is ours, so it may have markup."""
    wide = sum(east_asian_width(character) in "WF" for character in sentence) > len(sentence) / 2
    lines = textwrap.wrap(sentence, COLUMNS // 2 if wide else COLUMNS, break_on_hyphens=False)
    figure = go.Figure()
    figure.add_annotation(
        text="<br>".join(lines),
        showarrow=False,
        x=0,
        y=0.5,
        xref="paper",
        yref="paper",
        xanchor="left",
        align="left",
    )
    styled(figure, height=AROUND + LINE * len(lines))
    figure.update_layout(margin={"l": 0, "r": 0, "t": 0, "b": 0})
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return figure

"""How a pretraining goes: loss, and perplexity where it has one, over the epochs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from app.i18n import Language, _, pgettext, text
from app.ui.figures.template import styled
from app.ui.figures.training_curves import COLOURS, DASHES

UNIT_NAMES = {
    "characters": pgettext("unit", "characters"),
    "bigrams": _("pairs of characters"),
    "words": _("words"),
}


def pretraining_curves(events: Sequence[Mapping[str, Any]], language: Language = "en") -> go.Figure:
    """Loss on the left; perplexity of held-out text on the right, before the first step at epoch 0.

    A new head says nothing before it has learned: where one learned alone first, epoch 0 is after that.

    Args:
        events: of the run. Vectors have a line for each unit and no perplexity. What a resumed run did again
            counts once.
    """
    epochs: dict[tuple[str, int], Mapping[str, Any]] = {}
    perplexity: dict[int, float] = {}
    for event in events:
        if event.get("event") in ("before", "head") and event.get("perplexity") is not None:
            perplexity[0] = event["perplexity"]
        if event.get("event") == "epoch":
            epochs[event.get("unit", ""), event["epoch"]] = event
            if event.get("perplexity") is not None:
                perplexity[event["epoch"]] = event["perplexity"]
    panels = 2 if perplexity else 1
    figure = make_subplots(rows=1, cols=panels, horizontal_spacing=0.14)
    units = list(dict.fromkeys(unit for unit, _ in epochs))
    for index, unit in enumerate(units):
        name = text(UNIT_NAMES[unit], language) if unit else text(_("loss"), language)
        line = {"color": COLOURS[index % len(COLOURS)], "dash": DASHES[index % len(DASHES)], "width": 2}
        points = sorted(
            (number, event["loss"])
            for (unit_of_event, number), event in epochs.items()
            if unit_of_event == unit
        )
        figure.add_trace(_line(name, points, line, "%{y:.3f}"), row=1, col=1)
    if perplexity:
        line = {"color": COLOURS[1], "dash": DASHES[1], "width": 2}
        name = text(_("perplexity of held-out text"), language)
        figure.add_trace(_line(name, sorted(perplexity.items()), line, "%{y:.1f}"), row=1, col=2)
        figure.update_yaxes(title_text=name, row=1, col=2)
    last = max((number for _, number in epochs), default=1)
    figure.update_xaxes(
        title_text=text(_("epoch"), language), rangemode="tozero", dtick=1 if last <= 12 else None
    )
    figure.update_yaxes(title_text=text(_("loss"), language), row=1, col=1)
    figure.update_layout(showlegend=len(units) > 1)
    return styled(figure, height=280)


def _line(name: str, points: Sequence[tuple[int, float]], line: Mapping[str, Any], value: str) -> go.Scatter:
    return go.Scatter(
        x=[x for x, _ in points],
        y=[y for _, y in points],
        name=name,
        mode="lines+markers",
        line=dict(line),
        marker={"size": 6},
        hovertemplate=f"%{{x}}: {value}<extra>%{{fullData.name}}</extra>",
    )

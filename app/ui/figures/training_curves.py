"""Loss and dev F1 over the epochs, one line per run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from app.i18n import Language, _, text
from app.ui.figures.sentence_alone import sentence_alone
from app.ui.figures.template import styled

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
Events = Sequence[Mapping[str, Any]]


def training_curves(runs: Mapping[str, Events], language: Language = "en") -> go.Figure:
    """Two panels side by side: training loss and dev F1 in percent.

    Args:
        runs: events of each run (see ``core.training.run.run_folder``), the current run first. Epochs
            repeated by a resumed run count once; ``step`` events show the loss inside an unfinished epoch.

    Without dev scores there is one panel, and before the first step a sentence.
    """
    lines = {name: _points(events) for name, events in runs.items()}
    if not any(losses for losses, _scores in lines.values()):
        return sentence_alone(text(_("The curves begin with the first steps of the training."), language))
    scored = any(scores for _losses, scores in lines.values())
    figure = make_subplots(rows=1, cols=2 if scored else 1, horizontal_spacing=0.12)
    for index, (name, (losses, scores)) in enumerate(lines.items()):
        # Runs differ by dash as well as colour, so that they can be distinguished without colour.
        line = {"color": COLOURS[index % len(COLOURS)], "dash": DASHES[index % len(DASHES)], "width": 2}
        figure.add_trace(_line(name, losses, line, "%{x:.2f}: %{y:.4f}"), row=1, col=1)
        if scored:
            figure.add_trace(_line(name, scores, line, "%{x}: %{y:.2f}", legend=False), row=1, col=2)
    epoch_title = text(_("epoch"), language)
    last = max((event["epoch"] for events in runs.values() for event in _epochs(events)), default=1)
    figure.update_xaxes(title_text=epoch_title, rangemode="tozero", dtick=1 if last <= 12 else None)
    figure.update_yaxes(title_text=text(_("training loss"), language), rangemode="tozero", row=1, col=1)
    if scored:
        dev = {"title_text": text(_("dev F1, %"), language), "minallowed": 0, "maxallowed": 100}
        figure.update_yaxes(**dev, row=1, col=2)
    figure.update_layout(showlegend=len(runs) > 1)
    return styled(figure, height=300)


def _points(events: Events) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """Losses and dev F1 in percent, each with its epoch."""
    epochs = _epochs(events)
    losses = [(epoch["epoch"], epoch["loss"]) for epoch in epochs] + _open_epoch(events, epochs)
    return losses, [(epoch["epoch"], 100 * epoch["dev"]["f1"]) for epoch in epochs if epoch.get("dev")]


def _line(
    name: str, points: Sequence[tuple[float, float]], line: Mapping[str, Any], hover: str, legend: bool = True
) -> go.Scatter:
    return go.Scatter(
        x=[x for x, _ in points],
        y=[y for _, y in points],
        name=name,
        legendgroup=name,
        showlegend=legend,
        mode="lines+markers",
        line=dict(line),
        marker={"size": 6},
        hovertemplate=f"{hover}<extra>%{{fullData.name}}</extra>",
    )


def _epochs(events: Events) -> list[Mapping[str, Any]]:
    """The ``epoch`` events in order, the latest of each epoch."""
    latest = {event["epoch"]: event for event in events if event.get("event") == "epoch"}
    return [latest[number] for number in sorted(latest)]


def _open_epoch(events: Events, epochs: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    """The latest step of an epoch that has no ``epoch`` event yet, placed at its share of the run."""
    complete = epochs[-1]["epoch"] if epochs else 0
    for event in reversed(events):
        if event.get("event") == "step":
            position = float(event["fraction"]) * float(event["epochs"])
            return [(position, event["loss"])] if event["epoch"] > complete else []
        if event.get("event") == "epoch":
            return []
    return []

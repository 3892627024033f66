"""Loss and dev F1 over the epochs, one line per run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
            The rounds of a run stand one after the other; dotted lines say where those of the current run
            begin.

    Without dev scores there is one panel, and before the first step a sentence.
    """
    courses = {name: _course(events) for name, events in runs.items()}
    if not any(course.losses for course in courses.values()):
        return sentence_alone(text(_("The curves begin with the first steps of the training."), language))
    scored = any(course.scores for course in courses.values())
    figure = make_subplots(rows=1, cols=2 if scored else 1, horizontal_spacing=0.12)
    for index, (name, course) in enumerate(courses.items()):
        # Runs differ by dash as well as colour, so that they can be distinguished without colour.
        line = {"color": COLOURS[index % len(COLOURS)], "dash": DASHES[index % len(DASHES)], "width": 2}
        figure.add_trace(_line(name, course.losses, line, "%{x:.2f}: %{y:.4f}"), row=1, col=1)
        if scored:
            figure.add_trace(_line(name, course.scores, line, "%{x}: %{y:.2f}", legend=False), row=1, col=2)
    epoch_title = text(_("epoch"), language)
    last = max((course.epochs for course in courses.values()), default=1)
    figure.update_xaxes(title_text=epoch_title, rangemode="tozero", dtick=1 if last <= 12 else None)
    figure.update_yaxes(title_text=text(_("training loss"), language), rangemode="tozero", row=1, col=1)
    if scored:
        dev = {"title_text": text(_("dev F1, %"), language), "minallowed": 0, "maxallowed": 100}
        figure.update_yaxes(**dev, row=1, col=2)
    figure.update_layout(showlegend=len(runs) > 1)
    _mark_rounds(figure, next(iter(courses.values())), language)
    return styled(figure, height=300)


Points = list[tuple[float, float | None]]


@dataclass
class _Course:
    """A run from its first epoch to its last. Args:
    losses, scores: by epoch, counted through all rounds; a gap stands between two of them.
    begins: after how many epochs each further round begins, and its number. epochs: complete ones.
    """

    losses: Points = field(default_factory=list)
    scores: Points = field(default_factory=list)
    begins: list[tuple[int, int]] = field(default_factory=list)
    epochs: int = 0

    def add(self, number: int, events: Events) -> None:
        """Append a training, the first of which is that before round 1."""
        if self.losses:
            self.begins.append((self.epochs, number - 1))
            self.losses.append((self.epochs, None))
            self.scores.append((self.epochs, None))
        epochs = _epochs(events)
        losses = [(epoch["epoch"], epoch["loss"]) for epoch in epochs] + _open_epoch(events, epochs)
        scores = [(epoch["epoch"], 100 * epoch["dev"]["f1"]) for epoch in epochs if epoch.get("dev")]
        self.losses += [(self.epochs + at, loss) for at, loss in losses]
        self.scores += [(self.epochs + at, score) for at, score in scores]
        self.epochs += epochs[-1]["epoch"] if epochs else 0


def _course(events: Events) -> _Course:
    rounds: dict[int, list[Mapping[str, Any]]] = {}
    for event in events:
        if event.get("event") in ("epoch", "step"):
            rounds.setdefault(event.get("round", 1), []).append(event)
    course = _Course()
    for number in sorted(rounds):
        # A training that reports no epochs is none of the run's tagger; of one that goes on they may come.
        if number == max(rounds) or _epochs(rounds[number]):
            course.add(number, rounds[number])
    return course


def _mark_rounds(figure: go.Figure, course: _Course, language: Language) -> None:
    """A dotted line where each further round begins, with the number that its verdict in the log has."""
    for begin, number in course.begins:
        title = text(_("round {number}"), language, number=number)
        figure.add_vline(
            x=begin, line={"dash": "dot", "width": 1, "color": "#888888"}, row="all", col="all",
            annotation={"text": title, "yref": "paper", "y": 1, "yanchor": "bottom", "showarrow": False},
        )  # fmt: skip


def _line(name: str, points: Points, line: Mapping[str, Any], hover: str, legend: bool = True) -> go.Scatter:
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
    """The latest step of an epoch that has no ``epoch`` event yet, placed at its share of the training."""
    complete = epochs[-1]["epoch"] if epochs else 0
    for event in reversed(events):
        if event.get("event") == "step":
            position = float(event.get("share", event["fraction"])) * float(event["epochs"])
            return [(position, event["loss"])] if event["epoch"] > complete else []
        if event.get("event") == "epoch":
            return []
    return []

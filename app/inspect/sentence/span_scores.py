"""The panel of span scores: the probability of every span for one label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import _
from app.inspect.figures.span_scores import span_heatmap
from app.inspect.panel import Look, PanelView, heading, look_of
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.numbers import share
from app.ui.widgets.figure_view import FigureView, figure_view
from app.ui.widgets.plain_line import plain_line
from core.inspection.sentence.span_scores_view import span_scores_view

if TYPE_CHECKING:
    from core.taggers.base.trace import SpanTrace, Trace

NAME = "span_scores"
FOLLOWS_FOCUS = True


@dataclass(kw_only=True)
class SpanScoresPanel(PanelView):
    """The panel's own components."""

    label: gr.Dropdown
    figure: FigureView


def has(trace: Trace) -> bool:
    return trace.span_scores is not None


def layout(frame: Frame) -> SpanScoresPanel:
    with gr.Column(visible=False, elem_id="inspect-span-scores") as group:
        heading(frame, NAME)
        label = frame.texts.bind(
            gr.Dropdown(choices=[], elem_id="inspect-span-scores-label"), label=_("Label")
        )
        figure = figure_view("inspect-span-scores-plot")
        note = plain_line("inspect-span-scores-note")
    outputs = {"label": label, "figure": figure.plot, "note": note}
    return SpanScoresPanel(group, (), outputs, label=label, figure=figure)


def draw(session: Session, look: Look) -> dict[str, Any]:
    """Draw the label of the span in focus, without one the label of the likeliest span."""
    scores = look.trace.span_scores
    assert scores is not None
    focus = look.focus
    if focus is not None and focus.label in scores.labels:
        label = scores.labels.index(focus.label)
    else:
        label = _likeliest(look.trace)
    choices = [(name, number) for number, name in enumerate(scores.labels)]
    return {
        "label": gr.update(choices=choices, value=label),
        "figure": span_heatmap(span_scores_view(look.trace, label), session.language),
        "note": _note(session, scores, label),
    }


def choose(session: Session, label: int | None) -> dict[str, Any]:
    """Draw another label, with its note."""
    look = look_of(session)
    scores = None if look is None else look.trace.span_scores
    if look is None or scores is None or label is None or label not in range(len(scores.labels)):
        return {}
    figure = span_heatmap(span_scores_view(look.trace, label), session.language)
    return {"figure": figure, "note": _note(session, scores, label)}


def _note(session: Session, scores: SpanTrace, label: int) -> str:
    """What a span of this label must exceed, and what makes scores probabilities."""
    threshold = share(scores.thresholds[label])
    scaling = scores.scalings[label]
    if scaling == (1, 0):
        return session._(
            "Predicted spans have a probability above {threshold}, which is not calibrated, because "
            "the dev documents of the training had too few likely spans, or no error.",
            threshold=threshold,
        )
    return session._(
        "Predicted spans have a probability above {threshold}, calibrated on the dev documents: its "
        "log-odds are the score divided by {temperature}, plus {shift}.",
        threshold=threshold,
        temperature=f"{scaling.temperature:.2f}",
        shift=f"{scaling.shift:.2f}".replace("-", "−"),
    )


def _likeliest(trace: Trace) -> int:
    """The label with the most probable span; the first without any span to score."""
    import numpy as np

    scores = trace.span_scores
    assert scores is not None
    best = np.nan_to_num(scores.probabilities, nan=-1.0).reshape(len(scores.labels), -1)
    return int(best.max(axis=1, initial=-1.0).argmax())


def wire(view: SpanScoresPanel, frame: Frame) -> None:
    drawn = {name: view.outputs[name] for name in ("figure", "note")}
    frame.on([view.label.input], choose, [view.label], drawn)

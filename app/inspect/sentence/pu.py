"""The PU panel: the probabilities of one binary classifier for each entity type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gradio as gr

from app.inspect.figures.pu import type_heatmap
from app.inspect.panel import Look, PanelView, heading
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.numbers import share
from app.ui.widgets.figure_view import figure_view
from app.ui.widgets.plain_line import plain_line
from core.inspection.sentence.pu_view import pu_view

if TYPE_CHECKING:
    from core.taggers.base.trace import Trace

NAME = "pu"
FOLLOWS_FOCUS = False


def has(trace: Trace) -> bool:
    return trace.pu is not None


def layout(frame: Frame) -> PanelView:
    with gr.Column(visible=False, elem_id="inspect-pu") as group:
        heading(frame, NAME)
        figure = figure_view("inspect-pu-plot")
        decision = plain_line("inspect-pu-decision")
    return PanelView(group, (), {"figure": figure.plot, "decision": decision})


def draw(session: Session, look: Look) -> dict[str, Any]:
    """The figure, and how types were decided and with which priors."""
    view = pu_view(look.trace)
    pairs = zip(view.labels, view.priors.tolist(), strict=True)
    priors = ", ".join(f"{label} {share(prior)}" for label, prior in pairs)
    note = session._(
        "A character gets the most likely type above {bound}; the prior (the share of characters "
        "assumed in training) is {priors}, and a lower one would lower all probabilities.",
        bound=share(view.bound),
        priors=priors,
    )
    return {"figure": type_heatmap(view, session.language), "decision": note}


def wire(view: PanelView, frame: Frame) -> None:
    """Nothing to choose."""

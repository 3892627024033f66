"""What a tagger with one classifier for each type answered at every character."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gradio as gr

from app.inspect.figures.pu import answers_by_type
from app.inspect.panel import Look, PanelView, heading
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.widgets.figure_view import figure_view
from app.ui.widgets.plain_line import plain_line

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
    return PanelView(group, (), (figure.plot, decision))


def draw(session: Session, look: Look) -> tuple[Any, ...]:
    """The figure, and how types were decided and with which priors."""
    pu = look.trace.pu
    assert pu is not None
    pairs = zip(pu.labels, pu.priors.tolist(), strict=True)
    priors = ", ".join(f"{label} {100 * prior:.2f} %" for label, prior in pairs)
    told = session._(
        "A character is of the likeliest type above {bound} %. Prior (the share of all "
        "characters that training was told to expect): {priors}. Taught with a lower "
        "prior it would tend to answer lower everywhere.",
        bound=f"{100 * pu.bound:g}",
        priors=priors,
    )
    return answers_by_type(pu, look.trace.tokens, session.language), told


def wire(view: PanelView, frame: Frame) -> None:
    """Nothing to choose."""

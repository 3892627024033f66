"""What the CRF weighed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.figures.crf import emission_heatmap, marginal_heatmap, transition_heatmap
from app.frame import Frame
from app.pages.inspect.panel import Look, PanelView, heading, look_of
from app.session import Session
from app.widgets.figure_view import FigureView, figure_view

if TYPE_CHECKING:
    from core.taggers.trace import Trace

NAME = "crf"
FOLLOWS_FOCUS = True


@dataclass
class CrfView(PanelView):
    """The panel's own components."""

    panel: gr.Radio | None = None
    figure: FigureView | None = None


def has(trace: Trace) -> bool:
    return trace.crf is not None


def layout(frame: Frame) -> CrfView:
    with gr.Column(visible=False, elem_id="inspect-crf") as group:
        heading(frame, NAME)
        panel = frame.texts.bind(
            gr.Radio(value="emissions", elem_id="inspect-crf-panel"),
            label="inspect.crf_panel",
            choices=[
                ("inspect.emissions", "emissions"),
                ("inspect.marginals", "marginals"),
                ("inspect.transitions", "transitions"),
            ],
        )
        figure = figure_view("inspect-crf-plot")
    return CrfView(group, (panel,), (figure.plot,), panel, figure)


def draw(session: Session, look: Look, panel: str) -> tuple[Any, ...]:
    return (draw_panel(session, panel, look),)


def draw_panel(session: Session, panel: str, look: Look | None = None) -> Any:
    """The chosen picture of the CRF."""
    look = look or look_of(session)
    if look is None or look.trace.crf is None:
        return None
    if panel == "transitions":
        return transition_heatmap(look.trace.crf, session.language)
    picture = marginal_heatmap if panel == "marginals" else emission_heatmap
    return picture(look.trace.crf, look.trace.tokens, session.language)


def wire(view: CrfView, frame: Frame) -> None:
    assert view.panel is not None
    assert view.figure is not None
    frame.on([view.panel.input], draw_panel, [view.panel], [view.figure.plot])

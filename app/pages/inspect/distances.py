"""The four relative distances FLAT's attention stands on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.figures.distances import distance_heatmaps
from app.frame import Frame
from app.pages.inspect.panel import Look, PanelView, heading
from app.session import Session
from app.widgets.figure_view import FigureView, figure_view

if TYPE_CHECKING:
    from core.taggers.trace import Trace

NAME = "distances"
FOLLOWS_FOCUS = False


@dataclass
class DistancesView(PanelView):
    """The panel's own components."""

    figure: FigureView | None = None


def has(trace: Trace) -> bool:
    """Other lattice taggers do not look at the distances."""
    return trace.lattice is not None and bool(trace.attention) and trace.tagger == "flat"


def layout(frame: Frame) -> DistancesView:
    with gr.Column(visible=False, elem_id="inspect-distances-group") as group:
        heading(frame, NAME)
        figure = figure_view("inspect-distances")
    return DistancesView(group, (), (figure.plot,), figure)


def draw(session: Session, look: Look) -> tuple[Any, ...]:
    assert look.trace.lattice is not None
    return (distance_heatmaps(look.trace.lattice, session.language),)


def wire(view: DistancesView, frame: Frame) -> None:
    """Nothing to choose."""

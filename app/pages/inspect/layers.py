"""How the layers of an encoder were mixed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gradio as gr

from app.figures.layer_mix import layer_mix
from app.frame import Frame
from app.pages.inspect.panel import Look, PanelView, heading
from app.session import Session
from app.widgets.figure_view import figure_view

if TYPE_CHECKING:
    from core.taggers.trace import Trace

NAME = "mix"
FOLLOWS_FOCUS = False


def has(trace: Trace) -> bool:
    return bool(trace.mixes)


def layout(frame: Frame) -> PanelView:
    with gr.Column(visible=False, elem_id="inspect-mix") as group:
        heading(frame, NAME)
        figure = figure_view("inspect-mix-plot")
    return PanelView(group, (), (figure.plot,))


def draw(session: Session, look: Look) -> tuple[Any, ...]:
    return (layer_mix(look.trace.mixes[0], look.trace.tokens, session.language),)


def wire(view: PanelView, frame: Frame) -> None:
    """Nothing to choose."""

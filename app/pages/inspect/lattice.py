"""The lattice the tagger read: characters, and the dictionary words over them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gradio as gr

from app.frame import Frame
from app.pages.inspect.panel import Look, PanelView, heading
from app.session import Session
from app.widgets.lattice import lattice_value, lattice_view
from core.store import labels

if TYPE_CHECKING:
    from core.taggers.trace import Trace

NAME = "lattice"
FOLLOWS_FOCUS = True


def has(trace: Trace) -> bool:
    return trace.lattice is not None


def layout(frame: Frame) -> PanelView:
    with gr.Column(visible=False, elem_id="inspect-lattice") as group:
        heading(frame, NAME)
        lattice = lattice_view("lattice")
    return PanelView(group, (), (lattice,))


def draw(session: Session, look: Look) -> tuple[Any, ...]:
    colours = {label.name: label.colour for label in labels.get(session.workspace, session.project_id)}
    return (lattice_value(look.trace, colours, session.language),)


def wire(view: PanelView, frame: Frame) -> None:
    """The viewer does everything in the browser."""

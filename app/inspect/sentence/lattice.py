"""The lattice panel: the characters, the dictionary words over them, and the attention between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gradio as gr

from app.inspect.panel import Look, PanelView, heading, look_of
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.server_function import Reply
from app.ui.widgets.lattice import AttentionQuery, answer_attention, lattice_value, lattice_viewer, mark_of
from core.inspection.sentence.lattice_view import lattice_view
from core.store.label import labels

if TYPE_CHECKING:
    from core.taggers.base.trace import Trace

NAME = "lattice"
FOLLOWS_FOCUS = True


def has(trace: Trace) -> bool:
    return trace.lattice is not None


def layout(frame: Frame) -> PanelView:
    with gr.Column(visible=False, elem_id="inspect-lattice") as group:
        heading(frame, NAME)
        lattice = lattice_viewer("inspect-lattice-view", frame.server(lattice_attention))
    return PanelView(group, (), {"lattice": lattice})


def draw(session: Session, look: Look) -> dict[str, Any]:
    colours = {label.name: label.colour for label in labels.get(session.workspace, session.project_id)}
    mark = mark_of(look.run, look.trace)
    return {"lattice": lattice_value(lattice_view(look.trace), colours, mark=mark, focus=look.focus)}


def wire(view: PanelView, frame: Frame) -> None:
    """The viewer does everything in the browser, and asks `lattice_attention` for more."""


def lattice_attention(session: Session, asked: AttentionQuery) -> Reply:
    """Another layer or head of the sentence in view; see `answer_attention`."""
    look = look_of(session)
    traces = {} if look is None else {mark_of(look.run, look.trace): look.trace}
    return answer_attention(traces, asked)

"""What a tagger answered that is asked one query for each label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.figures.mrc import match_matrix, start_and_end
from app.frame import Frame
from app.pages.inspect.panel import Look, PanelView, heading, look_of
from app.session import Session
from app.widgets.figure_view import FigureView, figure_view

if TYPE_CHECKING:
    from core.taggers.trace import Trace

NAME = "mrc"
FOLLOWS_FOCUS = False
STARTS_AND_ENDS = -1


@dataclass
class MrcView(PanelView):
    """The panel's own components."""

    query: gr.Dropdown | None = None
    figure: FigureView | None = None


def has(trace: Trace) -> bool:
    return trace.mrc is not None


def layout(frame: Frame) -> MrcView:
    with gr.Column(visible=False, elem_id="inspect-mrc") as group:
        heading(frame, NAME)
        query = frame.texts.bind(
            gr.Dropdown(choices=[], elem_id="inspect-mrc-panel"), label="inspect.mrc_panel"
        )
        figure = figure_view("inspect-mrc-plot")
    return MrcView(group, (), (query, figure.plot), query, figure)


def draw(session: Session, look: Look) -> tuple[Any, ...]:
    assert look.trace.mrc is not None
    names = look.trace.mrc.labels
    choices = [
        (session.text("inspect.starts_and_ends"), STARTS_AND_ENDS),
        *zip(names, range(len(names)), strict=True),
    ]
    return gr.update(choices=choices, value=STARTS_AND_ENDS), draw_query(session, STARTS_AND_ENDS, look)


def draw_query(session: Session, query: int | None, look: Look | None = None) -> Any:
    """Starts and ends of all queries, or the match of one."""
    look = look or look_of(session)
    if look is None or look.trace.mrc is None:
        return None
    if query is None or query == STARTS_AND_ENDS:
        return start_and_end(look.trace.mrc, look.trace.tokens, session.language)
    return match_matrix(look.trace.mrc, query, look.trace.tokens, session.language)


def wire(view: MrcView, frame: Frame) -> None:
    assert view.query is not None
    assert view.figure is not None
    frame.on([view.query.input], draw_query, [view.query], [view.figure.plot])

"""The panel of an HM-LSTM's segments, beside the words of jieba and of the project's dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import ngettext
from app.inspect.figures.segments import row_name, segment_strips
from app.inspect.panel import Look, PanelView, heading
from app.services.project_lexicon import laid_over
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.widgets.figure_view import figure_view
from app.ui.widgets.plain_line import plain_line
from core.inspection.sentence.segments_view import SegmentRow, segments_view
from core.lexicon import Lexicon
from core.store.lexicon import changes as lexicon_changes

if TYPE_CHECKING:
    from core.taggers.base.trace import Trace

NAME = "segments"
FOLLOWS_FOCUS = False


def has(trace: Trace) -> bool:
    return trace.segments is not None


def layout(frame: Frame) -> PanelView:
    with gr.Column(visible=False, elem_id="inspect-segments") as group:
        heading(frame, NAME)
        figure = figure_view("inspect-segments-plot")
        shared = plain_line("inspect-segments-shared")
    return PanelView(group, (), {"figure": figure.plot, "shared": shared})


def draw(session: Session, look: Look) -> dict[str, Any]:
    """The figure, and how many boundaries of each layer are ends of jieba's words."""
    changes = lexicon_changes.current(session.workspace, session.project_id)
    view = segments_view(look.trace, laid_over(Lexicon.jieba(), changes))
    told = "; ".join(_agreement(session, row) for row in view.rows if row.layer)
    note = session._("Boundaries inside the sentence: {rows}.", rows=told)
    return {"figure": segment_strips(view, session.language), "shared": note}


def _agreement(session: Session, row: SegmentRow) -> str:
    return session._(
        ngettext(
            "{row}: {count}, of which {shared} is where a word of jieba ends",
            "{row}: {count}, of which {shared} are where a word of jieba ends",
            count=row.boundaries,
        ),
        row=session._(row_name(row)),
        shared=row.shared,
    )


def wire(view: PanelView, frame: Frame) -> None:
    """Nothing to choose."""

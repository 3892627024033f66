"""The Annotate page: label the project's documents, with suggestions from the active tagger."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

import gradio as gr

from app.annotate import (
    bulk,
    document,
    guideline,
    orders,
    outside,
    queue,
    similar,
    span_history,
    stream,
    suggesting,
    windows,
    work_sets,
)
from app.annotate.annotator import annotator, page_update
from app.services.session import Session
from app.ui.annotation import linking
from app.ui.frame import PAGES, Frame
from app.ui.why import drawer
from app.ui.window.navigation import asked_document

ROOMS = (
    document, queue, work_sets, bulk, suggesting, outside, orders, windows, similar, span_history, linking,
    guideline, drawer, stream,
)  # fmt: skip
_visits = count(1)


@dataclass
class AnnotateComponents:
    """One widget, because events between components cannot guarantee that edits reach the store in order."""

    annotator: gr.HTML


def layout(frame: Frame) -> AnnotateComponents:
    """Build the page inside its tab."""
    functions = [frame.server(fn) for room in ROOMS for fn in room.FUNCTIONS]
    return AnnotateComponents(annotator(functions, elem_id="annotate"))


def wire(components: AnnotateComponents, frame: Frame) -> None:
    """Reload the widget whenever the page is shown, and when project or language change."""
    frame.on_show("annotate", show, [components.annotator])
    frame.on(components.annotator.leave, leave, [], [frame.tabs])


def show(session: Session) -> dict[str, Any]:
    """Show the session's project, and what another page requested."""
    return page_update(
        session.language, project=session.project_id, asked=asked_document(session), visit=next(_visits)
    )


def leave(session: Session, event: gr.EventData) -> dict[str, Any]:
    """Go to the page named by the widget."""
    page = event.page
    return gr.update(selected=page) if page in PAGES else gr.skip()

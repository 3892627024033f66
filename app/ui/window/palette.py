"""The command palette: go to a page, project, document or run, or act on the page in front, by typing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.services.rights import may, worker_of
from app.services.session import Session
from app.ui.frame import Frame
from app.ui.numbers import percent
from app.ui.payload import Payload, TextOrEmpty
from app.ui.server_function import Reply
from app.ui.widgets.page_code import page_widget
from app.ui.window.status_bar import headline_f1
from core.store.project import members
from core.store.queue import queue
from core.store.run import runs

MOST_DOCUMENTS = 12


@dataclass
class Palette:
    """The button that opens it, with its dialog."""

    palette: gr.HTML


def layout(frame: Frame) -> Palette:
    """Build the button."""
    palette = page_widget(
        "palette/palette.js",
        '<div class="ll-palette"></div>',
        functions=[frame.server(list_places), frame.server(find_documents)],
        styles=("palette",),
        apply_default_css=False,
        elem_id="ll-palette",
    )
    return Palette(palette)


class Searched(Payload):
    """What the text of a document has to contain."""

    search: TextOrEmpty = ""


def list_places(session: Session) -> Reply:
    """The other ``projects`` open to the person (``id``, ``name``), and the ``runs`` of this one, newest
    first (``name``, ``f1`` as it is written or None, ``finished``)."""
    others = members.open_projects(session.workspace, session.user)
    return {
        "projects": [
            {"id": project.id, "name": project.name} for project in others if project.id != session.project_id
        ],
        "runs": _runs(session) if may(session, "see_documents") else [],
    }


def find_documents(session: Session, searched: Searched) -> Reply:
    """Up to `MOST_DOCUMENTS` ``documents`` (``id``, ``excerpt``) of the person's that contain a text."""
    text = searched.search.strip()
    if not text or not may(session, "annotate"):
        return {"documents": []}
    which = queue.Filter(search=text, worker=worker_of(session))
    found = queue.page(session.workspace, session.project_id, which, limit=MOST_DOCUMENTS)
    return {"documents": [{"id": row.id, "excerpt": row.excerpt} for row in found.rows]}


def _runs(session: Session) -> list[dict[str, Any]]:
    rows = []
    for run in reversed(runs.all_runs(session.workspace, session.project_id)):
        f1 = headline_f1(run.scores)
        rows.append(
            {
                "name": run.name,
                "f1": None if f1 is None else percent(f1),
                "finished": run.status == "finished",
            }
        )
    return rows

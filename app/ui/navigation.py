"""Navigation between pages and projects."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import gradio as gr

from app.services.session import Session
from core.store.project import members

NEW_PROJECT = "() => window.latticelens.newProject()"  # opens the dialog
_DOCUMENT = "annotate"


def link(session: Session, page: str, **values: str) -> str:
    """The address of a page of the session's project, with what `Frame.address` keeps there.

    Not escaped: for an attribute of HTML it still has to be.
    """
    return f"#{page}?{urlencode({'project': session.project_id, **values})}"


def open_document(session: Session, document_id: int) -> None:
    """Open this document when the Annotate page is shown next."""
    session.memory[_DOCUMENT] = document_id


def asked_document(session: Session) -> int | None:
    """Return and clear the document requested for the Annotate page."""
    asked = session.memory.pop(_DOCUMENT, None)
    return asked if isinstance(asked, int) else None


def project_choices(session: Session) -> dict[str, Any]:
    """Update the project picker; projects closed to the user have no name."""
    open_projects = members.open_projects(session.workspace, session.user)
    choices = [(project.name, project.id) for project in open_projects]
    if session.project_id not in (project.id for project in open_projects):
        choices.append((session._("A project you cannot open"), session.project_id))
    return gr.update(choices=choices, value=session.project_id)

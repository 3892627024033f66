"""Navigation between pages and projects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from app.services.errors import AppError
from app.services.session import Session
from core.store.project import members
from core.store.queue import queue
from core.store.queue.filter import Filter

NEW_PROJECT = "() => window.latticelens.newProject()"  # opens the dialog
_ASKED = "annotate"


def link(session: Session, page: str, **values: str) -> str:
    """The address of a page of the session's project, with what `Frame.address` keeps there.

    Not escaped: for an attribute of HTML it still has to be.
    """
    return f"#{page}?{urlencode({'project': session.project_id, **values})}"


@dataclass(frozen=True)
class AskedDocument:
    """What the Annotate page is to open: a document, and the import its queue is narrowed to, if any."""

    document: int
    imported_at: int | None = None


def open_document(session: Session, document_id: int) -> None:
    """Open this document when the Annotate page is shown next."""
    session.memory[_ASKED] = AskedDocument(document_id)


def open_import(session: Session, imported_at: int) -> None:
    """Open the documents of an import when the Annotate page is shown next, the first one that nobody has
    annotated in front.

    Raises:
        AppError: none of them is in the project any more.
    """
    which = Filter(imported_at=imported_at)
    first = queue.first_to_annotate(session.workspace, session.project_id, which)
    if first is None:
        raise AppError("The imported documents are no longer in the project; look in the trash.")
    session.memory[_ASKED] = AskedDocument(first, imported_at)


def asked_document(session: Session) -> AskedDocument | None:
    """Return and clear what was requested for the Annotate page."""
    asked = session.memory.pop(_ASKED, None)
    return asked if isinstance(asked, AskedDocument) else None


def project_choices(session: Session) -> dict[str, Any]:
    """Update the project picker; projects closed to the user have no name."""
    session = session.live
    open_projects = members.open_projects(session.workspace, session.user)
    choices = [(project.name, project.id) for project in open_projects]
    if session.project_id not in (project.id for project in open_projects):
        choices.append((session._("A project you cannot open"), session.project_id))
    return gr.update(choices=choices, value=session.project_id)

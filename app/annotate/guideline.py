"""The server function for the project's guideline beside the text."""

from __future__ import annotations

from app.services.rights import may, needs
from app.services.session import Session
from app.ui.server_function import Reply
from core.store.project import guideline


@needs("annotate")
def read_guideline(session: Session) -> Reply:
    """The guideline: ``text`` in Markdown, ``user`` and ``at`` of its last change, and ``may_change``."""
    current = guideline.current(session.workspace, session.project_id)
    return {
        "text": current.text,
        "user": current.user,
        "at": current.at,
        "may_change": may(session, "change_labels"),
    }


FUNCTIONS = (read_guideline,)

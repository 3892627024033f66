"""The project's guideline and those of its labels, beside the text."""

from __future__ import annotations

from app.services.rights import may, needs
from app.services.session import Session
from app.ui.markdown import markdown_parts
from app.ui.server_function import Reply
from core.store.project import guideline


@needs("annotate")
def read_guideline(session: Session) -> Reply:
    """The guideline as `markdown_parts`, ``user`` and ``at`` of its last change, and ``may_change``."""
    current = guideline.current(session.workspace, session.project_id)
    return {
        "parts": markdown_parts(current.text),
        "user": current.user,
        "at": current.at,
        "may_change": may(session, "change_labels"),
    }


FUNCTIONS = (read_guideline,)

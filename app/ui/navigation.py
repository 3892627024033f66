"""Navigation between pages."""

from __future__ import annotations

from urllib.parse import urlencode

from app.services.session import Session

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

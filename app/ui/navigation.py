"""Navigation between pages."""

from __future__ import annotations

from app.services.session import Session

_DOCUMENT = "annotate"


def open_document(session: Session, document_id: int) -> None:
    """Open this document when the Annotate page is shown next."""
    session.memory[_DOCUMENT] = document_id


def asked_document(session: Session) -> int | None:
    """Return and clear the document requested for the Annotate page."""
    asked = session.memory.pop(_DOCUMENT, None)
    return asked if isinstance(asked, int) else None

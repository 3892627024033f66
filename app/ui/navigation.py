"""From one page to another: what the page that comes to the front is asked to show."""

from __future__ import annotations

from app.services.session import Session

_DOCUMENT = "annotate"


def open_document(session: Session, document_id: int) -> None:
    """Let the Annotate page show this document the next time it comes to the front."""
    session.memory[_DOCUMENT] = document_id


def asked_document(session: Session) -> int | None:
    """The document that another page asked the Annotate page for; asked for once, given once."""
    asked = session.memory.pop(_DOCUMENT, None)
    return asked if isinstance(asked, int) else None
